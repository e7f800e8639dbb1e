import { type Address, hexToBigInt, isHex, size, slice, zeroAddress } from 'viem'
import { type Candidate, heldOf } from './buildBundle.ts'
import { balanceOfCall } from './rpc/callShapes.ts'
import type { RpcEndpoint } from './rpc/rpcBatch.ts'
import { settle } from './settle.ts'

/**
 * A candidate that is to show what it would take has its taker hold all that it really has: one that asks for
 * just that, and goes on where it is not there, would not show.
 */
export async function holdEnough(
  { rpc, timeoutMs }: { readonly rpc: Pick<RpcEndpoint, 'batch'>; readonly timeoutMs: number },
  { candidate, taker }: { readonly candidate: Candidate; readonly taker: Address },
): Promise<Candidate> {
  const { keepsWealth = false, tokenIn, funding } = candidate
  if (!keepsWealth || funding === 'real' || tokenIn === zeroAddress) return candidate
  const call = { method: 'eth_call', params: [balanceOfCall(tokenIn, taker), 'latest'] }
  const read = await settle(rpc.batch([call], { timeoutMs }))
  const [outcome] = 'error' in read ? [] : read.value
  const answer = outcome?.ok && isHex(outcome.result) ? outcome.result : '0x'
  // What it does not say, the funding of the dry run finds out.
  const balance = size(answer) < 32 ? 0n : hexToBigInt(slice(answer, 0, 32))
  return balance > heldOf(candidate)
    ? { ...candidate, heldAmount: balance, ownAmount: balance }
    : candidate
}
