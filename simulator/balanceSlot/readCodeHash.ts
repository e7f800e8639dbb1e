import { type Address, concat, type Hex, isHex, keccak256 } from 'viem'
import type { RpcEndpoint } from '../rpc/rpcBatch.ts'

/** Where ERC-1967 and the older OpenZeppelin proxies (FiatToken's) keep the address of their implementation. */
const implementationSlots = [
  '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a50d382a2bb7a5cf0f',
  '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
] as const

/** Identity of a token's code: changes with the code and when a proxy is pointed elsewhere. */
export async function readCodeHash(
  { rpc, timeoutMs }: { rpc: RpcEndpoint; timeoutMs: number },
  { token }: { token: Address },
): Promise<Hex | undefined> {
  const outcomes = await rpc.batch(
    [
      { method: 'eth_getCode', params: [token, 'latest'] },
      ...implementationSlots.map((slot) => ({
        method: 'eth_getStorageAt',
        params: [token, slot, 'latest'],
      })),
    ],
    { timeoutMs },
  )
  const parts = outcomes.map((outcome) =>
    outcome.ok && isHex(outcome.result) ? outcome.result : undefined,
  )
  if (parts.some((part) => part === undefined)) return undefined
  return keccak256(concat(parts as Hex[]))
}
