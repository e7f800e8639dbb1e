import { type Address, type Hex, size, slice } from 'viem'
import { isNative } from '../../../chain/native.ts'
import { isSameAddress } from '../../../chain/sameAddress.ts'
import { nativeSpellings } from '../../provider/provider.ts'
import { type BatchCall, readBatch } from '../../provider/readBatch.ts'
import type { DirectDex, DirectFamily } from './directSource.ts'

/** A pool of two tokens; whether the swap gives its first one. */
export type PairHop = {
  readonly pool: Address
  readonly tokens: readonly [Address, Address]
  readonly givesFirst: boolean
}

type Ask = (dex: DirectDex, pool: Address) => readonly BatchCall[]

/** An address at the end of each word. */
function readAddresses(data: Hex): readonly Address[] {
  return Array.from({ length: Math.floor(size(data) / 32) }, (_, at) =>
    slice(data, at * 32 + 12, at * 32 + 32),
  )
}

/** As pools without wrapped currency spell it. */
export const toCoin = (token: Address): Address => (isNative(token) ? nativeSpellings.e : token)

/**
 * Lists pools that the routing service knows; which token is a pool's first one never changes and is
 * read once. `askTokens`: calls that answer both, in order.
 */
export function createPairLister(askTokens: Ask): DirectFamily<PairHop>['listPaths'] {
  const known = new Map<string, readonly Address[]>()
  const idOf = (dex: DirectDex, pool: Address) => `${dex.reader.client.chain.id}:${pool}`

  async function readTokens(dex: DirectDex, pools: readonly Address[], signal: AbortSignal) {
    const asked = pools.map((pool) => askTokens(dex, pool))
    const results = await readBatch(dex.reader, { calls: asked.flat(), signal })
    let at = 0
    for (const [index, calls] of asked.entries()) {
      const answers = results.slice(at, at + calls.length)
      at += calls.length
      const pool = pools[index]
      if (pool && answers.every(({ success }) => success))
        known.set(
          idOf(dex, pool),
          answers.flatMap(({ data }) => readAddresses(data)),
        )
    }
  }

  return async (dex, { tokenIn, tokenOut, signal }) => {
    // The routing service knows a pool of native currency by the wrapped token.
    const held = (token: Address) => (isNative(token) ? dex.wrappedNative : token)
    const pools = dex.poolsBetween(held(tokenIn), held(tokenOut))
    const strange = pools.filter((pool) => !known.has(idOf(dex, pool)))
    await readTokens(dex, strange, signal)
    const [coinIn, coinOut] = [toCoin(tokenIn), toCoin(tokenOut)]
    return pools.flatMap((pool): readonly PairHop[] => {
      const [first, second] = known.get(idOf(dex, pool)) ?? []
      if (!first || !second) return []
      const givesFirst = isSameAddress(first, coinIn) && isSameAddress(second, coinOut)
      const givesSecond = isSameAddress(second, coinIn) && isSameAddress(first, coinOut)
      return givesFirst || givesSecond ? [{ pool, tokens: [tokenIn, tokenOut], givesFirst }] : []
    })
  }
}
