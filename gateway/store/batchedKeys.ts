import type { Pool } from 'pg'
import { databaseNow } from './databaseNow.ts'
import { createFlights } from './flights.ts'
import { type KeyRow, keyColumns, type StoredKey, toStoredKey } from './keyRows.ts'
import { furtherSecrets } from './keySecrets.ts'
import type { Keys } from './keys.ts'
import { toStoreError } from './storeUnavailable.ts'

/** A time of the caller's, in tests with clocks of their own; else the database's. */
const findAll = `SELECT ${keyColumns}, secret_hash FROM keys
  WHERE secret_hash = ANY ($1::bytea[]) AND revoked_at_ms IS NULL
  UNION ALL ${furtherSecrets(', s.secret_hash')}
  AND (s.until_ms IS NULL OR s.until_ms > COALESCE($2::bigint, ${databaseNow}))
  AND s.secret_hash = ANY ($1::bytea[])`

type Job = {
  readonly secretHash: Buffer
  readonly atMs: number
  readonly resolve: (key: StoredKey | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Every request looks up its key, so that a revoked one is refused at once everywhere: keys that arrive
 * together are looked up in one statement.
 */
export function createBatchedKeys(
  pool: Pool,
  { time }: { readonly time: 'database' | 'caller' },
): Keys['findBySecretHash'] {
  const flights = createFlights<Job>(async (jobs) => {
    try {
      const hashes = new Map(jobs.map(({ secretHash }) => [secretHash.toString('hex'), secretHash]))
      const { rows } = await pool.query<KeyRow & { readonly secret_hash: Buffer }>({
        name: 'forkyard_find_keys',
        text: findAll,
        values: [
          [...hashes.values()],
          time === 'caller' ? Math.max(...jobs.map(({ atMs }) => atMs)) : null,
        ],
      })
      const found = new Map(rows.map((row) => [row.secret_hash.toString('hex'), toStoredKey(row)]))
      for (const { secretHash, resolve } of jobs) resolve(found.get(secretHash.toString('hex')))
    } catch (cause) {
      for (const { reject } of jobs) reject(toStoreError(cause))
    }
  })
  return (secretHash, atMs) =>
    new Promise((resolve, reject) => flights.board({ secretHash, atMs, resolve, reject }))
}
