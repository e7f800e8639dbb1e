import { amountPerQuote } from '../../access/sale/amountPerQuote.ts'
import { auditBooks, type ChainRow, type Fault, readChainRows } from '../../store/auditBooks.ts'
import { auditCheckpoints } from '../../store/auditCheckpoints.ts'
import { openAsItIs } from '../../store/openAsItIs.ts'
import type { DatabaseConfig } from '../../store/openConfiguredStore.ts'

export type DatabaseAudit = {
  readonly database: DatabaseConfig
  /** Public keys, one of which must have signed the newest checkpoint. */
  readonly trusted: readonly string[]
}

/** Where a database does not balance in itself, and its newest rows of each kind that name a transaction. */
export async function auditDatabase(
  { database, trusted }: DatabaseAudit,
  { rows }: { readonly rows: number },
): Promise<{ readonly faults: readonly Fault[]; readonly named: readonly ChainRow[] }> {
  const { engine, close } = await openAsItIs(database, 'read')
  try {
    return await engine.snapshot(function* () {
      const faults = [
        ...(yield* auditBooks({ amountPerQuote })),
        ...(yield* auditCheckpoints({ trusted })),
      ]
      return { faults, named: yield* readChainRows(rows) }
    })
  } finally {
    await close()
  }
}
