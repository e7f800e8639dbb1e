import type { Address, Hex } from 'viem'
import type { Engine } from './engine.ts'
import { type Program, sql } from './program.ts'

export type SnapshotHead = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestampSecs: bigint
}
export type SnapshotToken = {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}
/** `state` is the owner's own text; the store does not look into it. */
export type SnapshotPool = { readonly id: string; readonly state: string }

export type PoolSnapshot = {
  readonly head: SnapshotHead
  readonly pools: readonly SnapshotPool[]
  readonly tokens: readonly SnapshotToken[]
}

/** What a snapshot had and has no more: ids of pools, and tokens as they were given. */
export type GoneRows = {
  readonly gonePools: readonly string[]
  readonly goneTokens: readonly Address[]
}

/** Pools of each chain as of one block. */
export type PoolSnapshots = {
  load(chainId: number): Promise<PoolSnapshot | undefined>
  /**
   * Moves a chain's snapshot to a block: given pools and tokens replace those of the same name. Many
   * are written in small transactions between which other work goes on; until the last one there is no
   * snapshot, and what a save that broke off has left is gone with the next. One save of a chain at a time.
   */
  save(chainId: number, snapshot: PoolSnapshot & Partial<GoneRows>): Promise<void>
  /** Forgets a chain's snapshot. */
  clear(chainId: number): Promise<void>
}

type HeadRow = {
  block_number: string
  block_hash: Hex
  parent_hash: Hex
  timestamp_secs: string
}
type TokenRow = { token: Address; symbol: string; decimals: number }

const readHead = sql<HeadRow>('SELECT * FROM pool_heads WHERE chain_id = ?')
const readPools = sql<{ pool: string; state: string }>(
  'SELECT pool, state FROM pools WHERE chain_id = ?',
)
const readTokens = sql<TokenRow>('SELECT token, symbol, decimals FROM tokens WHERE chain_id = ?')
const writeHead = sql(
  `INSERT INTO pool_heads VALUES (?, ?, ?, ?, ?) ON CONFLICT (chain_id) DO UPDATE
     SET block_number = excluded.block_number, block_hash = excluded.block_hash,
         parent_hash = excluded.parent_hash, timestamp_secs = excluded.timestamp_secs`,
)
const writePool = sql(
  `INSERT INTO pools VALUES (?, ?, ?)
   ON CONFLICT (chain_id, pool) DO UPDATE SET state = excluded.state`,
)
const writeToken = sql(
  `INSERT INTO tokens VALUES (?, ?, ?, ?) ON CONFLICT (chain_id, token) DO UPDATE
     SET symbol = excluded.symbol, decimals = excluded.decimals`,
)
const forgetPool = sql('DELETE FROM pools WHERE chain_id = ? AND pool = ?')
const forgetToken = sql('DELETE FROM tokens WHERE chain_id = ? AND token = ?')
const forgetHead = sql('DELETE FROM pool_heads WHERE chain_id = ?')
const deletions = ['pool_heads', 'pools', 'tokens'].map((table) =>
  sql(`DELETE FROM ${table} WHERE chain_id = ?`),
)

function* load(chainId: number): Program<PoolSnapshot | undefined> {
  const head = yield* readHead.get(chainId)
  if (!head) return undefined
  const pools = yield* readPools.all(chainId)
  const tokens = yield* readTokens.all(chainId)
  return {
    head: {
      number: BigInt(head.block_number),
      hash: head.block_hash,
      parentHash: head.parent_hash,
      timestampSecs: BigInt(head.timestamp_secs),
    },
    pools: pools.map(({ pool, state }) => ({ id: pool, state })),
    tokens: tokens.map(({ token, symbol, decimals }) => ({ address: token, symbol, decimals })),
  }
}

/** A transaction of so many rows takes about a millisecond and its flush to the disk. */
const rowsPerPiece = 50

function* writeRows(
  chainId: number,
  { pools, tokens, gonePools, goneTokens }: Rows,
): Program<void> {
  for (const id of gonePools) yield* forgetPool.run(chainId, id)
  for (const address of goneTokens) yield* forgetToken.run(chainId, address)
  for (const { id, state } of pools) yield* writePool.run(chainId, id, state)
  for (const { address, symbol, decimals } of tokens)
    yield* writeToken.run(chainId, address, symbol, decimals)
}

function* saveHead(chainId: number, head: SnapshotHead): Program<void> {
  const { number, hash, parentHash, timestampSecs } = head
  yield* writeHead.run(chainId, number.toString(), hash, parentHash, timestampSecs.toString())
}

type Rows = Pick<PoolSnapshot, 'pools' | 'tokens'> & GoneRows

const noRows: Rows = { pools: [], tokens: [], gonePools: [], goneTokens: [] }

function listPieces({ pools, tokens, gonePools, goneTokens }: Rows): readonly Rows[] {
  const lengths = [pools, tokens, gonePools, goneTokens].map(({ length }) => length)
  const count = Math.ceil(Math.max(...lengths) / rowsPerPiece)
  return Array.from({ length: count }, (_, k) => {
    const range = [k * rowsPerPiece, (k + 1) * rowsPerPiece] as const
    return {
      pools: pools.slice(...range),
      tokens: tokens.slice(...range),
      gonePools: gonePools.slice(...range),
      goneTokens: goneTokens.slice(...range),
    }
  })
}

function* clear(chainId: number): Program<void> {
  for (const statement of deletions) yield* statement.run(chainId)
}

/** Rows without a head are of a save that broke off, each as of another block. */
function* clearLeftovers(chainId: number): Program<void> {
  if (!(yield* readHead.get(chainId))) yield* clear(chainId)
}

/** A head is what makes pools a snapshot: it goes before the first of many changes and comes last. */
async function save(
  engine: Engine,
  { chainId, head, ...rows }: PoolSnapshot & Partial<GoneRows> & { readonly chainId: number },
): Promise<void> {
  const pieces = listPieces({ ...noRows, ...rows })
  const isWhole = pieces.length <= 1
  if (!isWhole)
    await engine.write(function* () {
      yield* clearLeftovers(chainId)
      yield* forgetHead.run(chainId)
    })
  for (const piece of pieces.slice(0, -1)) await engine.write(() => writeRows(chainId, piece))
  await engine.write(function* () {
    if (isWhole) yield* clearLeftovers(chainId)
    yield* writeRows(chainId, pieces.at(-1) ?? noRows)
    yield* saveHead(chainId, head)
  })
}

export function createPoolSnapshots(engine: Engine): PoolSnapshots {
  return {
    load: (chainId) => engine.snapshot(() => load(chainId)),
    save: (chainId, snapshot) => save(engine, { chainId, ...snapshot }),
    clear: (chainId) => engine.write(() => clear(chainId)),
  }
}
