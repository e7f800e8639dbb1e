import type { Address, Hex } from 'viem'
import { askPairs } from './askPairs.ts'
import { callLens } from './lens.ts'
import type { FindParameters, ListParameters, PoolRef, ReadDeps } from './poolRef.ts'

/** What is spent of a call's gas on look-ups: the rest is a margin for a factory that stores more. */
const gasPerCall = 20_000_000
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
  { client }: ReadDeps,
  {
    dex,
    a,
    b,
    blockNumber,
    selector,
    keys = [0],
    lookupGas = usualGas,
  }: FindParameters & {
    readonly selector: Hex
    readonly keys?: readonly number[]
    readonly lookupGas?: number | undefined
  },
): Promise<PoolRef[]> {
  const pairsPerCall = Math.floor(gasPerCall / lookupGas / keys.length)
  const found = await askPairs(
    { client },
    {
      a,
      b,
      size: pairsPerCall,
      blockNumber,
      ask: (part) => {
        const args = [dex.factory, selector, part.a, part.b, keys.map(BigInt)] as const
        return callLens(client, { functionName: 'findPools', args, blockNumber })
      },
    },
  )
  return dedupePools(found.map((address) => ({ dex, address })))
}

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
