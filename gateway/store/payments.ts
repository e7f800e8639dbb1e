import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { credit } from './ledger.ts'
import { lock, type Program, sql } from './program.ts'
import { reopenSettlement } from './settlements.ts'

/** How strongly a payment is tied to a key; a stronger proof takes a credit over from a weaker one. */
export const proofs = { first: 1, sender: 2, payer: 3, settled: 4, bound: 5 } as const
export type Proof = (typeof proofs)[keyof typeof proofs]

export type Payment = {
  readonly logIndex: number
  readonly payer: Address
  readonly amount: bigint
  readonly quotes: number
  readonly proof: Proof
}

export type PaymentBlock = {
  readonly chainId: number
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

export type OpenPayment = PaymentBlock & { readonly keyId: string; readonly logIndex: number }

/** Taken back from `keyId` when the chain's head was `lostAtBlock`, and not seen on the chain since. */
export type LostPayment = Pick<PaymentBlock, 'chainId' | 'txHash'> & {
  readonly keyId: string
  readonly lostAtBlock: bigint
}

export type Payments = {
  /**
   * Credits each payment once. One that another key holds with a weaker proof moves over; one that was
   * credited in another block is taken back there first. Returns the quotes of this transaction that
   * `keyId` holds afterwards, undefined when others hold all of them.
   */
  credit(
    parameters: PaymentBlock & { keyId: string; payments: readonly Payment[]; atMs: number },
  ): Promise<number | undefined>
  /** Credited but not yet final, up to a block. */
  listOpen(parameters: {
    chainId: number
    maxBlock: bigint
    limit: number
  }): Promise<readonly OpenPayment[]>
  finish(parameters: PaymentBlock): Promise<void>
  /**
   * Takes back what a reorganised transaction had paid; the balance may fall below zero. It counts as lost,
   * and the settlement that brought it as open, until it is credited again or forgotten.
   */
  orphan(parameters: {
    chainId: number
    txHash: Hex
    blockHash: Hex
    headBlock: bigint
    atMs: number
  }): Promise<void>
  /** What was taken back and may come again, the longest lost first. */
  listLost(parameters: { chainId: number; limit: number }): Promise<readonly LostPayment[]>
  /** Nothing happens where it was credited, or lost once more, meanwhile. */
  forget(lost: LostPayment): Promise<void>
}

type Row = {
  chain_id: number
  tx_hash: Hex
  log_index: number
  block_number: number
  block_hash: Hex
  quotes: number
  key_id: string
  proof: number
  state: 'credited' | 'final' | 'orphaned'
}

const byTx = sql<Row>(
  'SELECT * FROM payments WHERE chain_id = ? AND tx_hash = ? ORDER BY log_index',
)
const put = sql(
  `INSERT INTO payments
     (chain_id, tx_hash, log_index, block_number, block_hash, payer, amount, quotes, key_id, proof, state, at_ms)
   VALUES (@chainId, @txHash, @logIndex, @blockNumber, @blockHash, @payer, @amount, @quotes, @keyId, @proof, 'credited', @atMs)
   ON CONFLICT (chain_id, tx_hash, log_index) DO UPDATE
     SET block_number = excluded.block_number, block_hash = excluded.block_hash, payer = excluded.payer,
         amount = excluded.amount, quotes = excluded.quotes, key_id = excluded.key_id,
         proof = excluded.proof, state = excluded.state, at_ms = excluded.at_ms, lost_at_block = NULL`,
)
const setOrphaned = sql(
  `UPDATE payments SET state = 'orphaned', lost_at_block = ?
   WHERE chain_id = ? AND tx_hash = ? AND log_index = ?`,
)
const setFinal = sql(
  `UPDATE payments SET state = 'final' WHERE chain_id = ? AND tx_hash = ? AND block_hash = ? AND state = 'credited'`,
)
const open = sql<Row>(
  `SELECT * FROM payments WHERE state = 'credited' AND chain_id = ? AND block_number <= ?
   ORDER BY block_number LIMIT ?`,
)

const lost = sql<Pick<Row, 'tx_hash' | 'key_id'> & { readonly lost_at_block: number }>(
  `SELECT tx_hash, key_id, MAX(lost_at_block) AS lost_at_block FROM payments
   WHERE chain_id = ? AND lost_at_block IS NOT NULL GROUP BY tx_hash, key_id
   ORDER BY MAX(lost_at_block), tx_hash LIMIT ?`,
)
const setFound = sql(
  'UPDATE payments SET lost_at_block = NULL WHERE chain_id = ? AND tx_hash = ? AND key_id = ?',
)
const forget = sql(
  `UPDATE payments SET lost_at_block = NULL
   WHERE chain_id = ? AND tx_hash = ? AND key_id = ? AND lost_at_block <= ?`,
)

function* takeBack(
  row: Row,
  { headBlock, atMs }: { readonly headBlock: bigint; readonly atMs: number },
): Program<void> {
  const { chain_id, tx_hash, log_index } = row
  yield* credit({ keyId: row.key_id, kind: 'clawback', units: -row.quotes, ref: refOf(row), atMs })
  yield* setOrphaned.run(headBlock, chain_id, tx_hash, log_index)
}

const isHeld = (row: Row, block: PaymentBlock) =>
  row.state !== 'orphaned' && row.block_hash === block.blockHash

/** The payments of one transaction change hands one caller at a time. */
const lockTx = ({ chainId, txHash }: Pick<PaymentBlock, 'chainId' | 'txHash'>) =>
  lock(`payment ${chainId} ${txHash}`)

function* creditAll(parameters: Parameters<Payments['credit']>[0]): Program<number | undefined> {
  const { keyId, payments, atMs, ...block } = parameters
  yield* lockTx(block)
  const now = { headBlock: block.blockNumber, atMs }
  const rows = yield* byTx.all(block.chainId, block.txHash)
  for (const row of rows)
    if (row.state !== 'orphaned' && !isHeld(row, block)) yield* takeBack(row, now)
  let quotes: number | undefined
  for (const payment of payments) {
    const holder = rows.find((row) => row.log_index === payment.logIndex && isHeld(row, block))
    if (holder && holder.key_id !== keyId && holder.proof >= payment.proof) continue
    quotes = (quotes ?? 0) + payment.quotes
    if (holder?.key_id === keyId) continue
    if (holder) yield* takeBack(holder, now)
    const amount = payment.amount.toString()
    yield* put.run({ ...block, ...payment, amount, keyId, atMs })
    const ref = refOf({
      chain_id: block.chainId,
      tx_hash: block.txHash,
      log_index: payment.logIndex,
    })
    yield* credit({ keyId, kind: 'claim', units: payment.quotes, ref, atMs })
  }
  // In its new block the transaction's logs may have other numbers: the rows of the old ones are done with.
  if (quotes !== undefined) yield* setFound.run(block.chainId, block.txHash, keyId)
  return quotes
}

export function createPayments(engine: Engine): Payments {
  return {
    credit: (parameters) => engine.write(() => creditAll(parameters)),
    listOpen: async ({ chainId, maxBlock, limit }) =>
      (await engine.read(() => open.all(chainId, maxBlock, limit))).map((row) => ({
        chainId: row.chain_id,
        txHash: row.tx_hash,
        logIndex: row.log_index,
        blockNumber: BigInt(row.block_number),
        blockHash: row.block_hash,
        keyId: row.key_id,
      })),
    finish: ({ chainId, txHash, blockHash }) =>
      engine.write(function* () {
        yield* setFinal.run(chainId, txHash, blockHash)
      }),
    orphan: ({ chainId, txHash, blockHash, headBlock, atMs }) =>
      engine.write(function* () {
        yield* lockTx({ chainId, txHash })
        const rows = (yield* byTx.all(chainId, txHash)).filter(
          (row) => row.state === 'credited' && row.block_hash === blockHash,
        )
        for (const row of rows) yield* takeBack(row, { headBlock, atMs })
        if (rows.length > 0) yield* reopenSettlement({ chainId, txHash })
      }),
    listLost: async ({ chainId, limit }) =>
      (await engine.read(() => lost.all(chainId, limit))).map((row) => ({
        chainId,
        txHash: row.tx_hash,
        keyId: row.key_id,
        lostAtBlock: BigInt(row.lost_at_block),
      })),
    forget: ({ chainId, txHash, keyId, lostAtBlock }) =>
      engine.write(function* () {
        yield* forget.run(chainId, txHash, keyId, lostAtBlock)
      }),
  }
}

const refOf = ({ chain_id, tx_hash, log_index }: Pick<Row, 'chain_id' | 'tx_hash' | 'log_index'>) =>
  `${chain_id}:${tx_hash}:${log_index}`
