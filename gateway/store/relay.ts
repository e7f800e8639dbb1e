import type { Database } from 'better-sqlite3'
import type { Address, Hex } from 'viem'
import { createReadHighestNonce } from './relayNonce.ts'
import { lowerAddress, readWindow, type TransactionRow, toTransaction } from './relayRows.ts'
import { prepareRelayStatements } from './relayStatements.ts'

export type RelayStatus = 'pending' | 'mined' | 'failed' | 'final' | 'final_failed' | 'lost'

export type RelayAttempt = {
  readonly hash: Hex
  readonly raw: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

export type RelayTransaction = {
  readonly id: number
  readonly chainId: number
  readonly owner: Address
  readonly signer: Address
  readonly nonce: number
  readonly proxy: Address
  readonly status: RelayStatus
  readonly createdAtMs: number
  /** Start of its pending window: the reservation, or the latest replacement. */
  readonly markedAtMs: number
  /** Worst case of the signed bytes. */
  readonly reservedWei: bigint
  readonly actualWei: bigint | undefined
  readonly blockNumber: bigint | undefined
  readonly blockHash: Hex | undefined
  readonly minedHash: Hex | undefined
  /** Oldest first; all share the nonce, so at most one can be mined. */
  readonly attempts: readonly [RelayAttempt, ...RelayAttempt[]]
}

/** What gates 8 to 10 and the signer need to know, read inside the reserving transaction. */
export type RelayLedger = {
  /** Never behind an earlier reading of this chain, whatever the machine's clock did. */
  readonly nowMs: number
  /** The owner's transaction that may still be, or is, in the chain; or failed within `markerMs`. */
  readonly live: RelayTransaction | undefined
  /** Reservations in the window, without `live`: a replacement takes its row's place. */
  readonly deploys: number
  readonly spendWei: bigint
  readonly oldestMarkedAtMs: number | undefined
  readonly nextNonce: number
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
  | { readonly status: 'pending' | 'lost' }

export type RelayTotals = {
  readonly deploys: number
  readonly spendWei: bigint
  readonly oldestMarkedAtMs: number | undefined
  readonly open: number
  readonly lost: number
  readonly pausedReason: string | undefined
}

export type RelayStore = {
  /**
   * One immediate transaction: reads the ledger, lets `decide` judge and sign, writes what it decided.
   * When this resolves, the signed bytes are durable; nothing may be sent before.
   */
  reserve<value>(
    request: {
      readonly chainId: number
      readonly owner: Address
      readonly signer: Address
      /** The signer's next nonce by the chain. */
      readonly chainNonce: number
      readonly nowMs: number
      readonly windowMs: number
      readonly markerMs: number
    },
    decide: (ledger: RelayLedger) => RelayDecision<value>,
  ): Promise<value>
  /** Not yet buried, lowest nonce first. */
  listOpen(chainId: number): Promise<readonly RelayTransaction[]>
  /** Buried at or above this nonce: what a chain that lost blocks has forgotten. */
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
    readonly windowMs: number
  }): Promise<RelayTotals>
  pause(request: {
    readonly chainId: number
    readonly reason: string
    readonly nowMs: number
  }): Promise<void>
  resume(chainId: number): Promise<void>
}

/** The relay's book in SQLite. Several processes may hold it; `BEGIN IMMEDIATE` puts them in a row. */
export function createRelayStore(db: Database): RelayStore {
  const statements = prepareRelayStatements(db)
  const readHighestNonce = createReadHighestNonce(db)
  const load = (row: TransactionRow) => toTransaction(row, statements.attempts.all(row.id))

  function addAttempt(id: number, { attempt }: Signed, nowMs: number): void {
    const { hash, raw, gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei } = attempt
    const fees = [gasLimit, maxFeePerGasWei, maxPriorityFeePerGasWei].map(String)
    statements.insertAttempt.run(hash, id, id, raw, ...fees, nowMs)
  }

  function readLedger(request: Parameters<RelayStore['reserve']>[0]): RelayLedger {
    const { chainId, chainNonce, windowMs, markerMs } = request
    const [owner, signer] = [lowerAddress(request.owner), lowerAddress(request.signer)]
    const nowMs = statements.advanceClock.get(chainId, request.nowMs)?.clock_ms ?? request.nowMs
    const row = statements.live.get(chainId, owner, signer, chainNonce, nowMs - markerMs)
    return {
      nowMs,
      live: row && load(row),
      ...readWindow(statements.window.all(chainId, nowMs - windowMs, row?.id ?? -1)),
      nextNonce: Math.max(chainNonce, readHighestNonce({ chainId, signer }) + 1),
      pausedReason: statements.chain.get(chainId)?.paused_reason ?? undefined,
    }
  }

  const reserve = db.transaction(
    (
      request: Parameters<RelayStore['reserve']>[0],
      decide: (ledger: RelayLedger) => RelayDecision<unknown>,
    ) => {
      const ledger = readLedger(request)
      const { nowMs, nextNonce } = ledger
      const decision = decide(ledger)
      if (decision.kind === 'insert') {
        const { lastInsertRowid } = statements.insert.run(
          request.chainId,
          lowerAddress(request.owner),
          lowerAddress(request.signer),
          nextNonce,
          lowerAddress(decision.proxy),
          nowMs,
          nowMs,
          String(decision.signed.reservedWei),
        )
        addAttempt(Number(lastInsertRowid), decision.signed, nowMs)
      }
      if (decision.kind === 'replace') {
        statements.remark.run(nowMs, String(decision.signed.reservedWei), decision.id)
        addAttempt(decision.id, decision.signed, nowMs)
      }
      return decision.value
    },
  )

  return {
    async reserve(request, decide) {
      // The closure's own value comes back unchanged; better-sqlite3's types do not carry generics.
      return reserve.immediate(request, decide) as never
    },
    async listOpen(chainId) {
      return statements.open.all(chainId).map(load)
    },
    async listForgotten({ chainId, signer, chainNonce }) {
      return statements.forgotten.all(chainId, lowerAddress(signer), chainNonce).map(load)
    },
    async listLatest({ chainId, limit }) {
      return statements.latest.all(chainId ?? null, limit).map(load)
    },
    async settle({ id, from, outcome }) {
      const mined = 'minedHash' in outcome ? outcome : undefined
      statements.settle.run(
        outcome.status,
        mined ? Number(mined.blockNumber) : null,
        mined?.blockHash ?? null,
        mined?.minedHash ?? null,
        mined ? String(mined.actualWei) : null,
        id,
        from,
      )
    },
    async totals({ chainId, nowMs, windowMs }) {
      const chain = statements.chain.get(chainId)
      const now = Math.max(nowMs, chain?.clock_ms ?? 0)
      return {
        ...readWindow(statements.window.all(chainId, now - windowMs, -1)),
        open: statements.count.get(chainId, 'pending')?.count ?? 0,
        lost: statements.count.get(chainId, 'lost')?.count ?? 0,
        pausedReason: chain?.paused_reason ?? undefined,
      }
    },
    async pause({ chainId, reason, nowMs }) {
      statements.pause.run(chainId, reason, nowMs)
    },
    async resume(chainId) {
      statements.resume.run(chainId)
    },
  }
}
