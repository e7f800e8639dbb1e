import type { Address, Hex } from 'viem'
import type { SettlementTx, StoredSettlement } from '../../store/settlements.ts'
import type { AccessDeps } from '../accessConfig.ts'
import type { PaymentPayload } from './paymentPayload.ts'
import { capWindowMs, judgeCaps, readPrice, type SettleRefusal } from './priceSettlement.ts'
import { resolveSettlement, sendSettlement } from './resolveSettlement.ts'
import {
  type InvalidReason,
  type MatchedPayment,
  matchPayment,
  verifyPayment,
} from './verifyPayment.ts'

export type Settling =
  | {
      readonly status: 'settled'
      readonly txHash: Hex
      readonly payer: Address
      readonly network: string
      readonly amount: string
    }
  | { readonly status: 'pending'; readonly txHash: Hex; readonly network: string }
  | {
      readonly status: 'refused'
      readonly reason:
        | InvalidReason
        | 'invalid_exact_evm_transaction_failed'
        | 'unexpected_settle_error'
      readonly payer: Address
      readonly network: string
    }
  | { readonly status: 'unavailable'; readonly reason: SettleRefusal | 'chain_unreachable' }

const firstPollMs = 25
const longestPollMs = 800
/** A tip that gets a transaction into the next block on chains that need one at all. */
const tipWei = 1_000_000n

/**
 * Brings a signed payment to the chain and credits it to the key, before anything is served for it.
 * The signed settlement is durable before it is sent, so the same payment again (also after a crash)
 * continues this one and never starts another.
 */
export async function settlePayment(
  deps: AccessDeps,
  { payment, keyId, waitMs = 20_000 }: { payment: PaymentPayload; keyId: string; waitMs?: number },
): Promise<Settling> {
  const { network } = payment.accepted
  const payer = payment.payload.authorization.from
  const known = await findKnown(deps, payment)
  if (known && known.keyId !== keyId)
    return { status: 'refused', reason: 'invalid_exact_evm_nonce_already_used', payer, network }
  const started = known ? { settlement: known } : await startSettlement(deps, { payment, keyId })
  if ('status' in started) return started
  const settlement = await waitUntilResolved(deps, started.settlement, waitMs)
  if (settlement.state === 'sent') return { status: 'pending', txHash: settlement.txHash, network }
  if (settlement.state === 'failed')
    return { status: 'refused', reason: 'invalid_exact_evm_transaction_failed', payer, network }
  const { amount } = payment.accepted
  return { status: 'settled', txHash: settlement.txHash, payer, network, amount }
}

/** A payment we have signed for before, also when today's offers have changed since. */
function findKnown(
  { config, store }: Pick<AccessDeps, 'config' | 'store'>,
  { accepted, payload }: PaymentPayload,
): Promise<StoredSettlement | undefined> {
  const contract = config.contracts.find(({ chainId }) => accepted.network === `eip155:${chainId}`)
  if (!contract) return Promise.resolve(undefined)
  const { from, nonce } = payload.authorization
  const { chainId, token } = contract
  return store.settlements.find({ chainId, asset: token.address, payer: from, nonce })
}

async function startSettlement(
  deps: AccessDeps,
  { payment, keyId }: { payment: PaymentPayload; keyId: string },
): Promise<Settling | { readonly settlement: StoredSettlement }> {
  const { network } = payment.accepted
  const payer = payment.payload.authorization.from
  const matched = matchPayment(deps, payment)
  if ('reason' in matched) return { status: 'refused', reason: matched.reason, payer, network }
  const verified = await verifyPayment(matched)
  if (verified.status === 'unreachable') {
    deps.log.warn({ network, reason: verified.reason }, 'a payment could not be verified')
    return { status: 'unavailable', reason: 'chain_unreachable' }
  }
  if (verified.status === 'invalid') {
    // Somebody may have settled this very payment while we looked: then it is known by now.
    const meanwhile = await findKnown(deps, payment)
    if (meanwhile?.keyId === keyId) return { settlement: meanwhile }
    return { status: 'refused', reason: verified.reason, payer, network }
  }
  const reserved = await reserve(deps, { matched, keyId, gas: verified.gas })
  if ('refusal' in reserved) return { status: 'unavailable', reason: reserved.refusal }
  // Lost a race for the same authorization: it belongs to whoever brought it first.
  if (reserved.settlement.keyId !== keyId)
    return { status: 'refused', reason: 'invalid_exact_evm_nonce_already_used', payer, network }
  await sendSettlement(deps, reserved.settlement)
  return reserved
}

async function reserve(
  { store, now, log }: AccessDeps,
  { matched, keyId, gas }: { matched: MatchedPayment; keyId: string; gas: bigint },
): Promise<
  | { readonly settlement: StoredSettlement }
  | { readonly refusal: SettleRefusal | 'chain_unreachable' }
> {
  const { chain, contract, settlement, authorization, calldata } = matched
  const { signer, limits } = settlement
  const facts = await readPrice(chain, { signer, calldata }).catch((error: unknown) => {
    log.warn({ chainId: chain.chainId, reason: (error as Error).name }, 'a settlement has no price')
    return undefined
  })
  if (!facts) return { refusal: 'chain_unreachable' }
  const gasLimit = (gas * 12n) / 10n
  const prices = {
    gasLimit,
    maxFeePerGasWei: 2n * facts.baseFeePerGasWei + tipWei,
    maxPriorityFeePerGasWei: tipWei,
  }
  return store.settlements.reserve<SettleRefusal>(
    {
      chainId: chain.chainId,
      asset: contract.token.address,
      payer: authorization.from,
      nonce: authorization.nonce,
      keyId,
      validBeforeSecs: Number(
        authorization.validBefore > maxSecs ? maxSecs : authorization.validBefore,
      ),
      fromBlock: facts.head,
      calldata,
      signer: signer.address,
      createdAtMs: now(),
      chainNonce: facts.nonce,
      windowMs: capWindowMs,
    },
    (book): SettlementTx | { readonly refusal: SettleRefusal } => {
      const refusal = judgeCaps(limits, { prices, l1FeeWei: facts.l1FeeWei, book })
      if (refusal) return { refusal }
      return { ...signer.sign({ ...prices, calldata, nonce: book.nextNonce }), ...prices }
    },
  )
}

/** Clients may write 2^256 - 1 for "never expires"; the column holds what an integer can. */
const maxSecs = 2n ** 52n

async function waitUntilResolved(
  deps: AccessDeps,
  settlement: StoredSettlement,
  waitMs: number,
): Promise<StoredSettlement> {
  const deadline = performance.now() + waitMs
  let current = settlement
  for (
    let pollMs = firstPollMs;
    current.state === 'sent';
    pollMs = Math.min(2 * pollMs, longestPollMs)
  ) {
    current = await resolveSettlement(deps, current)
    if (current.state !== 'sent' || performance.now() > deadline) return current
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return current
}
