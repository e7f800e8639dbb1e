import type { SignedCall } from '../signing/signCall.ts'
import type { RelayLedger, RelayTransaction } from '../store/relay.ts'
import { type FeeQuote, quoteReplacement } from './fees.ts'
import { firstAnswer, type PricedFacts, type StoppedAt } from './gates.ts'
import { capWindowMs, type RelayLimits } from './limits.ts'
import type { DeployOrder, Signer } from './signer.ts'

/** The transaction a new one would take the place of: this key's, unmined and past its pending window. */
export function findStuck(
  { live, nowMs, signer }: RelayLedger,
  { pendingWindowMs }: Pick<RelayLimits, 'pendingWindowMs'>,
): RelayTransaction | undefined {
  if (live?.status !== 'pending' || live.signer !== signer) return undefined
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
  const { live, deploys, spendWei, oldestMarkedAtMs, nowMs } = ledger
  const stuck = findStuck(ledger, facts.limits)
  const fees = stuck
    ? quoteReplacement(facts.fees, stuck.attempts.at(-1) ?? stuck.attempts[0])
    : facts.fees
  const reliefMs = oldestMarkedAtMs === undefined ? 0 : oldestMarkedAtMs + capWindowMs - nowMs
  const isMarked = live !== undefined && !stuck
  const stopped =
    (stuck && firstAnswer('fees', { ...facts, fees })) ??
    firstAnswer('ledger', {
      limits: facts.limits,
      fees,
      marker: isMarked
        ? { status: 'pending', txHash: currentHash(live), proxy: live.proxy }
        : undefined,
      deploysThisHour: deploys,
      spendThisHourWei: spendWei,
      secsToRelief: Math.max(1, Math.ceil(reliefMs / 1000)),
    })
  return { fees, stopped: stopped ?? judgePause(ledger) }
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

export function signWith(
  signer: Signer,
  { owner, nonce, fees }: Pick<DeployOrder, 'owner' | 'nonce'> & { readonly fees: FeeQuote },
) {
  const { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei, reservedWei } = fees
  const prices = { gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }
  const signed: SignedCall = signer.signDeploy({ owner, nonce, ...prices })
  return { attempt: { ...signed, ...prices }, reservedWei }
}
