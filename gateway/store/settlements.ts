import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { readMissing } from './nonces.ts'
import { type Program, sql } from './program.ts'
import { advanceClock, type Pace, readPaced, readStoredClock } from './relayClock.ts'
import { lockChain, readHighestNonce } from './relayNonce.ts'
import { type Newcomers, readNewcomers } from './settlementNewcomers.ts'
import { type Party, type PartyBook, readParties } from './settlementParties.ts'
import {
  createSharedCaps,
  readLowestCaps,
  type SharedCaps,
  type SharedCapsStore,
} from './sharedCaps.ts'

/** What an EIP-3009 authorization is known by on its chain. */
export type AuthorizationId = {
  readonly chainId: number
  readonly asset: Address
  readonly payer: Address
  readonly nonce: Hex
}

export type SettlementTx = {
  readonly rawTx: Hex
  readonly txHash: Hex
  readonly gasLimit: bigint
  readonly maxFeePerGasWei: bigint
  readonly maxPriorityFeePerGasWei: bigint
}

export type StoredSettlement = AuthorizationId &
  SettlementTx & {
    readonly id: number
    readonly keyId: string
    /** Hash of the payer's code; undefined where it has none. */
    readonly payerCode?: Hex | undefined
    readonly validBeforeSecs: number
    /** Head when it was reserved: its mark on the chain, whoever leaves it, is not older. */
    readonly fromBlock: bigint
    readonly calldata: Hex
    readonly signer: Address
    readonly signerNonce: number
    readonly state: 'sent' | 'settled' | 'failed'
    readonly reason: string | undefined
    readonly createdAtMs: number
    readonly signedAtMs: number
  }

export type NewSettlement = Omit<
  StoredSettlement,
  keyof SettlementTx | 'id' | 'signerNonce' | 'state' | 'reason' | 'signedAtMs'
>

/** What the signer is told inside the transaction: what all others signed in the window cost at worst. */
export type SettlementBook = {
  /** The time of the chain's book: the relay's. */
  readonly nowMs: number
  readonly nextNonce: number
  /** Lowest nonce that the chain waits for and nothing of ours uses. */
  readonly missingNonce: number | undefined
  readonly count: number
  readonly spendWei: bigint
  /** What those cost at worst that are not known to be on the chain. */
  readonly openWei: bigint
  readonly parties: PartyBook
  readonly newcomers: Newcomers
  /** The lowest caps of the gateways that settle on the chain; undefined before any has said its own. */
  readonly lowestCaps?: SharedCaps | undefined
}

export type Settlements = SharedCapsStore & {
  /** The key an authorization was sent to us with, whoever brought it to the chain. */
  findKey(authorization: AuthorizationId): Promise<string | undefined>
  find(authorization: AuthorizationId): Promise<StoredSettlement | undefined>
  /**
   * One transaction: reads the book, lets `sign` decide, keeps the signed bytes. When it resolves they are
   * durable; nothing may be sent before. An authorization that is known already is returned as it is.
   */
  reserve<refusal>(
    settlement: NewSettlement & {
      readonly chainNonce: number
      readonly windowMs: number
      readonly pace?: Pace | undefined
    },
    sign: (book: SettlementBook) => SettlementTx | { readonly refusal: refusal },
  ): Promise<{ readonly settlement: StoredSettlement } | { readonly refusal: refusal }>
  /** Every key that has ever signed one on the chain. */
  listSigners(chainId: number): Promise<readonly Address[]>
  /** Not yet known to be on the chain, lowest nonce first. */
  listOpen(chainId: number): Promise<readonly StoredSettlement[]>
  /** Failed in the window, by the book's clock: a reorganisation may have them mined after all. */
  listFailed(parameters: {
    chainId: number
    nowMs: number
    pace?: Pace | undefined
    windowMs: number
  }): Promise<readonly StoredSettlement[]>
  /**
   * Whose nonce the chain has not seen, lowest first and whatever became of the payment: a nonce left out
   * would hold up everything signed after it.
   */
  listUnmined(parameters: {
    chainId: number
    signer: Address
    chainNonce: number
  }): Promise<readonly StoredSettlement[]>
  /**
   * The same nonce again at the price that `sign` sets, in one transaction like `reserve`. Returns what is
   * kept: the given one where `sign` declines, another process's where that was faster.
   */
  raise(
    settlement: StoredSettlement,
    parameters: {
      readonly nowMs: number
      readonly pace?: Pace | undefined
      readonly windowMs: number
    },
    sign: (book: SettlementBook) => SettlementTx | undefined,
  ): Promise<StoredSettlement>
  /** The book as `reserve` would find it; nothing is taken. */
  readBook(request: {
    readonly chainId: number
    readonly signer: Address
    readonly chainNonce: number
    readonly nowMs: number
    readonly pace?: Pace | undefined
    readonly windowMs: number
    readonly party: Party
  }): Promise<SettlementBook>
  /** What had failed may be settled after all; nothing else changes what has ended. */
  finish(parameters: {
    id: number
    /** When it failed; by default at the book's time. */
    nowMs?: number | undefined
    pace?: Pace | undefined
    state: 'settled' | 'failed'
    txHash: Hex
    reason?: string | undefined
  }): Promise<void>
}

