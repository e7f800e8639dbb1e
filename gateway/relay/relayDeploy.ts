import type { Address, Hex } from 'viem'
import { type Attempt, type Ready, signAndReserve } from '../signing/signAndReserve.ts'
import type { RelayDecision, RelayStore } from '../store/relay.ts'
import type { RelayLedger } from '../store/relayBook.ts'
import type { Admission, Asker } from './admission.ts'
import type { DeploySimulation, DeploySimulator } from './deploySimulator.ts'
import type { Desk } from './desk.ts'
import type { Observe } from './events.ts'
import { type FeeSnapshot, quoteFees, readFees } from './fees.ts'
import { firstAnswer, type GateAnswer, type PricedFacts, type StoppedAt } from './gates.ts'
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

export type RelayDeployDeps = {
  readonly store: RelayStore
  readonly simulator: DeploySimulator
  readonly chain: RelayChain
  readonly desk: Desk
  readonly observe: Observe
  /** What operators ask beside the gates. */
  readonly admit: (p: {
    readonly chain: RelayChain
    readonly owner: Address
    readonly asker: Asker | undefined
  }) => Promise<Admission>
}

export type RelayAnswer =
  | GateAnswer
  | { readonly status: 'deployed'; readonly txHash: Hex; readonly proxy: Address }
  | { readonly status: 'unreachable' }
  /** The database took nothing: nothing was signed that anybody will see. */
  | { readonly status: 'unavailable' }

type Request = {
  readonly owner: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
  /** For what operators may ask beside the gates. */
  readonly asker?: Asker | undefined
}
type Bytes = {
  readonly hash: Hex
  readonly raw: Hex
  readonly owner: Address
  readonly nonce: number
  readonly reservedWei: bigint
  readonly isReplacement: boolean
}

/**
 * Sponsors the deployment of an owner's proxy: the ten gates in order, then at most one transaction.
 * Returns when the signed bytes are durable and offered to the chain; never waits for mining.
 */
export async function relayDeploy(deps: RelayDeployDeps, request: Request): Promise<RelayAnswer> {
  const { chain, observe } = deps
  const { chainId } = chain
  // Both are read at once; a failed fee reading matters only from gate 6 on.
  const feesRead = settle(readFees(chain.client, feeRequest(chain, request.owner)))
  const simulated = await settle(simulate(deps, request))
  if ('failed' in simulated) return unreachable(deps, simulated.failed)
  const early = firstAnswer('simulation', {
    ...simulated.value,
    limits: chain.limits,
    amountIn: request.amountIn,
  })
  if (early) return stop(deps, early)
  const snapshot = await feesRead
  if ('failed' in snapshot) return unreachable(deps, snapshot.failed)
  const facts = price(deps, simulated.value, snapshot.value)
  const priced = firstAnswer('fees', facts)
  if (priced) return stop(deps, priced)

  const told = await settle(chain.tellCaps())
  if ('failed' in told) return untaken(deps, told.failed)
  const proven = await settle(chain.provenNonce(snapshot.value.relayerNonce))
  if ('failed' in proven) return untaken(deps, proven.failed)
  if (proven.value === undefined) return { status: 'unreachable' }
  const { owner, asker } = request
  const admitted = await settle(deps.admit({ chain, owner, asker }))
  if ('failed' in admitted) return unreachable(deps, admitted.failed)
  const admission = admitted.value
  const reserved = await settle(
    reserve(deps, {
      admission,
      owner: request.owner,
      proxy: simulated.value.predictedProxy,
      chainNonce: proven.value,
      headMs: snapshot.value.timestampMs,
      facts,
    }),
  )
  const made = 'value' in reserved ? reserved.value.bytes : undefined
  await settle(admission.conclude(made !== undefined && !made.isReplacement))
  if ('failed' in reserved) return untaken(deps, reserved.failed)
  const { answer, bytes } = reserved.value
  if ('step' in answer) return stop(deps, answer)
  if (bytes) {
    const { owner, nonce, hash, reservedWei, isReplacement } = bytes
    observe({ kind: 'signed', chainId, owner, nonce, hash, reservedWei, isReplacement })
    await deps.desk.offer(bytes)
  }
  observe({ kind: 'answered', chainId, step: undefined, code: 'deployed' })
  return answer
}

function simulate({ simulator, chain }: RelayDeployDeps, { owner, tokenIn }: Request) {
  const { chainId, signer } = chain
  const { factory, address: relayer } = signer
  return simulator.simulateDeploy({ chainId, factory, owner, tokenIn, relayer })
}

