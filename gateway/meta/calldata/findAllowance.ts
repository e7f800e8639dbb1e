import { type Address, encodeFunctionData, erc20Abi, hexToBigInt, size, slice } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import { decodeResult, readBatch } from '../provider/readBatch.ts'

export type FoundAllowance =
  | { readonly status: 'none' }
  | { readonly status: 'held'; readonly token: Address }
  /** The chain did not say. */
  | { readonly status: 'unknown' }

export type FindAllowance = (p: {
  readonly chainId: number
  readonly owners: readonly Address[]
  readonly spender: Address
  /** Besides the tokens that are always looked at. */
  readonly tokens: readonly Address[]
  readonly signal: AbortSignal
}) => Promise<FoundAllowance>

const readWord = (data: `0x${string}`) => (size(data) < 32 ? 0n : hexToBigInt(slice(data, 0, 32)))

/** Whether an address may already take any known token of these owners: one `eth_call`. */
export function createFindAllowance({
  clientOf,
  tokensOf,
}: {
  readonly clientOf: (chainId: number) => ChainClient | undefined
  readonly tokensOf: (chainId: number) => readonly Address[]
}): FindAllowance {
  return async ({ chainId, owners, spender, tokens, signal }) => {
    const found = clientOf(chainId)
    if (!found) return { status: 'unknown' }
    const { client, chain } = found
    const all = [...new Set([...tokens, ...tokensOf(chainId)])]
    const pairs = [...new Set(owners)].flatMap((owner) => all.map((token) => ({ owner, token })))
    const calls = pairs.map(({ owner, token: target }) => ({
      target,
      data: encodeFunctionData({
        abi: erc20Abi,
        functionName: 'allowance',
        args: [owner, spender],
      }),
    }))
    try {
      const results = await readBatch({ client, multicall3: chain.multicall3 }, { calls, signal })
      const at = results.findIndex((result) => (decodeResult(result, readWord) ?? 0n) > 0n)
      const token = pairs[at]?.token
      return token ? { status: 'held', token } : { status: 'none' }
    } catch {
      return { status: 'unknown' }
    }
  }
}