type Row = {
  id: number
  chain_id: number
  asset: Address
  payer: Address
  nonce: Hex
  key_id: string
  payer_code: Hex | null
  valid_before_secs: number
  from_block: number
  calldata: Hex
  signer: Address
  signer_nonce: number
  gas_limit: string
  max_fee_per_gas_wei: string
  max_priority_fee_per_gas_wei: string
  raw_tx: Hex
  tx_hash: Hex
  state: StoredSettlement['state']
  reason: string | null
  created_at_ms: number
  signed_at_ms: number
}

const byAuthorization = sql<Row>(
  'SELECT * FROM settlements WHERE chain_id = ? AND asset = ? AND payer = ? AND nonce = ?',
)
const spent = sql<{ gas_limit: string; max_fee_per_gas_wei: string }>(
  `SELECT gas_limit, max_fee_per_gas_wei FROM settlements
     WHERE chain_id = ? AND signed_at_ms > ? AND id <> ?`,
)
const openCosts = sql<{ gas_limit: string; max_fee_per_gas_wei: string }>(
  `SELECT gas_limit, max_fee_per_gas_wei FROM settlements WHERE state = 'sent' AND chain_id = ?`,
)
const sumWorst = (rows: readonly { gas_limit: string; max_fee_per_gas_wei: string }[]) =>
  rows.reduce((sum, row) => sum + BigInt(row.gas_limit) * BigInt(row.max_fee_per_gas_wei), 0n)
const insert = sql(
  `INSERT INTO settlements (chain_id, asset, payer, payer_code, nonce, key_id, valid_before_secs, from_block, calldata,
     signer, signer_nonce, gas_limit, max_fee_per_gas_wei, max_priority_fee_per_gas_wei, raw_tx, tx_hash,
     state, created_at_ms, signed_at_ms)
   VALUES (@chainId, @asset, @payer, @payerCode, @nonce, @keyId, @validBeforeSecs, @fromBlock, @calldata,
     @signer, @signerNonce, @gasLimit, @maxFeePerGasWei, @maxPriorityFeePerGasWei, @rawTx, @txHash,
     'sent', @createdAtMs, @createdAtMs)`,
)
const open = sql<Row>(
  `SELECT * FROM settlements WHERE state = 'sent' AND chain_id = ? ORDER BY signer_nonce`,
)
const failed = sql<Row>(
  `SELECT * FROM settlements WHERE chain_id = ? AND failed_at_ms > ? AND state = 'failed'
   ORDER BY failed_at_ms, id`,
)
const unmined = sql<Row>(
  'SELECT * FROM settlements WHERE chain_id = ? AND signer = ? AND signer_nonce >= ? ORDER BY signer_nonce',
)
const signers = sql<Pick<Row, 'signer'>>(
  'SELECT DISTINCT signer FROM settlements WHERE chain_id = ?',
)
/** What has settled a payment stays known by its hash: a reorganisation is told by it. */
const replace = sql(
  `UPDATE settlements SET gas_limit = @gasLimit, max_fee_per_gas_wei = @maxFeePerGasWei,
     max_priority_fee_per_gas_wei = @maxPriorityFeePerGasWei, raw_tx = @rawTx,
     tx_hash = CASE WHEN state = 'settled' THEN tx_hash ELSE @txHash END,
     signed_at_ms = @atMs WHERE id = @id`,
)
const chainOf = sql<Pick<Row, 'chain_id'>>('SELECT chain_id FROM settlements WHERE id = ?')
const finish = sql(
  `UPDATE settlements SET state = @state, tx_hash = @txHash, reason = @reason, failed_at_ms = @failedAtMs
   WHERE id = @id AND (state = 'sent' OR (state = 'failed' AND @state = 'settled'))`,
)