const feeRequest = ({ signer }: RelayChain, owner: Address) => ({
  relayer: signer.address,
  factory: signer.factory,
  owner,
})

function price(
  { chain: { limits } }: RelayDeployDeps,
  { deploy, relayerBalance }: DeploySimulation,
  snapshot: FeeSnapshot,
): PricedFacts {
  const gasUsed = deploy.status === 'ok' ? deploy.gasUsed : BigInt(limits.gasCap)
  return { limits, relayerBalance, fees: quoteFees(snapshot, { gasUsed, limits }) }
}

type Reservation = {
  readonly answer: StoppedAt | Extract<RelayAnswer, { status: 'deployed' }>
  readonly bytes?: Bytes
}

/** Gates 8 to 10, the nonce, and the row with bytes that are signed for just that: one transaction. */
function reserve(
  { store, chain }: RelayDeployDeps,
  {
    owner,
    proxy,
    chainNonce,
    headMs,
    facts,
    admission,
  }: {
    readonly admission: Admission
    readonly owner: Address
    readonly proxy: Address
    readonly chainNonce: number
    readonly headMs: number
    readonly facts: PricedFacts
  },
): Promise<Reservation> {
  const { chainId, signer, limits, clock } = chain
  type Decision = RelayDecision<Attempt<DeployWish, Reservation>>
  const decide = (ledger: RelayLedger, ready: Ready<SignedDeploy> | undefined): Decision => {
    const { fees, stopped } = judgeLedger(facts, ledger)
    if (stopped) return { kind: 'leave', value: { value: { answer: stopped } } }
    const stuck = findStuck(ledger, limits)
    // After all gates, and only for what is new: their answers stay the document's.
    const unwanted = stuck
      ? undefined
      : admission.judge({ spendWei: ledger.spendWei + fees.reservedWei })
    if (unwanted) return { kind: 'leave', value: { value: { answer: unwanted } } }
    const nonce = stuck?.nonce ?? ledger.nextNonce
    const wish = toWish({ owner, nonce, fees, replaces: stuck?.id })
    if (ready?.id !== wish.id) return { kind: 'leave', value: { wish } }
    const { signed } = ready
    const { attempt, reservedWei } = signed
    const answer = {
      status: 'deployed',
      txHash: attempt.hash,
      proxy: stuck?.proxy ?? proxy,
    } as const
    const bytes = { ...attempt, owner, nonce, reservedWei, isReplacement: stuck !== undefined }
    const value = { value: { answer, bytes } }
    return stuck
      ? { kind: 'replace', id: stuck.id, signed, value }
      : { kind: 'insert', proxy, signed, value }
  }
  const windows = { windowMs: capWindowMs, markerMs: limits.pendingWindowMs }
  const request = { chainId, owner, signer: signer.address, chainNonce, ...windows }
  return signAndReserve<DeployWish, SignedDeploy, Reservation>(signer.turns, {
    reserve: async (ready) => {
      const time = await clock.read(async () => headMs)
      // Only what is booked moves the book's clock on.
      if (!ready) return decide(await store.look({ ...request, ...time }), undefined).value
      return store.reserve({ ...request, ...time }, (ledger) => {
        clock.saw(ledger.nowMs)
        return decide(ledger, ready)
      })
    },
    sign: (order) => signWith(signer, order),
    isTaken: ({ bytes }) => bytes !== undefined && !bytes.isReplacement,
  })
}

function stop({ chain, observe }: RelayDeployDeps, { step, answer }: StoppedAt): GateAnswer {
  const code = answer.status === 'refused' ? answer.code : answer.status
  observe({ kind: 'answered', chainId: chain.chainId, step, code })
  return answer
}

function unreachable({ chain, observe }: RelayDeployDeps, cause: unknown): RelayAnswer {
  observe({ kind: 'chain_unreachable', chainId: chain.chainId, cause })
  return { status: 'unreachable' }
}

function untaken({ chain, observe }: RelayDeployDeps, cause: unknown): RelayAnswer {
  observe({ kind: 'store_failed', chainId: chain.chainId, cause })
  return { status: 'unavailable' }
}

type Settled<value> = { readonly value: value } | { readonly failed: unknown }

/** A rejection as a value, so that a promise awaited later is never unhandled. */
async function settle<value>(promise: Promise<value>): Promise<Settled<value>> {
  try {
    return { value: await promise }
  } catch (failed) {
    return { failed }
  }
}
