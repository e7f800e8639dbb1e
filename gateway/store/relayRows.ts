import { type Address, getAddress, type Hex } from 'viem'
import type { RelayAttempt, RelayStatus, RelayTransaction } from './relayTransaction.ts'

type TransactionRow = {
  id: number
  chain_id: number
  owner: string
  signer: string
  nonce: number
  proxy: string
  status: RelayStatus
  created_at_ms: number
  marked_at_ms: number
  reserved_wei: string
  actual_wei: string | null
  block_number: number | null
  block_hash: Hex | null
  mined_hash: Hex | null
}

type AttemptRow = {
  hash: Hex
  raw: Hex
  gas_limit: string
  max_fee_per_gas_wei: string
  max_priority_fee_per_gas_wei: string
}

/** Addresses are keys: one spelling in the database. */
export const lowerAddress = (address: Address) => address.toLowerCase()

/** One for each of its attempts, oldest first. */
export type BookRow = TransactionRow & AttemptRow

export function toTransactions(rows: readonly BookRow[]): readonly RelayTransaction[] {
  const grouped = new Map<number, [BookRow, ...BookRow[]]>()
  for (const row of rows) {
    const group = grouped.get(row.id)
    if (group) group.push(row)
    else grouped.set(row.id, [row])
  }
  return [...grouped.values()].map(toTransaction)
}

function toTransaction([row, ...others]: readonly [BookRow, ...BookRow[]]): RelayTransaction {
  return {
    id: row.id,
    chainId: row.chain_id,
    owner: getAddress(row.owner),
    signer: getAddress(row.signer),
    nonce: row.nonce,
    proxy: getAddress(row.proxy),
    status: row.status,
    createdAtMs: row.created_at_ms,
    markedAtMs: row.marked_at_ms,
    reservedWei: BigInt(row.reserved_wei),
    actualWei: row.actual_wei === null ? undefined : BigInt(row.actual_wei),
    blockNumber: row.block_number === null ? undefined : BigInt(row.block_number),
    blockHash: row.block_hash ?? undefined,
    minedHash: row.mined_hash ?? undefined,
    attempts: [toAttempt(row), ...others.map(toAttempt)],
  }
}

function toAttempt(row: AttemptRow): RelayAttempt {
  return {
    hash: row.hash,
    raw: row.raw,
    gasLimit: BigInt(row.gas_limit),
    maxFeePerGasWei: BigInt(row.max_fee_per_gas_wei),
    maxPriorityFeePerGasWei: BigInt(row.max_priority_fee_per_gas_wei),
  }
}

export type WindowRow = {
  id: number
  reserved_wei: string
  actual_wei: string | null
  marked_at_ms: number
}

/** A receipt may raise what a reservation counts for, never lower it. */
export function weiOf({ reserved_wei, actual_wei }: WindowRow): bigint {
  const [reserved, actual] = [BigInt(reserved_wei), BigInt(actual_wei ?? 0)]
  return actual > reserved ? actual : reserved
}

/** Sums a window. */
export function readWindow(rows: readonly WindowRow[]) {
  const spendWei = rows.reduce((sum, row) => sum + weiOf(row), 0n)
  return { deploys: rows.length, spendWei, oldestMarkedAtMs: rows[0]?.marked_at_ms }
}