const reopen = sql(
  `UPDATE settlements SET state = 'sent' WHERE chain_id = ? AND tx_hash = ? AND state = 'settled'`,
)

/** Inside the transaction that takes the payment back: whoever pays again is told to wait for it. */
export function* reopenSettlement({
  chainId,
  txHash,
}: Pick<StoredSettlement, 'chainId' | 'txHash'>): Program<void> {
  yield* reopen.run(chainId, txHash)
}

const findRow = ({ chainId, asset, payer, nonce }: AuthorizationId) =>
  byAuthorization.get(chainId, asset.toLowerCase(), payer.toLowerCase(), nonce.toLowerCase())

function* readBook({
  chainId,
  signer,
  chainNonce,
  nowMs,
  windowMs,
  party,
  exceptId = -1,
}: {
  readonly chainId: number
  readonly signer: Address
  readonly chainNonce: number
  readonly nowMs: number
  readonly windowMs: number
  readonly party?: Party | undefined
  readonly exceptId?: number | undefined
}): Program<SettlementBook> {
  const rows = yield* spent.all(chainId, nowMs - windowMs, exceptId)
  const [missingNonce] = yield* readMissing({ chainId, signer, from: chainNonce })
  return {
    nowMs,
    missingNonce,
    openWei: sumWorst(yield* openCosts.all(chainId)),
    parties: yield* readParties({ chainId, party, nowMs }),
    newcomers: yield* readNewcomers({ chainId, keyId: party?.keyId, afterMs: nowMs - windowMs }),
    lowestCaps: yield* readLowestCaps(chainId, 'settlements'),
    nextNonce: Math.max(chainNonce, (yield* readHighestNonce({ chainId, signer })) + 1),
    count: rows.length,
    spendWei: sumWorst(rows),
  }
}

