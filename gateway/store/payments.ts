import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { credit } from './ledger.ts'
import { lock, type Program, sql } from './program.ts'

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
  /** Takes back what a reorganised transaction had paid; the balance may fall below zero. */
  orphan(parameters: { chainId: number; txHash: Hex; blockHash: Hex; atMs: number }): Promise<void>
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
         proof = excluded.proof, state = excluded.state, at_ms = excluded.at_ms`,
)
const setOrphaned = sql(
  `UPDATE payments SET state = 'orphaned' WHERE chain_id = ? AND tx_hash = ? AND log_index = ?`,
)
const setFinal = sql(
  `UPDATE payments SET state = 'final' WHERE chain_id = ? AND tx_hash = ? AND block_hash = ? AND state = 'credited'`,
)
const open = sql<Row>(
  `SELECT * FROM payments WHERE state = 'credited' AND chain_id = ? AND block_number <= ?
   ORDER BY block_number LIMIT ?`,
)

function* takeBack(row: Row, atMs: number): Program<void> {
  const { chain_id, tx_hash, log_index } = row
  yield* credit({ keyId: row.key_id, kind: 'clawback', units: -row.quotes, ref: refOf(row), atMs })
  yield* setOrphaned.run(chain_id, tx_hash, log_index)
}

const isHeld = (row: Row, block: PaymentBlock) =>
  row.state !== 'orphaned' && row.block_hash === block.blockHash

/** The payments of one transaction change hands one caller at a time. */
const lockTx = ({ chainId, txHash }: Pick<PaymentBlock, 'chainId' | 'txHash'>) =>
  lock(`payment ${chainId} ${txHash}`)

function* creditAll(parameters: Parameters<Payments['credit']>[0]): Program<number | undefined> {
  const { keyId, payments, atMs, ...block } = parameters
  yield* lockTx(block)
  const rows = yield* byTx.all(block.chainId, block.txHash)
  for (const row of rows)
    if (row.state !== 'orphaned' && !isHeld(row, block)) yield* takeBack(row, atMs)
  let quotes: number | undefined
  for (const payment of payments) {
    const holder = rows.find((row) => row.log_index === payment.logIndex && isHeld(row, block))
    if (holder && holder.key_id !== keyId && holder.proof >= payment.proof) continue
    quotes = (quotes ?? 0) + payment.quotes
    if (holder?.key_id === keyId) continue
    if (holder) yield* takeBack(holder, atMs)
    const amount = payment.amount.toString()
    yield* put.run({ ...block, ...payment, amount, keyId, atMs })
    const ref = refOf({
      chain_id: block.chainId,
      tx_hash: block.txHash,
      log_index: payment.logIndex,
    })
    yield* credit({ keyId, kind: 'claim', units: payment.quotes, ref, atMs })
  }
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
    orphan: ({ chainId, txHash, blockHash, atMs }) =>
      engine.write(function* () {
        yield* lockTx({ chainId, txHash })
        for (const row of yield* byTx.all(chainId, txHash))
          if (row.state === 'credited' && row.block_hash === blockHash) yield* takeBack(row, atMs)
      }),
  }
}

const refOf = ({ chain_id, tx_hash, log_index }: Pick<Row, 'chain_id' | 'tx_hash' | 'log_index'>) =>
  `${chain_id}:${tx_hash}:${log_index}`
