import type { Database } from 'better-sqlite3'
import type { Address, Hex } from 'viem'

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

/** Pools of each chain as of one block. */
export type PoolSnapshots = {
  load(chainId: number): Promise<PoolSnapshot | undefined>
  /** Moves a chain's snapshot to a block: given pools and tokens replace those of the same name. */
  save(chainId: number, snapshot: PoolSnapshot): Promise<void>
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

export function createPoolSnapshots(db: Database): PoolSnapshots {
  const readHead = db.prepare<[number], HeadRow>('SELECT * FROM pool_heads WHERE chain_id = ?')
  const readPools = db.prepare<[number], { pool: string; state: string }>(
    'SELECT pool, state FROM pools WHERE chain_id = ?',
  )
  const readTokens = db.prepare<[number], TokenRow>(
    'SELECT token, symbol, decimals FROM tokens WHERE chain_id = ?',
  )
  const writeHead = db.prepare<[number, string, string, string, string]>(
    'INSERT OR REPLACE INTO pool_heads VALUES (?, ?, ?, ?, ?)',
  )
  const writePool = db.prepare<[number, string, string]>(
    'INSERT OR REPLACE INTO pools VALUES (?, ?, ?)',
  )
  const writeToken = db.prepare<[number, string, string, number]>(
    'INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)',
  )
  const deletions = ['pool_heads', 'pools', 'tokens'].map((table) =>
    db.prepare<[number]>(`DELETE FROM ${table} WHERE chain_id = ?`),
  )

  const load = db.transaction((chainId: number): PoolSnapshot | undefined => {
    const head = readHead.get(chainId)
    if (!head) return undefined
    return {
      head: {
        number: BigInt(head.block_number),
        hash: head.block_hash,
        parentHash: head.parent_hash,
        timestampSecs: BigInt(head.timestamp_secs),
      },
      pools: readPools.all(chainId).map(({ pool, state }) => ({ id: pool, state })),
      tokens: readTokens
        .all(chainId)
        .map(({ token, symbol, decimals }) => ({ address: token, symbol, decimals })),
    }
  })
  const save = db.transaction((chainId: number, { head, pools, tokens }: PoolSnapshot) => {
    const { number, hash, parentHash, timestampSecs } = head
    writeHead.run(chainId, number.toString(), hash, parentHash, timestampSecs.toString())
    for (const { id, state } of pools) writePool.run(chainId, id, state)
    for (const { address, symbol, decimals } of tokens)
      writeToken.run(chainId, address, symbol, decimals)
  })
  const clear = db.transaction((chainId: number) => {
    for (const statement of deletions) statement.run(chainId)
  })
  return {
    load: async (chainId) => load(chainId),
    save: async (chainId, snapshot) => save(chainId, snapshot),
    clear: async (chainId) => clear(chainId),
  }
}