/** Payments by signed authorization (x402), kept before anything is broadcast. */
export function createSettlements(engine: Engine): Settlements {
  function* reserve<refusal>(
    settlement: Parameters<Settlements['reserve']>[0],
    sign: (book: SettlementBook) => SettlementTx | { readonly refusal: refusal },
  ): Program<{ readonly settlement: StoredSettlement } | { readonly refusal: refusal }> {
    yield* lockChain(settlement.chainId)
    const known = yield* findRow(settlement)
    if (known) return { settlement: toSettlement(known) }
    const { chainNonce, windowMs, pace, ...given } = settlement
    const callerMs = yield* engine.clock(given.createdAtMs)
    const createdAtMs = yield* advanceClock({ chainId: given.chainId, callerMs, pace })
    const fields = { ...given, createdAtMs }
    const party = { ...fields, payerCode: fields.payerCode }
    const book = yield* readBook({ ...fields, chainNonce, nowMs: createdAtMs, windowMs, party })
    const signed = sign(book)
    if ('refusal' in signed) return signed
    yield* insert.run({
      ...fields,
      ...toColumns(signed),
      signerNonce: book.nextNonce,
      asset: fields.asset.toLowerCase(),
      payer: fields.payer.toLowerCase(),
      payerCode: fields.payerCode ?? null,
      nonce: fields.nonce.toLowerCase(),
      signer: fields.signer.toLowerCase(),
    })
    const row = yield* findRow(settlement)
    if (!row) throw new Error('a settlement just written is not there')
    return { settlement: toSettlement(row) }
  }

  function* raise(
    settlement: StoredSettlement,
    { nowMs, pace, windowMs }: Parameters<Settlements['raise']>[1],
    sign: Parameters<Settlements['raise']>[2],
  ): Program<StoredSettlement> {
    yield* lockChain(settlement.chainId)
    const row = yield* findRow(settlement)
    if (!row) return settlement
    if (row.signed_at_ms !== settlement.signedAtMs) return toSettlement(row)
    const { id, chainId, signer, signerNonce: chainNonce } = settlement
    const callerMs = yield* engine.clock(nowMs)
    const atMs = yield* advanceClock({ chainId, callerMs, pace })
    const others = { chainId, signer, chainNonce, nowMs: atMs, windowMs, exceptId: id }
    const tx = sign(yield* readBook(others))
    if (!tx) return settlement
    yield* replace.run({ ...toColumns(tx), id, atMs })
    return { ...settlement, ...tx, signedAtMs: atMs }
  }

  function* readNow({
    chainId,
    nowMs,
    pace,
  }: {
    readonly chainId: number
    readonly nowMs: number
    readonly pace?: Pace | undefined
  }): Program<number> {
    const storedMs = (yield* readStoredClock(chainId)) ?? 0
    const callerMs = yield* engine.clock(nowMs)
    return readPaced({ callerMs, storedMs, pace })
  }

  return {
    ...createSharedCaps(engine, 'settlements'),
    findKey: async (authorization) => (await engine.read(() => findRow(authorization)))?.key_id,
    find: async (authorization) => {
      const row = await engine.read(() => findRow(authorization))
      return row && toSettlement(row)
    },
    reserve: (settlement, sign) => engine.write(() => reserve(settlement, sign)),
    listOpen: async (chainId) => (await engine.read(() => open.all(chainId))).map(toSettlement),
    listFailed: async ({ windowMs, ...request }) => {
      const rows = await engine.read(function* () {
        return yield* failed.all(request.chainId, (yield* readNow(request)) - windowMs)
      })
      return rows.map(toSettlement)
    },
    listSigners: async (chainId) =>
      (await engine.read(() => signers.all(chainId))).map(({ signer }) => signer),
    listUnmined: async ({ chainId, signer, chainNonce }) =>
      (await engine.read(() => unmined.all(chainId, signer.toLowerCase(), chainNonce))).map(
        toSettlement,
      ),
    raise: (settlement, times, sign) => engine.write(() => raise(settlement, times, sign)),
    finish: ({ id, state, txHash, reason = null, nowMs = 0, pace }) =>
      engine.write(function* () {
        const chainId = (yield* chainOf.get(id))?.chain_id
        if (chainId === undefined) return
        yield* lockChain(chainId)
        const callerMs = yield* engine.clock(nowMs)
        const failedAtMs =
          state === 'failed' ? yield* advanceClock({ chainId, callerMs, pace }) : null
        yield* finish.run({ id, state, txHash, reason, failedAtMs })
      }),
    readBook: (request) =>
      engine.read(function* () {
        return yield* readBook({ ...request, nowMs: yield* readNow(request) })
      }),
  }
}

const toColumns = (tx: SettlementTx) => ({
  ...tx,
  gasLimit: tx.gasLimit.toString(),
  maxFeePerGasWei: tx.maxFeePerGasWei.toString(),
  maxPriorityFeePerGasWei: tx.maxPriorityFeePerGasWei.toString(),
})

const toSettlement = (row: Row): StoredSettlement => ({
  id: row.id,
  chainId: row.chain_id,
  asset: row.asset,
  payer: row.payer,
  nonce: row.nonce,
  keyId: row.key_id,
  payerCode: row.payer_code ?? undefined,
  validBeforeSecs: row.valid_before_secs,
  fromBlock: BigInt(row.from_block),
  calldata: row.calldata,
  signer: row.signer,
  signerNonce: row.signer_nonce,
  gasLimit: BigInt(row.gas_limit),
  maxFeePerGasWei: BigInt(row.max_fee_per_gas_wei),
  maxPriorityFeePerGasWei: BigInt(row.max_priority_fee_per_gas_wei),
  rawTx: row.raw_tx,
  txHash: row.tx_hash,
  state: row.state,
  reason: row.reason ?? undefined,
  createdAtMs: row.created_at_ms,
  signedAtMs: row.signed_at_ms,
})
