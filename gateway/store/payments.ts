import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { openShares } from './paymentShares.ts'
import { lock, type Program, sql } from './program.ts'
import { reopenSettlement } from './settlements.ts'

/** How a payment is tied to a key. */
export const proofs = { first: 1, sender: 2, payer: 3, settled: 4, bound: 5 } as const
export type Proof = (typeof proofs)[keyof typeof proofs]

/**
 * A stronger proof takes over from a weaker one what of the credit is not spent. Payer and sender rank
 * alike: the first of them keeps it.
 */
const rankOf: Readonly<Record<Proof, number>> = { 1: 1, 2: 2, 3: 2, 4: 3, 5: 4 }

export type Payment = {
  readonly logIndex: number
  readonly payer: Address
  readonly amount: bigint
  readonly quotes: number
  readonly proof: Proof
  /** Tells it from the transaction's others in whatever block: whose money it was, or whose purchase. */
  readonly source: string
}

export type PaymentBlock = {
  readonly chainId: number
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

/** Taken back from `keyId` when the chain's head was `lostAtBlock`, and not seen on the chain since. */
export type LostPayment = Pick<PaymentBlock, 'chainId' | 'txHash'> & {
  /** Where it was when it was taken back. */
  readonly blockNumber: bigint
  readonly keyId: string
  readonly lostAtBlock: bigint
  /** Who paid what was the key's by its sender or as the first to ask, and by which of these. */
  readonly held: ReadonlyMap<Address, Proof>
  /** The chain's time from which its authorizations have expired; undefined where any of it needs none. */
  readonly validBeforeSecs: number | undefined
}

export type Payments = {
  /**
   * Credits each payment once. Of one that another key holds with a weaker proof, what is unspent moves
   * over. One that was credited in another block is taken back there first, and what was spent of it (of its
   * source) goes to its spenders before anybody else. Returns the quotes of this transaction that `keyId` got,
   * undefined when others hold all of it, or were the first to ask for it and it is looked for.
   */
  credit(
    parameters: PaymentBlock & {
      keyId: string
      payments: readonly Payment[]
      atMs: number
      /** These are all that it pays in its block: what else it paid before is looked for no more. */
      endsSearch?: boolean | undefined
    },
  ): Promise<number | undefined>
  /** Transactions with payments that are credited and not yet final, up to a block; behind one that was listed. */
  listOpen(parameters: {
    chainId: number
    maxBlock: bigint
    limit: number
    after?: PaymentBlock | undefined
  }): Promise<readonly PaymentBlock[]>
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
  /** What was taken back and may come again, the longest lost first; behind one that was listed. */
  listLost(parameters: {
    chainId: number
    limit: number
    after?: Pick<LostPayment, 'lostAtBlock' | 'txHash' | 'keyId'> | undefined
  }): Promise<readonly LostPayment[]>
  /** Nothing happens where it was credited, or lost once more, meanwhile. */
  forget(lost: Pick<LostPayment, 'chainId' | 'txHash' | 'keyId' | 'lostAtBlock'>): Promise<void>
}

type Row = {
  chain_id: number
  tx_hash: Hex
  log_index: number
  block_number: number
  block_hash: Hex
  payer: Address
  quotes: number
  key_id: string
  proof: Proof
  state: 'credited' | 'final' | 'orphaned'
  lost_at_block: number | null
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
const setAside = sql(
  'UPDATE payments SET log_index = ? WHERE chain_id = ? AND tx_hash = ? AND log_index = ?',
)
const setFinal = sql(
  `UPDATE payments SET state = 'final' WHERE chain_id = ? AND tx_hash = ? AND block_hash = ? AND state = 'credited'`,
)
const open = sql<Pick<Row, 'chain_id' | 'tx_hash' | 'block_number' | 'block_hash'>>(
  `SELECT DISTINCT chain_id, tx_hash, block_number, block_hash FROM payments
   WHERE state = 'credited' AND chain_id = ? AND block_number <= ?
     AND (block_number, tx_hash, block_hash) > (?, ?, ?)
   ORDER BY block_number, tx_hash, block_hash LIMIT ?`,
)

const lost = sql<
  Pick<Row, 'tx_hash' | 'key_id'> & {
    readonly lost_at_block: number
    readonly block_number: number
    readonly valid_before_secs: number | null
  }
>(
  `SELECT tx_hash, key_id, MAX(lost_at_block) AS lost_at_block,
     MIN(block_number) AS block_number,
     CASE WHEN MIN(proof) = ${proofs.settled} AND MAX(proof) = ${proofs.settled} THEN
       (SELECT MAX(valid_before_secs) FROM settlements
        WHERE settlements.chain_id = payments.chain_id AND settlements.tx_hash = payments.tx_hash)
     END AS valid_before_secs
   FROM payments
   WHERE chain_id = ? AND lost_at_block IS NOT NULL GROUP BY chain_id, tx_hash, key_id
   HAVING (MAX(lost_at_block), tx_hash, key_id) > (?, ?, ?)
   ORDER BY MAX(lost_at_block), tx_hash, key_id LIMIT ?`,
)
const heldOf = sql<Pick<Row, 'payer' | 'proof'>>(
  `SELECT payer, MIN(proof) AS proof FROM payments
   WHERE chain_id = ? AND tx_hash = ? AND key_id = ? AND lost_at_block IS NOT NULL
     AND proof IN (${proofs.first}, ${proofs.sender}) GROUP BY payer`,
)
const setFound = sql(
  'UPDATE payments SET lost_at_block = NULL WHERE chain_id = ? AND tx_hash = ? AND key_id = ?',
)
const forget = sql(
  `UPDATE payments SET lost_at_block = NULL
   WHERE chain_id = ? AND tx_hash = ? AND key_id = ? AND lost_at_block <= ?`,
)

const isHeld = (row: Row, block: PaymentBlock) =>
  row.state !== 'orphaned' && row.block_hash === block.blockHash

/** The payments of one transaction change hands one caller at a time. */
const lockTx = ({ chainId, txHash }: Pick<PaymentBlock, 'chainId' | 'txHash'>) =>
  lock(`payment ${chainId} ${txHash}`)

type Shares = Yielded<ReturnType<typeof openShares>>
type Yielded<program> = program extends Program<infer value> ? value : never

/** Their block is no more: so is all that anybody has of them, and the settlement that brought them is open. */
function* takeBack(
  rows: readonly Row[],
  { shares, headBlock, atMs }: { shares: Shares; headBlock: bigint; atMs: number },
): Program<void> {
  const [first] = rows
  if (!first) return
  for (const row of rows) {
    const { chain_id, tx_hash, log_index, key_id: keyId, quotes } = row
    yield* shares.move({ keyId, kind: 'clawback', units: -quotes, ref: refOf(row), atMs })
    yield* setOrphaned.run(headBlock, chain_id, tx_hash, log_index)
  }
  for (const keyId of shares.keyIds) {
    const units = -(yield* shares.lose(keyId))
    yield* shares.move({ keyId, kind: 'clawback', units, ref: refOf(first), atMs })
  }
  yield* reopenSettlement({ chainId: first.chain_id, txHash: first.tx_hash })
}

type Credit = {
  readonly keyId: string
  readonly payment: Payment
  readonly ref: string
  readonly atMs: number
  readonly shares: Shares
}

/** What a stronger proof gets of a credit: what its holder has left of it. */
function* takeOver(
  { key_id: keyId, quotes }: Row,
  { payment: { source }, shares, ref, atMs }: Credit,
): Program<number> {
  const units = Math.max(0, Math.min(quotes, shares.left(keyId)))
  yield* shares.move({ keyId, kind: 'clawback', units: -units, ref, atMs })
  if (units > 0) yield* shares.handOver(keyId, { source, units, quotes })
  return units
}

/** What is left of a payment for `keyId` once those who spent it before a reorganisation have it back. */
function* repayOthers({ keyId, payment, shares, ref, atMs }: Credit): Program<number> {
  const { source } = payment
  let left = payment.quotes
  for (const other of shares.keyIds) {
    if (other === keyId) continue
    const units = Math.max(0, Math.min(left, shares.owed(other, source), -shares.left(other)))
    yield* shares.move({ keyId: other, kind: 'claim', units, ref, atMs })
    yield* shares.repay(other, { source, units })
    left -= units
  }
  return left
}

/** Taken back by now, and looked for. */
const isLost = (row: Row, block: PaymentBlock) =>
  !isHeld(row, block) && (row.state !== 'orphaned' || row.lost_at_block !== null)

/**
 * A block numbers its logs anew: a number may be another payment's that is lost and looked for. Its row goes to
 * a number that no log has.
 */
function* keepLost(
  rows: readonly Row[],
  {
    keyId,
    payments,
    ...block
  }: Pick<Parameters<Payments['credit']>[0], 'keyId' | 'payments'> & PaymentBlock,
): Program<void> {
  const taken = new Map(payments.map((payment) => [payment.logIndex, payment]))
  let free = rows.reduce((least, row) => Math.min(least, row.log_index), 0)
  for (const row of rows) {
    const payment = taken.get(row.log_index)
    if (!payment || !isLost(row, block)) continue
    if (row.key_id === keyId && row.payer === payment.payer && row.proof === payment.proof) continue
    free -= 1
    yield* setAside.run(free, block.chainId, block.txHash, row.log_index)
  }
}

function* creditAll(
  engine: Engine,
  { keyId, payments, atMs: callerMs, endsSearch, ...block }: Parameters<Payments['credit']>[0],
): Program<number | undefined> {
  yield* lockTx(block)
  const atMs = yield* engine.clock(callerMs)
  const rows = yield* byTx.all(block.chainId, block.txHash)
  const shares = yield* openShares(block, { rows, keyId })
  const old = rows.filter((row) => row.state !== 'orphaned' && !isHeld(row, block))
  yield* takeBack(old, { shares, headBlock: block.blockNumber, atMs })
  yield* keepLost(rows, { ...block, keyId, payments })
  const held = rows.filter((row) => isHeld(row, block))
  const lostFirst = Map.groupBy(
    rows.filter((row) => row.proof === proofs.first && isLost(row, block)),
    (row) => row.payer,
  )
  const holders = new Map(held.map((row) => [row.log_index, row]))
  const sources = new Set<string>()
  let quotes: number | undefined
  for (const payment of payments) {
    const { logIndex, source } = payment
    const holder = holders.get(logIndex)
    if (holder?.key_id === keyId) {
      quotes = (quotes ?? 0) + holder.quotes
      continue
    }
    if (holder && rankOf[holder.proof] >= rankOf[payment.proof]) continue
    const before = payment.proof === proofs.first ? lostFirst.get(payment.payer) : undefined
    if (before?.every((row) => row.key_id !== keyId)) continue
    const ref = refOf({ chain_id: block.chainId, tx_hash: block.txHash, log_index: logIndex })
    const to = { keyId, payment, ref, atMs, shares }
    const units = holder ? yield* takeOver(holder, to) : yield* repayOthers(to)
    if (holder && units === 0) continue
    const amount = payment.amount.toString()
    yield* put.run({ ...block, ...payment, amount, quotes: units, keyId, atMs })
    yield* shares.move({ keyId, kind: 'claim', units, ref, atMs })
    yield* shares.give(keyId, { source, units })
    sources.add(source)
    quotes = (quotes ?? 0) + units
  }
  // In its new block the transaction's logs may have other numbers: the rows of the old ones are done with.
  for (const source of sources) yield* shares.settle(source)
  // Others are looked for by themselves: they may have a stronger proof.
  if (quotes !== undefined && (endsSearch || !shares.isOwed(keyId)))
    yield* setFound.run(block.chainId, block.txHash, keyId)
  return quotes
}

/** Where a list begins. */
const beforeAll = { blockNumber: -1n, lostAtBlock: -1n, txHash: '', blockHash: '', keyId: '' }

export function createPayments(engine: Engine): Payments {
  return {
    credit: (parameters) => engine.write(() => creditAll(engine, parameters)),
    listOpen: async ({ chainId, maxBlock, limit, after = beforeAll }) => {
      const { blockNumber, txHash, blockHash } = after
      const asked = [chainId, maxBlock, blockNumber, txHash, blockHash, limit] as const
      return (await engine.read(() => open.all(...asked))).map((row) => ({
        chainId: row.chain_id,
        txHash: row.tx_hash,
        blockNumber: BigInt(row.block_number),
        blockHash: row.block_hash,
      }))
    },
    finish: ({ chainId, txHash, blockHash }) =>
      engine.write(function* () {
        yield* setFinal.run(chainId, txHash, blockHash)
      }),
    orphan: ({ chainId, txHash, blockHash, headBlock, atMs }) =>
      engine.write(function* () {
        yield* lockTx({ chainId, txHash })
        const all = yield* byTx.all(chainId, txHash)
        const rows = all.filter((row) => row.state === 'credited' && row.block_hash === blockHash)
        const shares = yield* openShares({ chainId, txHash }, { rows: all })
        yield* takeBack(rows, { shares, headBlock, atMs: yield* engine.clock(atMs) })
      }),
    listLost: ({ chainId, limit, after = beforeAll }) =>
      engine.read(function* () {
        const found: LostPayment[] = []
        const { lostAtBlock, txHash, keyId } = after
        for (const row of yield* lost.all(chainId, lostAtBlock, txHash, keyId, limit)) {
          const held = yield* heldOf.all(chainId, row.tx_hash, row.key_id)
          found.push({
            chainId,
            txHash: row.tx_hash,
            keyId: row.key_id,
            blockNumber: BigInt(row.block_number),
            lostAtBlock: BigInt(row.lost_at_block),
            held: new Map(held.map(({ payer, proof }) => [payer, proof])),
            validBeforeSecs: row.valid_before_secs ?? undefined,
          })
        }
        return found
      }),
    forget: ({ chainId, txHash, keyId, lostAtBlock }) =>
      engine.write(function* () {
        yield* forget.run(chainId, txHash, keyId, lostAtBlock)
      }),
  }
}

const refOf = ({ chain_id, tx_hash, log_index }: Pick<Row, 'chain_id' | 'tx_hash' | 'log_index'>) =>
  `${chain_id}:${tx_hash}:${log_index}`
