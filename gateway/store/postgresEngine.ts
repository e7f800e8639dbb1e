import { createHash } from 'node:crypto'
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { databaseNow } from './databaseNow.ts'
import type { Engine } from './engine.ts'
import { type Outcome, type Program, type Query, sql } from './program.ts'
import { StoreUnavailable, toStoreError } from './storeUnavailable.ts'

/** Serialization failures and deadlocks: the database asks to be asked again. */
const retried: ReadonlySet<unknown> = new Set(['40001', '40P01'])
export const attempts = 5

export const isRetried = (error: unknown) =>
  error instanceof StoreUnavailable && retried.has((error.cause as { code?: unknown }).code)

const readNow = sql<{ ms: number }>(`SELECT ${databaseNow} AS ms`)

/** Who writes to a table holds this lock on it, before anything else of the statement, until the transaction ends. */
const readWriters = `SELECT virtualtransaction AS writer FROM pg_locks
  WHERE relation = $1::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** PostgreSQL's advisory locks are named by 64-bit numbers. */
export function toLockKey(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE()
}

/**
 * Runs programs on PostgreSQL, a connection of the pool for each. READ COMMITTED with the locks that the
 * programs name: what they read after a lock is what the last holder left.
 *
 * `time` says whose clock counts: the database's, one for all machines, or the caller's, for tests.
 */
export function createPostgresEngine(
  pool: Pool,
  { time }: { readonly time: 'database' | 'caller' },
): Engine {
  const names = new Map<string, string>()

  function nameOf(text: string): string {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = `forkyard_${names.size}`
    names.set(text, name)
    return name
  }

  function toRequest(query: Exclude<Query, { readonly kind: 'together' }>): QueryConfig {
    if (query.kind === 'lock')
      return { text: `SELECT pg_advisory_xact_lock(${toLockKey(query.name)})` }
    if (query.kind === 'shareLock')
      return {
        text: `SELECT pg_try_advisory_xact_lock_shared(${toLockKey(query.name)}) AS shared`,
      }
    if (query.kind === 'writers') return { text: readWriters, values: [query.table] }
    const { text, values } = query
    return { name: nameOf(text.postgres), text: text.postgres, values: [...values] }
  }

  async function ask(client: Pool | PoolClient, query: Query): Promise<Outcome> {
    // On one connection the first that fails is heard first, and what follows it fails, too.
    if (query.kind === 'together') {
      const rows = await Promise.all(query.queries.map((each) => ask(client, each)))
      return { rows, changes: 0 }
    }
    const result = await send(client, toRequest(query))
    return { rows: result.rows, changes: result.rowCount ?? 0 }
  }

  async function run<value>(
    client: Pool | PoolClient,
    program: Program<value>,
    begun?: Promise<unknown>,
  ): Promise<value> {
    let step = program.next()
    // What changes nothing goes along with the beginning; nothing else is sent before that is known.
    if (step.done || !isRead(step.value)) await begun
    while (!step.done) {
      const [outcome] = await Promise.all([ask(client, step.value), begun])
      step = program.next(outcome)
    }
    return step.value
  }

  async function transact<value>(begin: string, program: () => Program<value>): Promise<value> {
    const client = await connect(pool)
    let broken: Error | undefined
    try {
      const begun = send(client, { text: begin })
      begun.catch(() => undefined)
      const value = await run(client, program(), begun)
      await send(client, { text: 'COMMIT' })
      return value
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  return {
    read: (program) => run(pool, program()),
    snapshot: (program) => transact('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', program),
    async write(program) {
      for (let left = attempts - 1; ; left -= 1) {
        try {
          return await transact('BEGIN', program)
        } catch (error) {
          if (left === 0 || !isRetried(error)) throw error
        }
      }
    },
    *clock(callerMs) {
      return time === 'caller' ? callerMs : ((yield* readNow.get())?.ms ?? callerMs)
    },
  }
}

/** Changes nothing, within a transaction or without. */
function isRead(query: Query): boolean {
  if (query.kind === 'together') return query.queries.every(isRead)
  return query.kind !== 'query' || /^\s*SELECT\b/.test(query.text.postgres)
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    throw toStoreError(cause)
  }
}

async function send(client: Pool | PoolClient, request: QueryConfig): Promise<QueryResult> {
  try {
    return await client.query(request)
  } catch (cause) {
    throw toStoreError(cause)
  }
}
