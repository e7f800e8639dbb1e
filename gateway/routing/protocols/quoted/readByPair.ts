import type { Hex } from 'viem'
import { askPairs } from '../../reads/askPairs.ts'
import { dedupePools } from '../../reads/findPools.ts'
import { callQuoteLens, lensGas, thriftyGas } from '../../reads/lens.ts'
import type { FindParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { type Pair, type PairPages, readDeepest } from '../../reads/readDeepest.ts'

/** Two look-ups each, up to 15,500 gas together. */
const [pairsPerCall, thriftyPairs] = [800, 2_400]
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
    isThrifty = false,
  }: FindParameters & {
    readonly selector: Hex
    readonly tail?: Hex | undefined
    readonly pages: PairPages
  },
): Promise<readonly PoolRef[]> {
  const answers = await askPairs(deps, {
    a,
    b,
    size: isThrifty ? thriftyPairs : pairsPerCall,
    blockNumber,
    ask: async (part) => {
      const args = [dex.factory, selector, part.a, part.b, tail] as const
      const gas = isThrifty ? thriftyGas : lensGas
      const view = { functionName: 'findLists', args, blockNumber, gas } as const
      const [found, long] = await callQuoteLens(deps.client, view)
      return [{ found, pairs: long.map((place) => pairAt(part, Number(place))) }]
    },
  })
  const pairs = answers.flatMap((answer) => answer.pairs)
  const deepest = await readDeepest(deps, { factory: dex.factory, pairs, pages, blockNumber })
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
