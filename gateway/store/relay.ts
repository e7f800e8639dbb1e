import type { Address, Hex } from 'viem'
import { isSameAddress } from '../chain/sameAddress.ts'
import type { Engine } from './engine.ts'
import { createNonces, type Nonces, readFillWindow } from './nonces.ts'
import { type Program, together } from './program.ts'
import {
  bookOf,
  noteRow,
  type RelayBook,
  type RelayLedger,
  type Requests,
  type ReserveRequest,
  readBook,
  readOwners,
  toLedger,
  toTime,
} from './relayBook.ts'
import {
  createRelayClock,
  type Pace,
  type RelayClock,
  readPaced,
  readStored,
  storeTime,
} from './relayClock.ts'
import { lockChain } from './relayNonce.ts'
import {
  type BookRow,
  lowerAddress,
  readWindow,
  toTransactions,
  type WindowRow,
} from './relayRows.ts'
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
     * and writes what it decided, one after the other in the order asked. When this resolves, the signed bytes
     * are durable; nothing may be sent before. `decide` may run more than once (a deadlock, a lost connection);
     * what it said last counts.
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
    /**
     * Whether it did: nothing where another process has moved the row on from `from` meanwhile, or its owner has
     * another that lives.
     */
    settle(request: {
      readonly id: number
      readonly from: RelayStatus
      readonly outcome: RelayOutcome
    }): Promise<boolean>
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

const feesOf = ({ gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei }: RelayAttempt) =>
  [gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei].map(String)

function* addAttempt(id: number, { attempt }: Signed, nowMs: number): Program<void> {
  const { hash, raw } = attempt
  yield* statements.insertAttempt.run(hash, id, id, raw, ...feesOf(attempt), nowMs)
}

type ReserveJob = {
  readonly request: ReserveRequest
  readonly decide: (ledger: RelayLedger) => RelayDecision<unknown>
}

function* insert(
  row: WindowRow,
  {
    request,
    decision: {
      proxy,
      signed: { attempt, reservedWei },
    },
    ledger: { nowMs, nextNonce },
  }: {
    readonly request: ReserveRequest
    readonly decision: Extract<RelayDecision<unknown>, { readonly kind: 'insert' }>
    readonly ledger: RelayLedger
  },
): Program<void> {
  const { chainId } = request
  const [owner, signer] = [lowerAddress(request.owner), lowerAddress(request.signer)]
  const { hash, raw } = attempt
  const [written] = yield* together(
    statements.insert.get(
      chainId,
      owner,
      signer,
      nextNonce,
      lowerAddress(proxy),
      nowMs,
      nowMs,
      String(reservedWei),
    ),
    statements.insertFirst.run(hash, chainId, signer, nextNonce, raw, ...feesOf(attempt), nowMs),
  )
  if (!written) throw new Error('a relay transaction just written is not there')
  row.id = written.id
}

function* replace(
  { id, signed }: Extract<RelayDecision<unknown>, { readonly kind: 'replace' }>,
  { nowMs }: RelayLedger,
): Program<void> {
  yield* statements.remark.run(nowMs, String(signed.reservedWei), id)
  yield* addAttempt(id, signed, nowMs)
}

/** Notes what was decided, and says what is still to be written of it. */
function note(
  book: RelayBook,
  {
    decision,
    ...decided
  }: {
    readonly request: ReserveRequest
    readonly decision: Exclude<RelayDecision<unknown>, { readonly kind: 'leave' }>
    readonly ledger: RelayLedger
  },
): Program<void> {
  const { reservedWei } = decision.signed
  if (decision.kind === 'replace') {
    noteRow(book, { id: decision.id, nonce: undefined, reservedWei })
    return replace(decision, decided.ledger)
  }
  const row = noteRow(book, { id: undefined, nonce: decided.ledger.nextNonce, reservedWei })
  return insert(row, { ...decided, decision })
}

function* settle({ id, from, outcome }: Parameters<RelayStore['settle']>[0]): Program<boolean> {
  const row = yield* statements.find.get(id)
  if (!row) return false
  yield* lockChain(row.chain_id)
  const { status } = outcome
  const mined = 'minedHash' in outcome ? outcome : undefined
  const changed = yield* statements.settle.run({
    id,
    from,
    status,
    isLive: status === 'pending' || status === 'mined' ? 1 : 0,
    blockNumber: mined ? Number(mined.blockNumber) : null,
    blockHash: mined?.blockHash ?? null,
    minedHash: mined?.minedHash ?? null,
    actualWei: mined ? String(mined.actualWei) : null,
  })
  return changed > 0
}

/** The relay's book. Several processes may hold it: who takes a nonce or spends is alone on the chain. */
export function createRelayStore(engine: Engine): RelayStore {
  const readClock = (requests: Requests) =>
    engine.clock(Math.max(...requests.map(({ nowMs }) => nowMs)))

  function* reserveAll(jobs: readonly [ReserveJob, ...ReserveJob[]]): Program<readonly unknown[]> {
    const [first, ...others] = jobs
    const requests: Requests = [first.request, ...others.map(({ request }) => request)]
    const [{ chainId }] = requests
    const [, callerMs, { storedMs, pausedReason }] = yield* together(
      lockChain(chainId),
      readClock(requests),
      readStored(chainId),
    )
    const nowMs = toTime(requests, { storedMs, callerMs })
    const [, book, found] = yield* together(
      storeTime(chainId, { storedMs, nowMs }),
      readBook(requests, { nowMs, pausedReason }),
      readOwners(requests, nowMs),
    )
    let ofOwners = found
    let unwritten: Program<void>[] = []
    const values: unknown[] = []
    for (const [index, { request, decide }] of jobs.entries()) {
      const ledger = toLedger(book, { request, ofOwners })
      const decision = decide(ledger)
      values.push(decision.value)
      if (decision.kind === 'leave') continue
      unwritten.push(note(book, { request, decision, ledger }))
      const isAskedAgain = requests
        .slice(index + 1)
        .some(({ owner }) => isSameAddress(owner, request.owner))
      if (!isAskedAgain) continue
      yield* together(...unwritten)
      unwritten = []
      ofOwners = yield* readOwners(requests, nowMs)
    }
    yield* together(...unwritten)
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
    const [callerMs, stored] = yield* together(readClock(requests), readStored(requests[0].chainId))
    const nowMs = toTime(requests, { ...stored, callerMs })
    const [book, ofOwners] = yield* together(
      readBook(requests, { ...stored, nowMs }),
      readOwners(requests, nowMs),
    )
    return requests.map((request) => toLedger(book, { request, ofOwners }))
  }

  function* readTotals({
    chainId,
    nowMs,
    pace,
    windowMs,
  }: Parameters<RelayStore['totals']>[0]): Program<RelayTotals> {
    const callerMs = yield* engine.clock(nowMs)
    const { storedMs, pausedReason } = yield* readStored(chainId)
    const now = readPaced({ callerMs, storedMs, pace })
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
