import { type Address, concat, type Hex, numberToHex, pad } from 'viem'
import type { Dex } from '../../chain/dex.ts'
import { askPairs } from './askPairs.ts'
import { callLens, lensGas, thriftyGas } from './lens.ts'
import type { FindParameters, ListParameters, PoolRef, ReadDeps } from './poolRef.ts'
import { type ReadCall, readCalls, wordToAddress } from './readCalls.ts'
import { type Pair, type PairPages, readDeepest } from './readDeepest.ts'

/** Of a call's gas for a factory that stores more, and not spent on look-ups. */
const spareGas = 6_000_000n
/** Most factories take 3,900 to 4,400 gas for a look-up in vain. */
const usualGas = 5_000
/** A factory with more pairs than this is asked for known pairs only. */
const longestList = 3_000
const listedPerCall = 1_500

export function dedupePools(pools: readonly PoolRef[]): PoolRef[] {
  return [...new Map(pools.map((pool) => [(pool.id ?? pool.address).toLowerCase(), pool])).values()]
}

/**
 * Pools by a factory's look-up of two tokens and a key (a fee tier, a tick spacing, stable or not);
 * a look-up of two arguments does not see the key.
 */
export async function findByLookup(
  deps: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
    selector,
    keys = [0],
    lookupGas = usualGas,
    pages,
    isBrief = false,
    isThrifty = false,
  }: FindParameters & {
    readonly selector: Hex
    readonly keys?: readonly number[]
    readonly lookupGas?: number | undefined
    /** Where the keys are the first numbers of a list of the pair: anybody may lengthen it. */
    readonly pages?: PairPages | undefined
  },
): Promise<PoolRef[]> {
  if (isBrief) return findBriefly(deps, { dex, pairs: pairUp(a, b), keys, blockNumber, selector })
  const gas = isThrifty ? thriftyGas : lensGas
  const pairsPerCall = Math.floor(Number(gas - spareGas) / lookupGas / keys.length)
  const answers = await askPairs(deps, {
    a,
    b,
    size: pairsPerCall,
    blockNumber,
    ask: async (part) => {
      const args = [dex.factory, selector, part.a, part.b, keys.map(BigInt)] as const
      const view = { functionName: 'findPools', args, blockNumber, gas } as const
      const [found, long] = await callLens(deps.client, view)
      return [{ found, pairs: long.map((place) => pairAt(part, Number(place))) }]
    },
  })
  const found = answers.flatMap((answer) => answer.found)
  const pairs = pages ? answers.flatMap((answer) => answer.pairs) : []
  const deepest =
    pages && pairs.length > 0
      ? await readDeepest(deps, { factory: dex.factory, pairs, pages, blockNumber })
      : []
  return dedupePools([...found, ...deepest].map((address) => ({ dex, address })))
}

/** Of few tokens: look-ups of many factories travel in one call, without the lens. */
async function findBriefly(
  { client }: ReadDeps,
  {
    dex,
    pairs,
    keys,
    blockNumber,
    selector,
  }: {
    readonly dex: Dex
    readonly pairs: readonly Pair[]
    readonly keys: readonly number[]
    readonly blockNumber: bigint
    readonly selector: Hex
  },
): Promise<PoolRef[]> {
  const calls = pairs.flatMap((pair) =>
    keys.map((key) => ({
      target: dex.factory,
      data: concat([selector, ...pair.map((token) => pad(token)), numberToHex(key, { size: 32 })]),
    })),
  )
  const answers = await readCalls({ client }, { calls, blockNumber })
  const found = answers.flatMap((words) => (words?.[0] ? [wordToAddress(words[0])] : []))
  return dedupePools(found.map((address) => ({ dex, address })))
}

/** Each two tokens once, in whichever order. */
function pairUp(a: readonly Address[], b: readonly Address[]): readonly Pair[] {
  const pairs = a.flatMap((one) => b.map((other) => [one, other] as const))
  const nameOf = (pair: Pair) =>
    pair
      .map((token) => token.toLowerCase())
      .sort()
      .join()
  const named = new Map(pairs.map((pair) => [nameOf(pair), pair]))
  return [...named.values()].filter(([one, other]) => one.toLowerCase() !== other.toLowerCase())
}

/** The lens counts the pairs of each token of `a` with each of `b`. */
function pairAt({ a, b }: Pick<FindParameters, 'a' | 'b'>, place: number): Pair {
  const [one, other] = [a[Math.floor(place / b.length)], b[place % b.length]]
  if (!one || !other) throw new Error(`the lens names pair ${place} of ${a.length * b.length}`)
  return [one, other]
}

/** A list that is asked for one by one, by two tokens and a number. */
export function pagesByNumber(
  askOne: (factory: Address, pair: Pair, at: bigint) => ReadCall,
  { askHeld }: Pick<PairPages, 'askHeld'> = {},
): PairPages {
  return {
    size: pageSize,
    askHeld,
    ask: (factory, pair, from) =>
      Array.from({ length: pageSize }, (_, k) => askOne(factory, pair, BigInt(from + k))),
    read: (answers) => answers.flatMap((words) => (words?.[0] ? [wordToAddress(words[0])] : [])),
  }
}
const pageSize = 64

/** All pairs of a factory of Uniswap v2's kind; undefined when there are too many to hold. */
export async function listPairs(
  { client }: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<PoolRef[] | undefined> {
  const list = (from: number, to: number) =>
    callLens(client, {
      functionName: 'listPairs',
      args: [dex.factory, BigInt(from), BigInt(to)],
      blockNumber,
    })
  const [length, first] = await list(0, listedPerCall)
  if (length > BigInt(longestList)) return undefined
  const rest: Address[][] = []
  for (let from = listedPerCall; from < Number(length); from += listedPerCall)
    rest.push([...(await list(from, from + listedPerCall))[1]])
  return dedupePools([...first, ...rest.flat()].map((address) => ({ dex, address })))
}
