import { getBalance } from 'viem/actions'
import { type Attempt, type Ready, signAndReserve } from '../signing/signAndReserve.ts'
import type { RelayDecision, RelayStore } from '../store/relay.ts'
import type { RelayLedger } from '../store/relayBook.ts'
import type { RelayTransaction } from '../store/relayTransaction.ts'
import type { Broadcaster } from './broadcast.ts'
import type { Observe } from './events.ts'
import { quoteFees, readFees } from './fees.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'
import {
  type DeployWish,
  findStuck,
  judgeLedger,
  type SignedDeploy,
  signWith,
  toWish,
} from './signReservation.ts'

type Outcome =
  | { readonly signed: SignedDeploy }
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
    observe,
  }: {
    readonly store: RelayStore
    readonly chain: RelayChain
    readonly broadcaster: Broadcaster
    readonly observe: Observe
  },
  { id, owner, nonce, attempts }: RelayTransaction,
): Promise<boolean> {
  const { chainId, client, signer, limits, clock } = chain
  const { factory, address: relayer } = signer
  const [snapshot, relayerBalance] = await Promise.all([
    readFees(client, { relayer, factory, owner }),
    getBalance(client.client, { address: relayer }),
  ])
  const fees = quoteFees(snapshot, { gasUsed: attempts[0].gasLimit, limits })
  type Judged = Outcome | undefined
  type Decision = RelayDecision<Attempt<DeployWish, Judged>>
  const leave = (value: Judged): Decision => ({ kind: 'leave', value: { value } })
  const decide = (ledger: RelayLedger, ready: Ready<SignedDeploy> | undefined): Decision => {
    clock.saw(ledger.nowMs)
    // Another process may have replaced or settled it since it was read.
    if (findStuck(ledger, limits)?.id !== id) return leave(undefined)
    const judged = judgeLedger({ limits, relayerBalance, fees }, ledger)
    if (judged.stopped) {
      const { answer } = judged.stopped
      return leave({ blocked: answer.status === 'refused' ? answer.code : answer.status })
    }
    const wish = toWish({ owner, nonce, fees: judged.fees, replaces: id })
    if (ready?.id !== wish.id) return { kind: 'leave', value: { wish } }
    const { signed } = ready
    return { kind: 'replace', id, signed, value: { value: { signed } } }
  }
  const windows = { windowMs: capWindowMs, markerMs: limits.pendingWindowMs }
  const request = { chainId, owner, signer: relayer, chainNonce: snapshot.relayerNonce, ...windows }
  const outcome = await signAndReserve<DeployWish, SignedDeploy, Judged>(signer.turns, {
    reserve: async (ready) => {
      const time = await clock.read(async () => snapshot.timestampMs)
      return store.reserve({ ...request, ...time }, (ledger) => decide(ledger, ready))
    },
    sign: (order) => signWith(signer, order),
  })
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
