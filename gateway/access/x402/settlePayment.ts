import type { Address, Hex } from 'viem'
import { proveNonce } from '../../signing/proveNonce.ts'
import { type Ready, signAndReserve, type Wish } from '../../signing/signAndReserve.ts'
import type { SettlementBook, SettlementTx, StoredSettlement } from '../../store/settlements.ts'
import type { AccessDeps, SettlementOrder } from '../sale/accessConfig.ts'
import type { PaymentPayload } from './paymentPayload.ts'
import {
  capWindowMs,
  judgeSettlement,
  readPrice,
  type SettleRefusal,
  settlementPrices,
} from './priceSettlement.ts'
import { resolveSettlement, sendSettlement } from './resolveSettlement.ts'
import { settlementClock } from './settlementClock.ts'
import { unminedForMs } from './sightings.ts'
import { tellSettlementCaps } from './tellSettlementCaps.ts'
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
        | 'invalid_exact_evm_payer_barred'
        | 'unexpected_settle_error'
      readonly payer: Address
      readonly network: string
    }
  | { readonly status: 'unavailable'; readonly reason: SettleRefusal | 'chain_unreachable' }

const firstPollMs = 25
const longestPollMs = 800

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
async function findKnown(
  { config, store }: Pick<AccessDeps, 'config' | 'store'>,
  { accepted, payload }: PaymentPayload,
): Promise<StoredSettlement | undefined> {
  const contract = config.contracts.find(({ chainId }) => accepted.network === `eip155:${chainId}`)
  if (!contract) return undefined
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
  const { gas, payerCode } = verified
  const reserved = await reserve(deps, { matched, keyId, gas, payerCode })
  if ('refusal' in reserved) {
    const { refusal } = reserved
    if (refusal === 'barred')
      return { status: 'refused', reason: 'invalid_exact_evm_payer_barred', payer, network }
    return { status: 'unavailable', reason: refusal }
  }
  // Lost a race for the same authorization: it belongs to whoever brought it first.
  if (reserved.settlement.keyId !== keyId)
    return { status: 'refused', reason: 'invalid_exact_evm_nonce_already_used', payer, network }
  const { signer } = matched.settlement
  unminedForMs(signer, { settlement: reserved.settlement, nowMs: deps.now() })
  await sendSettlement(deps, reserved.settlement)
  return reserved
}

type Reserved =
  | { readonly settlement: StoredSettlement }
  | { readonly refusal: SettleRefusal | 'chain_unreachable' }

async function reserve(
  { store, now, bookNow, log }: AccessDeps,
  {
    matched,
    keyId,
    gas,
    payerCode,
  }: { matched: MatchedPayment; keyId: string; gas: bigint; payerCode: Hex | undefined },
): Promise<Reserved> {
  const { chain, contract, settlement, authorization, calldata } = matched
  const { signer, limits } = settlement
  // Older than the head by which it judges its machine.
  const clock = settlementClock({ store, now, bookNow, log }, signer)
  const facts = await readPrice(chain, { signer, calldata }).catch((error: unknown) => {
    log.warn({ chainId: chain.chainId, reason: (error as Error).name }, 'a settlement has no price')
    return undefined
  })
  if (!facts) return { refusal: 'chain_unreachable' }
  const { chainId } = chain
  const known = (await store.nonces.highestNonce({ chainId, signer: signer.address })) + 1
  const claim = { signer: signer.address, claimed: facts.nonce, known }
  const chainNonce = await proveNonce(chain, claim).catch(() => undefined)
  if (chainNonce === undefined) {
    log.warn({ chainId, ...claim }, 'nothing bears out the next nonce that a node says')
    return { refusal: 'chain_unreachable' }
  }
  await tellSettlementCaps({ store, now, log }, settlement)
  const prices = settlementPrices({ gas, facts })
  const request = {
    chainId: chain.chainId,
    asset: contract.token.address,
    payer: authorization.from,
    nonce: authorization.nonce,
    keyId,
    payerCode,
    validBeforeSecs: Number(
      authorization.validBefore > maxSecs ? maxSecs : authorization.validBefore,
    ),
    fromBlock: facts.head,
    calldata,
    signer: signer.address,
    chainNonce,
    windowMs: capWindowMs,
  }
  type Wished = { readonly refusal: SettleRefusal } | { readonly wish: Wish<SettlementOrder> }
  const judge = (
    book: SettlementBook,
    ready: Ready<SettlementTx> | undefined,
  ): SettlementTx | { readonly refusal: Wished } => {
    clock.saw(book.nowMs)
    const packAmount = authorization.value
    const refusal = judgeSettlement(limits, { prices, facts, book, packAmount })
    if (refusal) return { refusal: { refusal } }
    const nonce = book.nextNonce
    const id = String(nonce)
    return ready?.id === id
      ? ready.signed
      : { refusal: { wish: { id, order: { ...prices, calldata, nonce } } } }
  }
  return signAndReserve<SettlementOrder, SettlementTx, Reserved>(signer.turns, {
    async reserve(ready) {
      const { nowMs: createdAtMs, pace } = await clock.read(async () => facts.timestampMs)
      const given = { ...request, createdAtMs, pace }
      const kept = await store.settlements.reserve<Wished>(given, (book) => judge(book, ready))
      if ('settlement' in kept) return { value: kept }
      return 'wish' in kept.refusal ? kept.refusal : { value: kept.refusal }
    },
    sign: async (order) => ({ ...(await signer.sign(order)), ...prices }),
  })
}

/** Clients may write 2^256 - 1 for "never expires"; the column holds what an integer can. */
const maxSecs = 2n ** 52n

async function waitUntilResolved(
  deps: AccessDeps,
  settlement: StoredSettlement,
  waitMs: number,
): Promise<StoredSettlement> {
  const deadline = performance.now() + waitMs
  // Its block may be gone since, and in another one it may have paid.
  let current =
    settlement.state === 'failed' ? await resolveSettlement(deps, settlement) : settlement
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
