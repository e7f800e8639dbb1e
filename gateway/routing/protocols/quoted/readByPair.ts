import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { askPairs } from '../../reads/askPairs.ts'
import { dedupePools } from '../../reads/findPools.ts'
import { callQuoteLens } from '../../reads/lens.ts'
import type { FindParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { type ReadCall, readCalls } from '../../reads/readCalls.ts'

/** Two tokens in the order in which a factory knows them. */
type Pair = readonly [one: Address, other: Address]

/** How a factory tells a part of its list of a pair. */
export type PairPages = {
  /** Pools of a whole page. */
  readonly size: number
  ask(factory: Address, pair: Pair, from: number): readonly ReadCall[]
  /** The pools in the answers to `ask`. */
  read(answers: readonly (readonly bigint[] | undefined)[]): readonly Address[]
}

/** Two look-ups each, up to 15,500 gas together. */
const pairsPerCall = 800
/** Of one pair. To hide a pool behind as many costs a billion gas and more. */
const mostListed = 4_096
/** Of a long list, by each of its tokens. */
const mostKept = 10

/**
 * Asks a factory that lists the pools of two tokens, in whichever order it knows them. Anybody may
 * lengthen a list: of a long one the deepest pools are taken, wherever they stand.
 */
export async function readByPair(
  deps: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
    selector,
    tail = '0x',
    pages,
  }: FindParameters & {
    readonly selector: Hex
    readonly tail?: Hex | undefined
    readonly pages: PairPages
  },
): Promise<readonly PoolRef[]> {
  const answers = await askPairs(deps, {
    a,
    b,
    size: pairsPerCall,
    blockNumber,
    ask: async (part) => {
      const args = [dex.factory, selector, part.a, part.b, tail] as const
      const view = { functionName: 'findLists', args, blockNumber } as const
      const [found, long] = await callQuoteLens(deps.client, view)
      return [{ found, pairs: long.map((place) => pairAt(part, Number(place))) }]
    },
  })
  const pairs = answers.flatMap((answer) => answer.pairs)
  const lists = await readLists(deps, { factory: dex.factory, pairs, pages, blockNumber })
  const deepest = await keepDeepest(deps, { lists, blockNumber })
  const found = [...answers.flatMap((answer) => answer.found), ...deepest]
  return dedupePools(found.map((address) => ({ dex, address })))
}

/** The lens counts the pairs of each token of `a` with each of `b`, in both orders. */
function pairAt({ a, b }: Pick<FindParameters, 'a' | 'b'>, place: number): Pair {
  const n = place >> 1
  const [one, other] = [a[Math.floor(n / b.length)], b[n % b.length]]
  if (!one || !other) throw new Error(`the lens names pair ${place} of ${a.length * b.length}`)
  return place % 2 === 0 ? [one, other] : [other, one]
}

type List = { readonly pair: Pair; readonly pools: Address[] }

/** Page by page, and all pairs at once. */
async function readLists(
  deps: ReadDeps,
  {
    factory,
    pairs,
    pages,
    blockNumber,
  }: {
    readonly factory: Address
    readonly pairs: readonly Pair[]
    readonly pages: PairPages
    readonly blockNumber: bigint
  },
): Promise<readonly List[]> {
  const lists = pairs.map((pair): List => ({ pair, pools: [] }))
  let open = lists
  for (let from = 0; open.length > 0 && from < mostListed; from += pages.size) {
    const asked = open.map(({ pair }) => pages.ask(factory, pair, from))
    const answers = await readCalls(deps, { calls: asked.flat(), blockNumber })
    let at = 0
    open = open.filter(({ pools }, index) => {
      const end = at + (asked[index]?.length ?? 0)
      const page = pages.read(answers.slice(at, end))
      at = end
      pools.push(...page)
      return page.length === pages.size
    })
  }
  return lists
}

/**
 * Those that hold the most of either token: whoever wants to stand before an honest pool has to outbid it
 * in both, ten times.
 */
async function keepDeepest(
  deps: ReadDeps,
  { lists, blockNumber }: { readonly lists: readonly List[]; readonly blockNumber: bigint },
): Promise<readonly Address[]> {
  const sides = lists.flatMap(({ pair, pools }) => pair.map((token) => ({ token, pools })))
  const calls = sides.flatMap(({ token, pools }) =>
    pools.map((pool): ReadCall => ({ target: token, data: encodeBalanceOf(pool) })),
  )
  const held = await readCalls(deps, { calls, blockNumber })
  return sides.flatMap(({ pools }) => {
    const own = held.splice(0, pools.length)
    return pools
      .map((pool, index) => ({ pool, held: own[index]?.[0] ?? 0n }))
      .toSorted((one, other) => (one.held < other.held ? 1 : one.held > other.held ? -1 : 0))
      .slice(0, mostKept)
      .map(({ pool }) => pool)
  })
}

function encodeBalanceOf(owner: Address): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
}
