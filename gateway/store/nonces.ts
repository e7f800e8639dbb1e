import type { Address, Hex } from 'viem'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'
import { advanceClock, type Pace } from './relayClock.ts'
import { lockChain, readHighestDeployment, readHighestNonce } from './relayNonce.ts'
import { readWindow } from './relayRows.ts'
import { relayStatements } from './relayStatements.ts'

/**
 * Migration 010. Transactions that do nothing but use a nonce up that nothing else of ours will: without
 * them everything signed after it would wait for ever. A row for each signature, kept before it is sent.
 */
export const nonceFillsSchema = ({ integer, table }: Dialect) => `
CREATE TABLE nonce_fills (
  tx_hash TEXT PRIMARY KEY,
  chain_id ${integer} NOT NULL,
  signer TEXT NOT NULL,
  nonce ${integer} NOT NULL,
  raw_tx TEXT NOT NULL,
  gas_limit TEXT NOT NULL,
  max_fee_per_gas_wei TEXT NOT NULL,
  max_priority_fee_per_gas_wei TEXT NOT NULL,
  reserved_wei TEXT NOT NULL,
  signed_at_ms ${integer} NOT NULL
) ${table};
CREATE INDEX nonce_fills_by_nonce ON nonce_fills (chain_id, signer, nonce);
CREATE INDEX nonce_fills_by_age ON nonce_fills (chain_id, signed_at_ms);
`

export type Fill = {
  readonly hash: Hex
  readonly raw: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}
export type StoredFill = Fill & { readonly nonce: number; readonly signedAtMs: number }

export type SignerOnChain = { readonly chainId: number; readonly signer: Address }

export type FillBook = {
  readonly nowMs: number
  /** Of the window, by deployments and fills of this chain: as the relay's own gates count it. */
  readonly spendWei: bigint
  readonly fillsInWindow: number
  /** What was signed for this nonce last, where a fill or a lost deployment has it. */
  readonly previous: Pick<Fill, 'maxFeePerGasWei' | 'maxPriorityFeePerGasWei'> | undefined
}

export type Nonces = {
  /** The highest ever signed for, -1 for none. */
  highestNonce(signer: SignerOnChain): Promise<number>
  /** Of deployments that are not lost, -1 for none. */
  highestDeployment(signer: SignerOnChain): Promise<number>
  /** Below the highest, at or above `from`, and used by nothing of ours that can still be mined. */
  missingNonces(request: SignerOnChain & { readonly from: number }): Promise<readonly number[]>
  /** Fills at or above `from`, the newest signature of each, lowest nonce first. */
  listFills(request: SignerOnChain & { readonly from: number }): Promise<readonly StoredFill[]>
  /**
   * One transaction, alone on its chain: where `nonce` is still missing, or its last fill is the one signed
   * at `replaces`, lets `decide` judge and keeps what it brings.
   */
  fill(
    request: SignerOnChain & {
      readonly nonce: number
      readonly replaces?: number | undefined
      readonly nowMs: number
      readonly pace?: Pace | undefined
      readonly windowMs: number
    },
    decide: (book: FillBook) => { readonly fill: Fill; readonly reservedWei: bigint } | undefined,
  ): Promise<StoredFill | undefined>
}

type Row = {
  tx_hash: Hex
  nonce: number
  raw_tx: Hex
  gas_limit: string
  max_fee_per_gas_wei: string
  max_priority_fee_per_gas_wei: string
  signed_at_ms: number
}

/** A lost deployment is, once `reconcile` has taken it back. */
const held = sql<{ nonce: number }>(
  `SELECT nonce FROM relay_transactions
     WHERE chain_id = @chainId AND signer = @signer AND nonce >= @from AND status <> 'lost'
   UNION SELECT signer_nonce FROM settlements
     WHERE chain_id = @chainId AND lower(signer) = @signer AND signer_nonce >= @from
   UNION SELECT nonce FROM nonce_fills
     WHERE chain_id = @chainId AND signer = @signer AND nonce >= @from
   ORDER BY 1 LIMIT 10000`,
)
const fills = sql<Row>(
  `SELECT * FROM nonce_fills WHERE chain_id = ? AND signer = ? AND nonce >= ?
   ORDER BY nonce, signed_at_ms, tx_hash`,
)
const lostAt = sql<Pick<Row, 'max_fee_per_gas_wei' | 'max_priority_fee_per_gas_wei'>>(
  `SELECT a.max_fee_per_gas_wei, a.max_priority_fee_per_gas_wei
   FROM relay_attempts a JOIN relay_transactions t ON t.id = a.transaction_id
   WHERE t.chain_id = ? AND t.signer = ? AND t.nonce = ? ORDER BY a.number DESC LIMIT 1`,
)
const window = sql<{ reserved_wei: string }>(
  'SELECT reserved_wei FROM nonce_fills WHERE chain_id = ? AND signed_at_ms > ?',
)
const insert = sql(
  `INSERT INTO nonce_fills (tx_hash, chain_id, signer, nonce, raw_tx, gas_limit, max_fee_per_gas_wei,
     max_priority_fee_per_gas_wei, reserved_wei, signed_at_ms)
   VALUES (@hash, @chainId, @signer, @nonce, @raw, @gasLimit, @maxFeePerGasWei,
     @maxPriorityFeePerGasWei, @reservedWei, @nowMs)`,
)

