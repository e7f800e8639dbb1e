import type { Address, Hex } from 'viem'
import { isSameAddress } from '../chain/sameAddress.ts'
import type { Engine } from './engine.ts'
import { createNonces, type Nonces, readFillWindow } from './nonces.ts'
import type { Program } from './program.ts'
import {
  bookOf,
  noteRow,
  type RelayLedger,
  type Requests,
  type ReserveRequest,
  readBook,
  readOwners,
  toLedger,
} from './relayBook.ts'
import {
  advanceTime,
  createRelayClock,
  type Pace,
  type RelayClock,
  readTime,
} from './relayClock.ts'
import { lockChain } from './relayNonce.ts'
import { type BookRow, lowerAddress, readWindow, toTransactions } from './relayRows.ts'
import { mostTogether, relayStatements as statements } from './relayStatements.ts'
import type { RelayAttempt, RelayStatus, RelayTransaction } from './relayTransaction.ts'
import { createSharedCaps, type SharedCapsStore } from './sharedCaps.ts'
import { createTogether } from './together.ts'

type Signed = { readonly attempt: RelayAttempt; readonly reservedWei: bigint }

export type RelayDecision<value> =
  | { readonly kind: 'leave'; readonly value: value }
  | {
      readonly kind: 'insert'
      readonly proxy: Address
      readonly signed: Signed
      readonly value: value
    }
  | {
      readonly kind: 'replace'
      readonly id: number
      readonly signed: Signed
      readonly value: value
    }

export type RelayOutcome =
  | {
      readonly status: 'mined' | 'failed' | 'final' | 'final_failed'
      readonly blockNumber: bigint
      readonly blockHash: Hex
      readonly minedHash: Hex
      readonly actualWei: bigint
    }
  /** `final`: without a receipt; what it cost counts as its worst case. */
  | { readonly status: 'pending' | 'lost' | 'final' }

export type RelayTotals = {
  /** The book's time. */
  readonly nowMs: number
  readonly deploys: number
  readonly spendWei: bigint
  readonly oldestMarkedAtMs: number | undefined
  readonly open: number
  readonly lost: number
  readonly pausedReason: string | undefined
}

export type RelayStore = Nonces &
  RelayClock &
  SharedCapsStore & {
    /**
     * Alone on its chain, in one transaction with what arrives together: reads the ledger, lets `decide` judge,
     * writes what it decided, one after the other in the order asked. When this resolves, the signed bytes are durable; nothing may be sent before. `decide` may run
     * more than once (a deadlock, a lost connection); what it said last counts.
     */
    reserve<value>(
      request: ReserveRequest,
      decide: (ledger: RelayLedger) => RelayDecision<value>,
    ): Promise<value>
    /** The ledger as `reserve` would read it now. Nothing is written, and nobody is held up or waited for. */
    look(request: ReserveRequest): Promise<RelayLedger>
    /** Not yet final, lowest nonce first. */
    listOpen(chainId: number): Promise<readonly RelayTransaction[]>
    /** Final or lost at or above this nonce: what a chain that lost blocks has forgotten, or waits for. */
    listForgotten(request: {
      readonly chainId: number
      readonly signer: Address
      readonly chainNonce: number
    }): Promise<readonly RelayTransaction[]>
    /** Newest first. */
    listLatest(request: {
      readonly chainId?: number | undefined
      readonly limit: number
    }): Promise<readonly RelayTransaction[]>
    /** Does nothing when another process has moved the row on from `from` meanwhile. */
    settle(request: {
      readonly id: number
      readonly from: RelayStatus
      readonly outcome: RelayOutcome
    }): Promise<void>
    totals(request: {
      readonly chainId: number
      readonly nowMs: number
      readonly pace?: Pace | undefined
      readonly windowMs: number
    }): Promise<RelayTotals>
    pause(request: {
      readonly chainId: number
      readonly reason: string
      readonly nowMs: number
    }): Promise<void>
    resume(chainId: number): Promise<void>
  }

function* load(rows: Program<readonly BookRow[]>): Program<readonly RelayTransaction[]> {
  return toTransactions(yield* rows)
}

function* addAttempt(id: number, { attempt }: Signed, nowMs: number): Program<void> {
  const { hash, raw, gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei } = attempt
  const fees = [gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei].map(String)
  yield* statements.insertAttempt.run(hash, id, id, raw, ...fees, nowMs)
}

type ReserveJob = {
  readonly request: ReserveRequest
  readonly decide: (ledger: RelayLedger) => RelayDecision<unknown>
}
type WrittenRow = Parameters<typeof noteRow>[1]

function* insert(
  request: ReserveRequest,
  { proxy, signed }: Extract<RelayDecision<unknown>, { readonly kind: 'insert' }>,
  { nowMs, nextNonce }: RelayLedger,
): Program<WrittenRow> {
  const row = yield* statements.insert.get(
    request.chainId,
    lowerAddress(request.owner),
    lowerAddress(request.signer),
    nextNonce,
    lowerAddress(proxy),
    nowMs,
    nowMs,
    String(signed.reservedWei),
  )
  if (!row) throw new Error('a relay transaction just written is not there')
  yield* addAttempt(row.id, signed, nowMs)
  return { id: row.id, nonce: nextNonce, reservedWei: signed.reservedWei }
}

