import { SchemaTooNew } from './schemaGuard.ts'

/** The database could not be asked, or took nothing: full, read-only, shutting down, out of reach. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
  readonly code = 'STORE_UNAVAILABLE'
}

/** SQLSTATE classes that mean the statement and not the database is at fault. */
const ours = /^(0A|2[0-8]|3|4[2-4]|P0)/

/** A mistake of ours stays what it is, as a schema that is too new does; the rest becomes `StoreUnavailable`. */
export function toStoreError(cause: unknown): unknown {
  if (cause instanceof SchemaTooNew) return cause
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && ours.test(code)) {
    // 25006: the server has become read-only, as one that was replaced does.
    if (code !== '25006') return cause
  }
  return new StoreUnavailable('the database does not answer', { cause })
}
