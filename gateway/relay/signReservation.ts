import type { Wish } from '../signing/signAndReserve.ts'
import type { SignedCall } from '../signing/signCall.ts'
import type { RelayLedger } from '../store/relayBook.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'
import { lowest } from '../store/sharedCaps.ts'
import { type FeeQuote, quoteReplacement } from './fees.ts'
import { firstAnswer, type LedgerFacts, type PricedFacts, type StoppedAt } from './gates.ts'
import { capWindowMs, type RelayLimits, toCaps } from './limits.ts'
import type { DeployOrder, Signer } from './signer.ts'

/**
 * The transaction a new one would take the place of: this key's, unmined and past its pending window. Not one
 * whose nonce is used: a signature for it would cost the hour's budget and never be mined.
 */
export function findStuck(
  { live, nowMs, signer, chainNonce }: RelayLedger,
  { pendingWindowMs }: Pick<RelayLimits, 'pendingWindowMs'>,
): RelayTransaction | undefined {
  if (live?.status !== 'pending' || live.signer !== signer) return undefined
  if (live.nonce < chainNonce) return undefined
  return nowMs - live.markedAtMs >= pendingWindowMs ? live : undefined
}

/** The hash a caller should watch: the mined one, or the latest of those that share the nonce. */
export function currentHash({ attempts, minedHash }: RelayTransaction) {
  return minedHash ?? (attempts.at(-1) ?? attempts[0]).hash
}

/** Gates 8 to 10, and 6 and 7 again where the fees of a replacement are higher than those judged before. */
export function judgeLedger(
  facts: PricedFacts,
  ledger: RelayLedger,
): { readonly fees: FeeQuote; readonly stopped: StoppedAt | undefined } {
  const stuck = findStuck(ledger, facts.limits)
  const own = toLedgerFacts(facts, ledger)
  const { fees } = own
  const stopped = (stuck && firstAnswer('fees', { ...facts, fees })) ?? firstAnswer('ledger', own)
  return { fees, stopped: stopped ?? judgePause(ledger) ?? judgeGap(ledger, stuck) }
}

/** What gates 8 to 10 are decided on; the fees are those of a replacement where there is one to be. */
export function toLedgerFacts(facts: PricedFacts, ledger: RelayLedger): LedgerFacts {
  const { live, deploys, spendWei, oldestMarkedAtMs, nowMs } = ledger
  const stuck = findStuck(ledger, facts.limits)
  const reliefMs = oldestMarkedAtMs === undefined ? 0 : oldestMarkedAtMs + capWindowMs - nowMs
  const isMarked = live !== undefined && !stuck
  return {
    limits: toHeld(facts.limits, ledger),
    fees: stuck
      ? quoteReplacement(facts.fees, stuck.attempts.at(-1) ?? stuck.attempts[0])
      : facts.fees,
    marker: isMarked
      ? { status: 'pending', txHash: currentHash(live), proxy: live.proxy }
      : undefined,
    deploysThisHour: deploys,
    spendThisHourWei: spendWei,
    secsToRelief: Math.max(1, Math.ceil(reliefMs / 1000)),
  }
}

function toHeld(limits: RelayLimits, { lowestCaps }: RelayLedger): RelayLimits {
  const { maxPerHour: maxDeploysPerHour, maxSpendPerHourWei } = lowest(toCaps(limits), lowestCaps)
  return { ...limits, maxDeploysPerHour, maxSpendPerHourWei }
}

/** Not a gate of the document: the operator's switch, after all of them, so that answers stay true. */
function judgePause({ pausedReason }: RelayLedger): StoppedAt | undefined {
  if (pausedReason === undefined) return undefined
  return {
    step: 11,
    answer: {
      status: 'refused',
      httpStatus: 503,
      code: 'relay_paused',
      sentence: 'relay is paused on this chain',
      retryAfterSecs: 60,
    },
  }
}

/** Signed now, it would wait behind a nonce that nobody uses: the caller's wallet is faster. */
function judgeGap(
  { missingNonce }: RelayLedger,
  stuck: RelayTransaction | undefined,
): StoppedAt | undefined {
  if (missingNonce === undefined || (stuck && stuck.nonce < missingNonce)) return undefined
  return {
    step: 12,
    answer: {
      status: 'refused',
      httpStatus: 503,
      code: 'nonce_gap',
      sentence: 'relay waits for a missing transaction on this chain',
      retryAfterSecs: 15,
    },
  }
}

/** A deployment to be signed: a new one, or one in the place of `replaces`. */
export type DeployWish = Pick<DeployOrder, 'owner' | 'nonce'> & {
  readonly fees: FeeQuote
  readonly replaces: number | undefined
}

export type SignedDeploy = Awaited<ReturnType<typeof signWith>>

export const toWish = (order: DeployWish): Wish<DeployWish> => {
  const { owner, nonce, replaces, fees } = order
  const { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei, reservedWei } = fees
  const prices = [gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei, reservedWei]
  const id = [owner, nonce, replaces, ...prices].join()
  if (replaces !== undefined) return { id, order }
  return { id, order, next: { nonce, at: (later) => toWish({ ...order, nonce: later }) } }
}

export async function signWith(signer: Signer, { owner, nonce, fees }: DeployWish) {
  const { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei, reservedWei } = fees
  const prices = { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }
  const signed: SignedCall = await signer.signDeploy({ owner, nonce, ...prices })
  return { attempt: { ...signed, ...prices }, reservedWei }
}