/** What fills have reserved of the hour; deployments share their budget. */
export function* readFillWindow({
  chainId,
  afterMs,
}: {
  readonly chainId: number
  readonly afterMs: number
}): Program<{ readonly count: number; readonly spendWei: bigint }> {
  const rows = yield* window.all(chainId, afterMs)
  return {
    count: rows.length,
    spendWei: rows.reduce((sum, { reserved_wei }) => sum + BigInt(reserved_wei), 0n),
  }
}

/** What of ours will be sent until it is mined, at or above `from`, lowest first. */
export function* readHeld({
  chainId,
  signer,
  from,
}: SignerOnChain & { readonly from: number }): Program<readonly number[]> {
  const rows = yield* held.all({ chainId, signer: signer.toLowerCase(), from })
  return rows.map(({ nonce }) => nonce)
}

/** See `Nonces.missingNonces`; inside the transaction that takes the next nonce. */
export function* readMissing(
  request: SignerOnChain & { readonly from: number },
): Program<readonly number[]> {
  return findMissing(yield* readHeld(request), request.from)
}

/** Those between what is held from `from` on. */
export function findMissing(taken: readonly number[], from: number): readonly number[] {
  const found: number[] = []
  let expected = from
  for (const nonce of taken) {
    if (nonce < from) continue
    for (; expected < nonce && found.length < mostMissing; expected += 1) found.push(expected)
    expected = nonce + 1
  }
  return found
}
const mostMissing = 100

const toFill = (row: Row): StoredFill => ({
  nonce: row.nonce,
  hash: row.tx_hash,
  raw: row.raw_tx,
  gasLimit: BigInt(row.gas_limit),
  maxFeePerGasWei: BigInt(row.max_fee_per_gas_wei),
  maxPriorityFeePerGasWei: BigInt(row.max_priority_fee_per_gas_wei),
  signedAtMs: row.signed_at_ms,
})

function* listFills({
  chainId,
  signer,
  from,
}: SignerOnChain & { readonly from: number }): Program<readonly StoredFill[]> {
  const rows = yield* fills.all(chainId, signer.toLowerCase(), from)
  return [...new Map(rows.map((row) => [row.nonce, toFill(row)])).values()]
}

function* fill(
  engine: Engine,
  request: Parameters<Nonces['fill']>[0],
  decide: Parameters<Nonces['fill']>[1],
): Program<StoredFill | undefined> {
  const { chainId, signer, nonce, replaces } = request
  yield* lockChain(chainId)
  const [first] = yield* listFills({ chainId, signer, from: nonce })
  const last = first?.nonce === nonce ? first : undefined
  const isDue = last
    ? last.signedAtMs === replaces
    : (yield* readMissing({ chainId, signer, from: nonce }))[0] === nonce
  if (!isDue) return last
  const callerMs = yield* engine.clock(request.nowMs)
  const nowMs = yield* advanceClock({ chainId, callerMs, pace: request.pace })
  const afterMs = nowMs - request.windowMs
  const deployed = readWindow(yield* relayStatements.window.all(chainId, afterMs))
  const filled = yield* readFillWindow({ chainId, afterMs })
  const lost = yield* lostAt.get(chainId, signer.toLowerCase(), nonce)
  const previous = last ?? (lost && toPrices(lost))
  const spendWei = deployed.spendWei + filled.spendWei
  const decided = decide({ nowMs, spendWei, fillsInWindow: filled.count, previous })
  if (!decided) return undefined
  const { hash, raw, ...prices } = decided.fill
  yield* insert.run({
    hash,
    raw,
    chainId,
    signer: signer.toLowerCase(),
    nonce,
    gasLimit: String(prices.gasLimit),
    maxFeePerGasWei: String(prices.maxFeePerGasWei),
    maxPriorityFeePerGasWei: String(prices.maxPriorityFeePerGasWei),
    reservedWei: String(decided.reservedWei),
    nowMs,
  })
  return { ...decided.fill, nonce, signedAtMs: nowMs }
}

const toPrices = (row: Pick<Row, 'max_fee_per_gas_wei' | 'max_priority_fee_per_gas_wei'>) => ({
  maxFeePerGasWei: BigInt(row.max_fee_per_gas_wei),
  maxPriorityFeePerGasWei: BigInt(row.max_priority_fee_per_gas_wei),
})

/** The nonces of the keys that sign, over deployments, settlements and fills. */
export function createNonces(engine: Engine): Nonces {
  return {
    highestNonce: (signer) => engine.read(() => readHighestNonce(signer)),
    highestDeployment: (signer) => engine.read(() => readHighestDeployment(signer)),
    missingNonces: (request) => engine.read(() => readMissing(request)),
    listFills: (request) => engine.read(() => listFills(request)),
    fill: (request, decide) => engine.write(() => fill(engine, request, decide)),
  }
}
