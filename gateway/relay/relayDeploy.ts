import type { Address, Hex } from 'viem'
import type { RelayDecision, RelayLedger, RelayStore } from '../store/relay.ts'
import type { Desk } from './createDesk.ts'
import type { DeploySimulation, DeploySimulator } from './deploySimulator.ts'
import type { Observe } from './events.ts'
import { type FeeSnapshot, quoteFees, readFees } from './fees.ts'
import { firstAnswer, type GateAnswer, type PricedFacts, type StoppedAt } from './gates.ts'
import { capWindowMs } from './limits.ts'
import type { RelayChain } from './relayChain.ts'
import { findStuck, judgeLedger, signWith } from './signReservation.ts'

export type RelayDeployDeps = {
  readonly store: RelayStore
  readonly simulator: DeploySimulator
  readonly chain: RelayChain
  readonly desk: Desk
  readonly now: () => number
  readonly observe: Observe
}

export type RelayAnswer =
  | GateAnswer
  | { readonly status: 'deployed'; readonly txHash: Hex; readonly proxy: Address }
  | { readonly status: 'unreachable' }
  /** The database took nothing: nothing was signed that anybody will see. */
  | { readonly status: 'unavailable' }

type Request = { readonly owner: Address; readonly tokenIn: Address; readonly amountIn: bigint }
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

  const reserved = await settle(
    reserve(deps, {
      owner: request.owner,
      proxy: simulated.value.predictedProxy,
      chainNonce: snapshot.value.relayerNonce,
      facts,
    }),
  )
  if ('failed' in reserved) {
    observe({ kind: 'store_failed', chainId, cause: reserved.failed })
    return { status: 'unavailable' }
  }
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

/** Gates 8 to 10, the nonce, the signature and the row: one transaction. */
function reserve(
  { store, chain, now }: RelayDeployDeps,
  {
    owner,
    proxy,
    chainNonce,
    facts,
  }: {
    readonly owner: Address
    readonly proxy: Address
    readonly chainNonce: number
    readonly facts: PricedFacts
  },
): Promise<Reservation> {
  const { chainId, signer, limits } = chain
  const decide = (ledger: RelayLedger): RelayDecision<Reservation> => {
    const { fees, stopped } = judgeLedger(facts, ledger)
    if (stopped) return { kind: 'leave', value: { answer: stopped } }
    const stuck = findStuck(ledger, limits)
    const nonce = stuck?.nonce ?? ledger.nextNonce
    const signed = signWith(signer, { owner, nonce, fees })
    const { attempt, reservedWei } = signed
    const { hash } = attempt
    const value: Reservation = {
      answer: { status: 'deployed', txHash: hash, proxy: stuck?.proxy ?? proxy },
      bytes: { ...attempt, owner, nonce, reservedWei, isReplacement: stuck !== undefined },
    }
    return stuck
      ? { kind: 'replace', id: stuck.id, signed, value }
      : { kind: 'insert', proxy, signed, value }
  }
  const windows = { windowMs: capWindowMs, markerMs: limits.pendingWindowMs }
  const request = { chainId, owner, signer: signer.address, chainNonce, nowMs: now(), ...windows }
  return store.reserve(request, decide)
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

type Settled<value> = { readonly value: value } | { readonly failed: unknown }

/** A rejection as a value, so that a promise awaited later is never unhandled. */
async function settle<value>(promise: Promise<value>): Promise<Settled<value>> {
  try {
    return { value: await promise }
  } catch (failed) {
    return { failed }
  }
}
