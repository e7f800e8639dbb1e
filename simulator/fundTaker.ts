import { type Address, type Hex, isHex, zeroAddress } from 'viem'
import { fundingTolerance, fundingWord, slotKey } from './balanceSlot/balanceSlot.ts'
import type { SlotResolver } from './balanceSlot/resolveBalanceSlot.ts'
import type { Candidate } from './buildBundle.ts'
import type { StateOverrides } from './callShapes.ts'
import { type CandidateResult, chainUnreachable, unavailable } from './classifyOutcome.ts'
import type { RpcEndpoint } from './rpcBatch.ts'

export type Funding =
  | { readonly status: 'funded'; readonly overrides: StateOverrides; readonly tolerance: bigint }
  | { readonly status: 'refused'; readonly result: CandidateResult }

type Deps = { readonly rpc: RpcEndpoint; readonly timeoutMs: number; readonly slots: SlotResolver }

const emptyWord: Hex = `0x${'0'.repeat(64)}`

/** State overrides that give the taker exactly the candidate's input tokens. */
export async function fundTaker(
  { rpc, timeoutMs, slots }: Deps,
  { candidate, taker, timeSecs }: { candidate: Candidate; taker: Address; timeSecs: bigint },
): Promise<Funding> {
  const { tokenIn: token, amountIn: amount } = candidate
  if (candidate.funding === 'real' || token === zeroAddress)
    return { status: 'funded', overrides: {}, tolerance: 0n }
  const verdict = await slots.resolve({ rpc, timeoutMs, token, holder: taker, timeSecs })
  if (verdict.status === 'rpc_error') return { status: 'refused', result: chainUnreachable }
  if (verdict.status === 'not_found') return refuse('balance slot not found')
  const { slot } = verdict
  const key = slotKey(slot, taker)
  const current =
    slot.widthBits === 256 ? emptyWord : await readSlot({ rpc, timeoutMs }, slot.contract, key)
  if (current === undefined) return { status: 'refused', result: chainUnreachable }
  const word = fundingWord(slot, { amount, current })
  if (word === undefined) return refuse('balance slot not found: the amount does not fit the token')
  return {
    status: 'funded',
    overrides: { [slot.contract]: { stateDiff: { [key]: word } } },
    tolerance: fundingTolerance(slot),
  }
}

function refuse(reason: string): Funding {
  return { status: 'refused', result: unavailable('slot_not_found', reason) }
}

/** The neighbours of a packed balance must stay as they are. */
async function readSlot(
  { rpc, timeoutMs }: { rpc: RpcEndpoint; timeoutMs: number },
  contract: Address,
  key: Hex,
): Promise<Hex | undefined> {
  const call = { method: 'eth_getStorageAt', params: [contract, key, 'latest'] }
  const [outcome] = await rpc.batch([call], { timeoutMs })
  return outcome?.ok && isHex(outcome.result) ? outcome.result : undefined
}
