import {
  type Address,
  type Hex,
  parseAbi,
  parseEventLogs,
  type RpcLog,
  type TransactionReceipt,
  toEventSelector,
  zeroHash,
} from 'viem'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { QuotaContract } from './accessConfig.ts'

const events = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event QuotaPurchased(bytes32 indexed keyId, address indexed payer, uint256 quotes, uint256 amount, bytes32 ref)',
])

/** One payment inside a transaction: a purchase event with the transfers it stands for, or a bare transfer. */
export type ChainPayment = {
  readonly logIndex: number
  readonly payer: Address
  readonly amount: bigint
  /** keccak256 of the key it was bought for; undefined when bound to none. */
  readonly boundTo: Hex | undefined
  /** EIP-3009 nonce that moved the tokens, if one did. */
  readonly authorization: { readonly from: Address; readonly nonce: Hex } | undefined
}

type Transfer = {
  readonly logIndex: number
  readonly from: Address
  readonly value: bigint
  readonly nonce: Hex | undefined
}

/**
 * The payments of a receipt to one quota contract, by what the trusted token and the contract itself
 * logged. `to` and `value` of the transaction play no part, so routers, multisigs, batches and ERC-4337
 * bundles count; logs of other addresses and of reverted frames don't.
 */
export function readPayments(
  receipt: Pick<TransactionReceipt, 'logs'>,
  {
    address,
    token,
    executor,
  }: Pick<QuotaContract, 'address' | 'token'> & {
    /** Who swaps for the contract; without one, purchases by swap stand for nothing. */
    readonly executor?: Address | undefined
  },
): readonly ChainPayment[] {
  const trusted = receipt.logs.filter(
    (log) => isSameAddress(log.address, token.address) || isSameAddress(log.address, address),
  )
  const pending: Transfer[] = []
  const payments: ChainPayment[] = []
  let used: { from: Address; nonce: Hex } | undefined
  for (const log of parseEventLogs({ abi: events, logs: trusted })) {
    const isToken = isSameAddress(log.address, token.address)
    if (log.eventName === 'AuthorizationUsed' && isToken)
      used = { from: log.args.authorizer, nonce: log.args.nonce }
    else if (log.eventName === 'Transfer' && isToken) {
      const { from, to, value } = log.args
      const nonce = used && isSameAddress(used.from, from) ? used.nonce : undefined
      used = undefined
      if (isSameAddress(to, address)) pending.push({ logIndex: log.logIndex, from, value, nonce })
    } else if (log.eventName === 'QuotaPurchased' && !isToken) {
      const { keyId, payer, amount, ref } = log.args
      const nonce = ref === zeroHash ? undefined : ref
      payments.push({
        logIndex: log.logIndex,
        payer,
        amount: takeTransfer(pending, { payer, amount, nonce, executor }),
        boundTo: keyId === zeroHash ? undefined : keyId,
        authorization: undefined,
      })
    }
  }
  return [...payments, ...pending.map(toPlainPayment)].sort((a, b) => a.logIndex - b.logIndex)
}

/** What a log of a receipt says was paid; undefined where it is no payment's. */
export function readPaidAmount(logs: readonly RpcLog[], logIndex: number): bigint | undefined {
  const logged = logs.filter((log) => Number(log.logIndex) === logIndex)
  const [log] = parseEventLogs({ abi: events, logs: logged })
  if (log?.eventName === 'Transfer') return log.args.value
  return log?.eventName === 'QuotaPurchased' ? log.args.amount : undefined
}

const hasEvent = (...names: readonly string[]) => {
  const known: readonly unknown[] = names.map((name) => toEventSelector(name))
  return ({ logs }: Pick<TransactionReceipt, 'logs'>): boolean =>
    logs.some(({ topics }) => known.includes(topics[0]))
}

/**
 * Whether a bundler sent the transaction for others (ERC-4337). Whatever contract logged it: somebody else's
 * log can only take a sender's proof away, never give one.
 */
export const isBundle = hasEvent(
  'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
)

/** Whether a Safe's owners or a module of theirs had it do what the transaction does: anybody may carry that. */
export const isSafeCall = hasEvent(
  'ExecutionSuccess(bytes32,uint256)',
  'ExecutionFromModuleSuccess(address)',
)

/**
 * Takes the transfer that a purchase stands for: its payer's own, or of a purchase by swap the executor's. Who
 * buys by swap runs what it likes meanwhile, and may carry in what others have signed: that stays a payment of
 * theirs. Never credits what did not come.
 */
function takeTransfer(
  pending: Transfer[],
  {
    payer,
    amount,
    nonce,
    executor,
  }: {
    readonly payer: Address
    readonly amount: bigint
    readonly nonce: Hex | undefined
    readonly executor: Address | undefined
  },
): bigint {
  const fitting = pending.filter((one) => one.value === amount && one.nonce === nonce)
  const taken =
    fitting.findLast(({ from }) => isSameAddress(from, payer)) ??
    fitting.findLast(({ from }) => executor && isSameAddress(from, executor))
  if (!taken) return 0n
  pending.splice(pending.indexOf(taken), 1)
  return amount
}

const toPlainPayment = ({ logIndex, from, value, nonce }: Transfer): ChainPayment => ({
  logIndex,
  payer: from,
  amount: value,
  boundTo: undefined,
  authorization: nonce && { from, nonce },
})