function* replace(
  { id, signed }: Extract<RelayDecision<unknown>, { readonly kind: 'replace' }>,
  { nowMs }: RelayLedger,
): Program<WrittenRow> {
  const { reservedWei } = signed
  yield* statements.remark.run(nowMs, String(reservedWei), id)
  yield* addAttempt(id, signed, nowMs)
  return { id, reservedWei }
}

const write = (
  request: ReserveRequest,
  decision: Exclude<RelayDecision<unknown>, { readonly kind: 'leave' }>,
  ledger: RelayLedger,
) => (decision.kind === 'insert' ? insert(request, decision, ledger) : replace(decision, ledger))

function* settle({ id, from, outcome }: Parameters<RelayStore['settle']>[0]): Program<void> {
  const row = yield* statements.find.get(id)
  if (!row) return
  yield* lockChain(row.chain_id)
  const { status } = outcome
  const mined = 'minedHash' in outcome ? outcome : undefined
  yield* statements.settle.run({
    id,
    from,
    status,
    isLive: status === 'pending' || status === 'mined' ? 1 : 0,
    blockNumber: mined ? Number(mined.blockNumber) : null,
    blockHash: mined?.blockHash ?? null,
    minedHash: mined?.minedHash ?? null,
    actualWei: mined ? String(mined.actualWei) : null,
  })
}

/** The relay's book. Several processes may hold it: who takes a nonce or spends is alone on the chain. */
export function createRelayStore(engine: Engine): RelayStore {
  function* readTimes(requests: Requests) {
    const latestMs = Math.max(...requests.map(({ nowMs }) => nowMs))
    const callerMs = yield* engine.clock(latestMs)
    return requests.map(({ pace }) => ({ callerMs, pace }))
  }

  function* reserveAll(jobs: readonly [ReserveJob, ...ReserveJob[]]): Program<readonly unknown[]> {
    const [first, ...others] = jobs
    const requests: Requests = [first.request, ...others.map(({ request }) => request)]
    const [{ chainId }] = requests
    yield* lockChain(chainId)
    const time = yield* advanceTime(chainId, yield* readTimes(requests))
    const book = yield* readBook(requests, time)
    let ofOwners = yield* readOwners(requests, time)
    const values: unknown[] = []
    for (const [index, { request, decide }] of jobs.entries()) {
      const ledger = toLedger(book, { request, ofOwners })
      const decision = decide(ledger)
      values.push(decision.value)
      if (decision.kind === 'leave') continue
      noteRow(book, yield* write(request, decision, ledger))
      const isAskedAgain = requests
        .slice(index + 1)
        .some(({ owner }) => isSameAddress(owner, request.owner))
      if (isAskedAgain) ofOwners = yield* readOwners(requests, time)
    }
    return values
  }

  const reserve = createTogether(
    (jobs: readonly [ReserveJob, ...ReserveJob[]]) => engine.write(() => reserveAll(jobs)),
    { kindOf: ({ request }) => bookOf(request), most: mostTogether },
  )
  const look = createTogether((requests: Requests) => engine.snapshot(() => lookAll(requests)), {
    kindOf: bookOf,
    most: mostTogether,
  })

  function* lookAll(requests: Requests): Program<readonly RelayLedger[]> {
    const [{ chainId }] = requests
    const time = yield* readTime(chainId, yield* readTimes(requests))
    const book = yield* readBook(requests, time)
    const ofOwners = yield* readOwners(requests, time)
    return requests.map((request) => toLedger(book, { request, ofOwners }))
  }

  function* readTotals({
    chainId,
    nowMs,
    pace,
    windowMs,
  }: Parameters<RelayStore['totals']>[0]): Program<RelayTotals> {
    const callerMs = yield* engine.clock(nowMs)
    const { nowMs: now, pausedReason } = yield* readTime(chainId, [{ callerMs, pace }])
    const hour = readWindow(yield* statements.window.all(chainId, now - windowMs))
    const filled = yield* readFillWindow({ chainId, afterMs: now - windowMs })
    return {
      nowMs: now,
      ...hour,
      spendWei: hour.spendWei + filled.spendWei,
      open: yield* statements.inStatus.count(chainId, 'pending'),
      lost: yield* statements.inStatus.count(chainId, 'lost'),
      pausedReason,
    }
  }

  return {
    ...createNonces(engine),
    ...createRelayClock(engine),
    ...createSharedCaps(engine, 'deployments'),
    // The flight forgets the type that this call's decision keeps.
    reserve: async <value>(request: ReserveRequest, decide: ReserveJob['decide']) =>
      (await reserve({ request, decide })) as value,
    look,
    listOpen: (chainId) => engine.read(() => load(statements.open.all(chainId))),
    listForgotten: ({ chainId, signer, chainNonce }) =>
      engine.read(() => load(statements.forgotten.all(chainId, lowerAddress(signer), chainNonce))),
    listLatest: ({ chainId, limit }) =>
      engine.read(() => load(statements.latest.all(chainId ?? null, limit))),
    settle: (request) => engine.write(() => settle(request)),
    totals: (request) => engine.read(() => readTotals(request)),
    pause: ({ chainId, reason, nowMs }) =>
      engine.write(function* () {
        yield* statements.pause.run(chainId, reason, nowMs)
      }),
    resume: (chainId) =>
      engine.write(function* () {
        yield* statements.resume.run(chainId)
      }),
  }
}
