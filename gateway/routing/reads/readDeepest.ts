import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import type { ReadDeps } from './poolRef.ts'
import { type ReadCall, readCalls } from './readCalls.ts'

/** Two tokens in the order in which a factory knows them. */
export type Pair = readonly [one: Address, other: Address]

/** How a factory tells a part of its list of a pair. */
export type PairPages = {
  /** Pools of a whole page. */
  readonly size: number
  ask(factory: Address, pair: Pair, from: number): readonly ReadCall[]
  /** The pools in the answers to `ask`. */
  read(answers: readonly (readonly bigint[] | undefined)[]): readonly Address[]
  /** How much of a token is a pool's; by the token's own balances where it isn't said. */
  readonly askHeld?: ((token: Address, pool: Address) => ReadCall) | undefined
}

/** Of one pair. To hide a pool behind as many costs a billion gas and more. */
const mostListed = 4_096
/** Of a long list, by each of its tokens. */
const mostKept = 10

type Parameters = {
  readonly factory: Address
  readonly pairs: readonly Pair[]
  readonly pages: PairPages
  readonly blockNumber: bigint
}

/** Of the pools that a factory has of each pair the deepest, wherever they stand in its list. */
export async function readDeepest(
  deps: ReadDeps,
  parameters: Parameters,
): Promise<readonly Address[]> {
  const { pages, blockNumber } = parameters
  const lists = await readLists(deps, parameters)
  return keepDeepest(deps, { lists, askHeld: pages.askHeld, blockNumber })
}

type List = { readonly pair: Pair; readonly pools: Address[] }

/** Page by page, and all pairs at once. */
async function readLists(
  deps: ReadDeps,
  { factory, pairs, pages, blockNumber }: Parameters,
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
  {
    lists,
    askHeld = askBalance,
    blockNumber,
  }: {
    readonly lists: readonly List[]
    readonly askHeld: PairPages['askHeld']
    readonly blockNumber: bigint
  },
): Promise<readonly Address[]> {
  const sides = lists.flatMap(({ pair, pools }) => pair.map((token) => ({ token, pools })))
  const calls = sides.flatMap(({ token, pools }) => pools.map((pool) => askHeld(token, pool)))
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

function askBalance(token: Address, pool: Address): ReadCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [pool] })
  return { target: token, data }
}
