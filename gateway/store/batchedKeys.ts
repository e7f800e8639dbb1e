import type { Pool } from 'pg'
import { createFlights } from './flights.ts'
import { type KeyRow, type Keys, keyColumns, type StoredKey, toStoredKey } from './keys.ts'
import { toStoreError } from './storeUnavailable.ts'

const findAll = `SELECT ${keyColumns}, secret_hash FROM keys
  WHERE secret_hash = ANY ($1::bytea[]) AND revoked_at_ms IS NULL`

type Job = {
  readonly secretHash: Buffer
  readonly resolve: (key: StoredKey | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Every request looks up its key, so that a revoked one is refused at once everywhere: keys that arrive
 * together are looked up in one statement.
 */
export function createBatchedKeys(pool: Pool): Keys['findBySecretHash'] {
  const flights = createFlights<Job>(async (jobs) => {
    try {
      const hashes = new Map(jobs.map(({ secretHash }) => [secretHash.toString('hex'), secretHash]))
      const { rows } = await pool.query<KeyRow & { readonly secret_hash: Buffer }>({
        name: 'forkyard_find_keys',
        text: findAll,
        values: [[...hashes.values()]],
      })
      const found = new Map(rows.map((row) => [row.secret_hash.toString('hex'), toStoredKey(row)]))
      for (const { secretHash, resolve } of jobs) resolve(found.get(secretHash.toString('hex')))
    } catch (cause) {
      for (const { reject } of jobs) reject(toStoreError(cause))
    }
  })
  return (secretHash) =>
    new Promise((resolve, reject) => flights.board({ secretHash, resolve, reject }))
}
