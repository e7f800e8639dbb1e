import { type Address, getAddress, type Hex } from 'viem'
import type { Engine } from './engine.ts'
import { createNonces, type Nonces, readFillWindow, readMissing } from './nonces.ts'
import type { Program } from './program.ts'
import {
  advanceClock,
  createRelayClock,
  type Pace,
  type RelayClock,
  readPaced,
} from './relayClock.ts'
import { lockChain, readHighestNonce } from './relayNonce.ts'
import { type BookRow, lowerAddress, readWindow, toTransactions } from './relayRows.ts'
import { relayStatements as statements } from './relayStatements.ts'
import type { RelayAttempt, RelayStatus, RelayTransaction } from './relayTransaction.ts'
import {
  createSharedCaps,
  readLowestCaps,
  type SharedCaps,
  type SharedCapsStore,
} from './sharedCaps.ts'

/** What gates 8 to 10 and the signer need to know, read inside the reserving transaction. */
export type RelayLedger = {
  /** Never behind an earlier reading of this chain, whatever the machine's clock did. */
  readonly nowMs: number
  /** The key that would sign: another key's nonces are not its own. */
  readonly signer: Address
  /** The owner's transaction that may still be, or is, in the chain; or failed within `markerMs`. */
  readonly live: RelayTransaction | undefined
  /** Reservations in the window, without `live`: a replacement takes its row's place. */
  readonly deploys: number
  readonly spendWei: bigint
  readonly oldestMarkedAtMs: number | undefined
  /** By the chain; what is signed below it is not mined. */
  readonly chainNonce: number
  readonly nextNonce: number
  /** Lowest nonce that the chain waits for and nothing of ours uses; behind it nothing is mined. */
  readonly missingNonce: number | undefined
  /** The lowest caps of the gateways that share this book; undefined before any has said its own. */
  readonly lowestCaps?: SharedCaps | undefined
  readonly pausedReason: string | undefined
}

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
     * One transaction, alone on its chain: reads the ledger, lets `decide` judge and sign, writes what it
     * decided. When this resolves, the signed bytes are durable; nothing may be sent before. `decide` may run
     * more than once (a deadlock, a lost connection); what it said last counts.
     */
    reserve<value>(
      request: {
        readonly chainId: number
        readonly owner: Address
        readonly signer: Address
        /** The signer's next nonce by the chain. */
        readonly chainNonce: number
        readonly nowMs: number
        readonly pace?: Pace | undefined
        readonly windowMs: number
        readonly markerMs: number
      },
      decide: (ledger: RelayLedger) => RelayDecision<value>,
    ): Promise<value>
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

type ReserveRequest = Parameters<RelayStore['reserve']>[0]

function* readLedger(request: ReserveRequest, callerMs: number): Program<RelayLedger> {
  const { chainId, chainNonce, windowMs, markerMs } = request
  const [owner, signer] = [lowerAddress(request.owner), lowerAddress(request.signer)]
  const nowMs = yield* advanceClock({ chainId, callerMs, pace: request.pace })
  const markedAfterMs = nowMs - markerMs
  const [live] = yield* load(statements.live.all(chainId, owner, signer, chainNonce, markedAfterMs))
  const window = yield* statements.window.all(chainId, nowMs - windowMs, live?.id ?? -1)
  const hour = readWindow(window)
  const filled = yield* readFillWindow({ chainId, afterMs: nowMs - windowMs })
  const [missingNonce] = yield* readMissing({ chainId, signer: request.signer, from: chainNonce })
  return {
    nowMs,
    signer: getAddress(signer),
    live,
    ...hour,
    spendWei: hour.spendWei + filled.spendWei,
    missingNonce,
    chainNonce,
    lowestCaps: yield* readLowestCaps(chainId, 'deployments'),
    nextNonce: Math.max(chainNonce, (yield* readHighestNonce({ chainId, signer })) + 1),
    pausedReason: (yield* statements.chain.get(chainId))?.paused_reason ?? undefined,
  }
}

function* insert(
  request: ReserveRequest,
  { proxy, signed }: Extract<RelayDecision<unknown>, { readonly kind: 'insert' }>,
  { nowMs, nextNonce }: RelayLedger,
): Program<void> {
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
}

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
  function* reserve<value>(
    request: ReserveRequest,
    decide: (ledger: RelayLedger) => RelayDecision<value>,
  ): Program<value> {
    yield* lockChain(request.chainId)
    const ledger = yield* readLedger(request, yield* engine.clock(request.nowMs))
    const decision = decide(ledger)
    if (decision.kind === 'insert') yield* insert(request, decision, ledger)
    if (decision.kind === 'replace') {
      const { id, signed } = decision
      yield* statements.remark.run(ledger.nowMs, String(signed.reservedWei), id)
      yield* addAttempt(id, signed, ledger.nowMs)
    }
    return decision.value
  }

  function* readTotals({
    chainId,
    nowMs,
    pace,
    windowMs,
  }: Parameters<RelayStore['totals']>[0]): Program<RelayTotals> {
    const chain = yield* statements.chain.get(chainId)
    const now = readPaced({
      callerMs: yield* engine.clock(nowMs),
      storedMs: chain?.clock_ms ?? 0,
      pace,
    })
    const hour = readWindow(yield* statements.window.all(chainId, now - windowMs, -1))
    const filled = yield* readFillWindow({ chainId, afterMs: now - windowMs })
    return {
      nowMs: now,
      ...hour,
      spendWei: hour.spendWei + filled.spendWei,
      open: yield* statements.inStatus.count(chainId, 'pending'),
      lost: yield* statements.inStatus.count(chainId, 'lost'),
      pausedReason: chain?.paused_reason ?? undefined,
    }
  }

  return {
    ...createNonces(engine),
    ...createRelayClock(engine),
    ...createSharedCaps(engine, 'deployments'),
    reserve: (request, decide) => engine.write(() => reserve(request, decide)),
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
