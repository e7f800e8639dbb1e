import { getBalance } from 'viem/actions'
import type { RelayStore, RelayTransaction } from '../store/relay.ts'
import type { Broadcaster } from './broadcast.ts'
import type { Observe } from './events.ts'
import { quoteFees, readFees } from './fees.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'
import { findStuck, judgeLedger, signWith } from './signReservation.ts'

type Outcome =
  | { readonly signed: ReturnType<typeof signWith> }
  /** The code of the gate that stands in the way. */
  | { readonly blocked: string }

/**
 * Signs the transaction that holds up all later nonces again, at its own nonce with higher fees, under
 * gates 6, 7, 9 and 10. Answers whether it did; when it may not, the old bytes stay in play.
 */
export async function replaceStuck(
  {
    store,
    chain,
    broadcaster,
    now,
    observe,
  }: {
    readonly store: RelayStore
    readonly chain: RelayChain
    readonly broadcaster: Broadcaster
    readonly now: () => number
    readonly observe: Observe
  },
  { id, owner, nonce, attempts }: RelayTransaction,
): Promise<boolean> {
  const { chainId, client, signer, limits } = chain
  const { factory, address: relayer } = signer
  const [snapshot, relayerBalance] = await Promise.all([
    readFees(client, { relayer, factory, owner }),
    getBalance(client.client, { address: relayer }),
  ])
  const fees = quoteFees(snapshot, { gasUsed: attempts[0].gasLimit, limits })
  const outcome = await store.reserve<Outcome | undefined>(
    {
      chainId,
      owner,
      signer: relayer,
      chainNonce: snapshot.relayerNonce,
      nowMs: now(),
      windowMs: capWindowMs,
      markerMs: limits.pendingWindowMs,
    },
    (ledger) => {
      // Another process may have replaced or settled it since it was read.
      if (findStuck(ledger, limits)?.id !== id) return { kind: 'leave', value: undefined }
      const judged = judgeLedger({ limits, relayerBalance, fees }, ledger)
      if (judged.stopped) {
        const { answer } = judged.stopped
        const code = answer.status === 'refused' ? answer.code : answer.status
        return { kind: 'leave', value: { blocked: code } }
      }
      const signed = signWith(signer, { owner, nonce, fees: judged.fees })
      return { kind: 'replace', id, signed, value: { signed } }
    },
  )
  if (!outcome) return false
  if ('blocked' in outcome) {
    const { hash } = attempts[0]
    observe({ kind: 'replacement_blocked', chainId, hash, code: outcome.blocked })
    return false
  }
  const { attempt, reservedWei } = outcome.signed
  const { hash } = attempt
  observe({ kind: 'signed', chainId, owner, nonce, hash, reservedWei, isReplacement: true })
  await broadcaster.send(attempt)
  return true
}
