import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  isHex,
  toHex,
  zeroAddress,
} from 'viem'
import { fundingTolerance, fundingWord, slotKey } from './balanceSlot/balanceSlot.ts'
import type { SlotResolver } from './balanceSlot/resolveBalanceSlot.ts'
import { type Candidate, heldOf } from './buildBundle.ts'
import { type CandidateResult, chainUnreachable, unavailable } from './classifyOutcome.ts'
import type { FindWhales } from './findWhales.ts'
import { type CallShape, gasOf, type StateOverrides } from './rpc/callShapes.ts'
import type { RpcEndpoint } from './rpc/rpcBatch.ts'

export type Funding =
  | {
      readonly status: 'funded'
      readonly overrides: StateOverrides
      /** Run before everything else: a whale's transfer, where no override does it. */
      readonly prelude: readonly CallShape[]
      /** How much more than asked the taker may show. */
      readonly tolerance: bigint
      /** Whose transfer that is. */
      readonly payer?: Address | undefined
    }
  | { readonly status: 'refused'; readonly result: CandidateResult }

type WhaleDeps = {
  readonly rpc: Pick<RpcEndpoint, 'batch'>
  readonly blockNumber: bigint
  readonly findWhales: FindWhales
  /** Of whom a balance is read; default: all that are known. */
  readonly mostWhales?: number | undefined
}
type Deps = WhaleDeps & {
  readonly rpc: RpcEndpoint
  readonly timeoutMs: number
  readonly slots: SlotResolver
}

/** Whom to give a candidate's input tokens, and who is not to pay for them. */
type Order = {
  readonly candidate: Candidate
  readonly taker: Address
  readonly exceptBy?: Address | undefined
}

/** Whoever is sent the amount may have held some of his own. */
const anyBalance = 2n ** 256n
const emptyWord: Hex = `0x${'0'.repeat(64)}`

/** State overrides that give the taker exactly the candidate's input tokens. */
export async function fundTaker(
  deps: Deps,
  { timeSecs, ...order }: Order & { readonly timeSecs: bigint },
): Promise<Funding> {
  const { candidate, taker } = order
  const { rpc, timeoutMs, slots } = deps
  const token = candidate.tokenIn
  const amount = heldOf(candidate)
  if (candidate.funding === 'real' || token === zeroAddress)
    return { status: 'funded', overrides: {}, prelude: [], tolerance: 0n }
  const verdict = await slots.resolve({ rpc, timeoutMs, token, holder: taker, timeSecs })
  if (verdict.status === 'rpc_error') return { status: 'refused', result: chainUnreachable }
  if (verdict.status === 'not_found') return fundByWhale(deps, order)
  const { slot } = verdict
  const key = slotKey(slot, taker)
  const current =
    slot.widthBits === 256 ? emptyWord : await readSlot({ rpc, timeoutMs }, slot.contract, key)
  if (current === undefined) return { status: 'refused', result: chainUnreachable }
  const word = fundingWord(slot, { amount, current })
  if (word === undefined)
    return unfunded('balance slot not found: the amount does not fit the token')
  return {
    status: 'funded',
    overrides: { [slot.contract]: { stateDiff: { [key]: word } } },
    prelude: [],
    tolerance: fundingTolerance(slot),
  }
}

/** Lets somebody rich, who has no part in the candidate, send the taker the amount. */
export async function fundByWhale(
  { rpc, blockNumber, findWhales, mostWhales }: WhaleDeps,
  { candidate, taker, exceptBy }: Order,
): Promise<Funding> {
  const { tokenIn: token, data, target, spender, ownAmount = 0n } = candidate
  const amount = heldOf(candidate)
  if (ownAmount >= amount)
    return { status: 'funded', overrides: {}, prelude: [], tolerance: anyBalance }
  const involved = [data, target, spender].join('').toLowerCase()
  const whales = await findWhales({ rpc, token, blockNumber, most: mostWhales })
  const whale = whales.find(
    ({ holder, balance }) =>
      balance >= amount && holder !== exceptBy && !involved.includes(holder.slice(2).toLowerCase()),
  )
  if (!whale) return unfunded('balance slot not found')
  const args = [taker, amount] as const
  const transfer: CallShape = {
    from: whale.holder,
    to: token,
    gas: toHex(gasOf.balanceRead),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
  }
  const payer = whale.holder
  return { status: 'funded', overrides: {}, prelude: [transfer], tolerance: anyBalance, payer }
}

function unfunded(reason: string): Funding {
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
