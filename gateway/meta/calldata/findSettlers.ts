import { type Address, type Hex, parseAbi, slice } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { encodeCall } from '../../chain/encodeCall.ts'
import { decodeResult, readBatch } from '../provider/readBatch.ts'

/** Those whom 0x's own registry names now; undefined where the chain did not say. */
export type FindSettlers = (p: {
  readonly chainId: number
  readonly signal: AbortSignal
}) => Promise<readonly Address[] | undefined>

/** On all chains, as README.md of 0xProject/0x-settler says. */
const registry: Address = '0x00000000000004533Fe15556B1E086BB1A72cEae'
const registryAbi = parseAbi([
  'function ownerOf(uint256 feature) view returns (address)',
  'function prev(uint128 feature) view returns (address)',
])
/** Of those who are called by the taker. */
const takerSubmitted = 2n
/** They change every few weeks, and the one before goes on for a while. */
const freshMs = 60_000

/** One `eth_call` a minute and chain. `now` in milliseconds. */
export function createFindSettlers({
  clientOf,
  now = Date.now,
}: {
  readonly clientOf: (chainId: number) => ChainClient | undefined
  readonly now?: (() => number) | undefined
}): FindSettlers {
  const known = new Map<number, { readonly settlers: readonly Address[]; readonly atMs: number }>()
  const calls = (['ownerOf', 'prev'] as const).map((functionName) => ({
    target: registry,
    data: encodeCall({ abi: registryAbi, functionName, args: [takerSubmitted] }),
  }))
  return async ({ chainId, signal }) => {
    const last = known.get(chainId)
    if (last && now() - last.atMs < freshMs) return last.settlers
    const found = clientOf(chainId)
    if (!found) return undefined
    const { client, chain } = found
    const reader = { client, multicall3: chain.multicall3 }
    const results = await readBatch(reader, { calls, signal }).catch(() => undefined)
    // One that is paused, or has no one before it, reverts.
    const settlers = results?.flatMap((result) => decodeResult(result, toAddress) ?? [])
    if (settlers) known.set(chainId, { settlers, atMs: now() })
    // Quotes of providers need no node of ours: whom the registry has named is 0x's own.
    return settlers ?? last?.settlers
  }
}

const toAddress = (data: Hex): Address => slice(data, 12, 32)
