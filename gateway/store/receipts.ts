import { type Address, getAddress, type Hex } from 'viem'
import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'
import type { StoredSettlement } from './settlements.ts'

export type PaymentReceipt = {
  readonly chainId: number
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly payer: Address
  /** Raw, of the chain's payment token. */
  readonly amount: bigint
  readonly quotes: number
  readonly keyId: string
  readonly state: 'credited' | 'final' | 'orphaned'
  readonly atMs: number
}

export type SettlementReceipt = Pick<
  StoredSettlement,
  | 'id'
  | 'chainId'
  | 'asset'
  | 'payer'
  | 'keyId'
  | 'txHash'
  | 'signerNonce'
  | 'state'
  | 'createdAtMs'
> & { readonly reason: string | undefined }

type Wanted = {
  /** A key's id, a wallet or a transaction; empty: any. */
  readonly search: string
  readonly limit: number
}

/** What was paid, the newest first: for operators to look at. */
export type Receipts = {
  listPayments(wanted: Wanted): Promise<readonly PaymentReceipt[]>
  listSettlements(wanted: Wanted): Promise<readonly SettlementReceipt[]>
  /** Of all keys together, in quota units. */
  readQuota(): Promise<{ readonly credited: number; readonly used: number }>
  readSums(): Promise<MoneySums>
}

type Sum = { readonly chainId: number; readonly state: string; readonly count: number }

/** Of all that was ever paid, by chain and by what became of it. */
export type MoneySums = {
  readonly quota: { readonly credited: number; readonly used: number }
  /** With the quota units that they bought. */
  readonly payments: readonly (Sum & { readonly units: number })[]
  readonly settlements: readonly Sum[]
}

type PaymentRow = {
  chain_id: number
  tx_hash: Hex
  log_index: number
  block_number: number
  payer: Address
  amount: string
  quotes: number
  key_id: string
  state: PaymentReceipt['state']
  at_ms: number
}
type SettlementRow = {
  id: number
  chain_id: number
  asset: Address
  payer: Address
  key_id: string
  tx_hash: Hex
  signer_nonce: number
  state: StoredSettlement['state']
  reason: string | null
  created_at_ms: number
}

const isWanted = `lower(?) IN ('', lower(key_id), lower(payer), tx_hash)`
const payments = sql<PaymentRow>(
  `SELECT chain_id, tx_hash, log_index, block_number, payer, amount, quotes, key_id, state, at_ms
   FROM payments WHERE ${isWanted} ORDER BY at_ms DESC, tx_hash, log_index LIMIT ?`,
)
const settlements = sql<SettlementRow>(
  `SELECT id, chain_id, asset, payer, key_id, tx_hash, signer_nonce, state, reason, created_at_ms
   FROM settlements WHERE ${isWanted} ORDER BY id DESC LIMIT ?`,
)

/** PostgreSQL's sums are of any size, and come as text. */
const quota = sql<{ credited: number; used: number }>(
  `SELECT CAST(COALESCE(SUM(total), 0) AS BIGINT) AS credited,
     CAST(COALESCE(SUM(used), 0) AS BIGINT) AS used FROM balances`,
)

type SumRow = { chain_id: number; state: string; count: number; units: number }
const toSum = ({ chain_id: chainId, ...sum }: SumRow) => ({ chainId, ...sum })

const sumPayments = sql<SumRow>(
  `SELECT chain_id, state, COUNT(*) AS count, CAST(SUM(quotes) AS BIGINT) AS units
   FROM payments GROUP BY chain_id, state ORDER BY chain_id, state`,
)
const sumSettlements = sql<SumRow>(
  `SELECT chain_id, state, COUNT(*) AS count, 0 AS units
   FROM settlements GROUP BY chain_id, state ORDER BY chain_id, state`,
)

function* readQuota(): Program<MoneySums['quota']> {
  return (yield* quota.get()) ?? { credited: 0, used: 0 }
}

export function createReceipts(engine: Engine): Receipts {
  return {
    listPayments: async ({ search, limit }) =>
      (await engine.read(() => payments.all(search, limit))).map((row) => ({
        chainId: row.chain_id,
        txHash: row.tx_hash,
        logIndex: row.log_index,
        blockNumber: BigInt(row.block_number),
        payer: getAddress(row.payer),
        amount: BigInt(row.amount),
        quotes: row.quotes,
        keyId: row.key_id,
        state: row.state,
        atMs: row.at_ms,
      })),
    readQuota: () => engine.read(readQuota),
    readSums: () =>
      engine.read(function* () {
        return {
          quota: yield* readQuota(),
          payments: (yield* sumPayments.all()).map(toSum),
          settlements: (yield* sumSettlements.all()).map(toSum),
        }
      }),
    listSettlements: async ({ search, limit }) =>
      (await engine.read(() => settlements.all(search, limit))).map((row) => ({
        id: row.id,
        chainId: row.chain_id,
        asset: getAddress(row.asset),
        payer: getAddress(row.payer),
        keyId: row.key_id,
        txHash: row.tx_hash,
        signerNonce: row.signer_nonce,
        state: row.state,
        reason: row.reason ?? undefined,
        createdAtMs: row.created_at_ms,
      })),
  }
}
