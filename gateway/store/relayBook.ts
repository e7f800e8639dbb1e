import { type Address, getAddress } from 'viem'
import { findMissing, readFillWindow, readHeld } from './nonces.ts'
import { type Program, together } from './program.ts'
import { type Pace, readPaced, type StoredTime } from './relayClock.ts'
import { readHighestNonce } from './relayNonce.ts'
import { lowerAddress, readWindow, toTransactions, type WindowRow, weiOf } from './relayRows.ts'
import { relayStatements as statements } from './relayStatements.ts'
import type { RelayTransaction } from './relayTransaction.ts'
import { readLowestCaps, type SharedCaps } from './sharedCaps.ts'

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

export type ReserveRequest = {
  readonly chainId: number
  readonly owner: Address
  readonly signer: Address
  /** The signer's next nonce by the chain. */
  readonly chainNonce: number
  readonly nowMs: number
  readonly pace?: Pace | undefined
  readonly windowMs: number
  readonly markerMs: number
}

/** What may share a transaction differs in the owner, the chain's nonce and the time alone. */
export const bookOf = ({ chainId, signer, windowMs, markerMs }: ReserveRequest) =>
  [chainId, signer, windowMs, markerMs].join()

/** A chain's book as a transaction has read it, and goes on with what it has written itself. */
export type RelayBook = Pick<RelayLedger, 'nowMs' | 'lowestCaps' | 'pausedReason'> & {
  /** Of the window, oldest first. */
  readonly rows: WindowRow[]
  /** Of these and of the fills. */
  spendWei: bigint
  /** Nonces of ours from the lowest on that a request's chain waits for. */
  readonly held: number[]
  highest: number
}

/** Of requests that share a book, the first of them at least. */
export type Requests = readonly [ReserveRequest, ...ReserveRequest[]]

/** When it is for the latest of them. */
export function toTime(
  requests: Requests,
  { storedMs, callerMs }: { readonly storedMs: number; readonly callerMs: number },
): number {
  return Math.max(...requests.map(({ pace }) => readPaced({ callerMs, storedMs, pace })))
}

export function* readBook(
  requests: Requests,
  { nowMs, pausedReason }: Pick<StoredTime, 'pausedReason'> & { readonly nowMs: number },
): Program<RelayBook> {
  const [{ chainId, signer, windowMs }] = requests
  const from = lowestNonceOf(requests)
  const afterMs = nowMs - windowMs
  const [rows, filled, held, lowestCaps, highest] = yield* together(
    statements.window.all(chainId, afterMs),
    readFillWindow({ chainId, afterMs }),
    readHeld({ chainId, signer, from }),
    readLowestCaps(chainId, 'deployments'),
    readHighestNonce({ chainId, signer }),
  )
  const spendWei = readWindow(rows).spendWei + filled.spendWei
  return { nowMs, pausedReason, rows: [...rows], spendWei, held: [...held], lowestCaps, highest }
}

/** The rows of the owners that may be live, oldest first: which of them is, a request's chain says. */
export function* readOwners(
  requests: Requests,
  nowMs: number,
): Program<readonly RelayTransaction[]> {
  const [{ chainId, signer, markerMs }] = requests
  const owners = [...new Set(requests.map(({ owner }) => lowerAddress(owner)))]
  const statement = statements.live[owners.length - 1]
  if (!statement) throw new Error('too many owners for one transaction')
  const rows = yield* statement.all({
    chainId,
    signer: lowerAddress(signer),
    chainNonce: lowestNonceOf(requests),
    afterMs: nowMs - markerMs,
    ...Object.fromEntries(owners.map((owner, index) => [`owner${index}`, owner])),
  })
  return toTransactions(rows)
}

const lowestNonceOf = (requests: Requests) =>
  Math.min(...requests.map(({ chainNonce }) => chainNonce))

/** The book as one request has it. */
export function toLedger(
  { rows, spendWei, held, highest, ...book }: RelayBook,
  {
    request: { owner, signer, chainNonce },
    ofOwners,
  }: { readonly request: ReserveRequest; readonly ofOwners: readonly RelayTransaction[] },
): RelayLedger {
  const live = ofOwners.findLast(
    (row) => row.owner === getAddress(owner) && (row.status !== 'final' || row.nonce >= chainNonce),
  )
  const own = live && rows.find(({ id }) => id === live.id)
  const oldest = own && rows[0] === own ? rows[1] : rows[0]
  return {
    ...book,
    signer: getAddress(signer),
    live,
    deploys: rows.length - (own ? 1 : 0),
    spendWei: spendWei - (own ? weiOf(own) : 0n),
    oldestMarkedAtMs: oldest?.marked_at_ms,
    chainNonce,
    nextNonce: Math.max(chainNonce, highest + 1),
    missingNonce: findMissing(held, chainNonce)[0],
  }
}

/** A row that is about to be written, in the place of the one it had before; a new one's number is to come. */
export function noteRow(
  book: RelayBook,
  {
    id,
    nonce,
    reservedWei,
  }: {
    readonly id: number | undefined
    /** Of a new one. */
    readonly nonce: number | undefined
    readonly reservedWei: bigint
  },
): WindowRow {
  const { rows, nowMs } = book
  const place = rows.findIndex((row) => row.id === id)
  const [before] = place < 0 ? [] : rows.splice(place, 1)
  const row: WindowRow = {
    id: id ?? -1,
    reserved_wei: String(reservedWei),
    actual_wei: before?.actual_wei ?? null,
    marked_at_ms: nowMs,
  }
  rows.push(row)
  book.spendWei += weiOf(row) - (before ? weiOf(before) : 0n)
  if (nonce !== undefined) {
    book.held.push(nonce)
    book.highest = nonce
  }
  return row
}
