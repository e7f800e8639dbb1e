import { version } from '../runtime/version.ts'
import type { Migration } from './migrations.ts'

/** A row of the table of migrations; earlier versions wrote neither their own number nor what is needed. */
export type AppliedMigration = {
  readonly id: number
  readonly name: string
  readonly version: string | null
  readonly needs: number | null
}

/** A newer version has changed the database in a way that this one does not know; the sentence is for the operator. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
  constructor({ id, name, version: writer }: AppliedMigration, last: number) {
    super(
      `the database is newer than this gateway: migration ${id} (${name}) was written by ${writer ?? 'an unnamed version'}, and ${version} knows ${last} at the most; start that version, or restore a backup made before it`,
    )
  }
}

/**
 * A schema is changed in two releases: the first adds and is marked with what it `needs`, so that a rollback
 * may start beside it; the one that takes away is not, and refuses gateways that have not heard of it.
 */
export function requireKnownSchema(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): void {
  const last = known.at(-1)?.id ?? 0
  const strange = applied.find(({ id, needs }) => (needs ?? id) > last)
  if (strange) throw new SchemaTooNew(strange, last)
}

/** What a migration's row says of it. */
export const toRow = ({ id, name, needs = id }: Migration) => [id, name, version, needs] as const
