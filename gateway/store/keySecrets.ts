import type { Dialect } from './dialect.ts'
import { type KeyRow, keyColumns } from './keyRows.ts'
import { type Program, sql } from './program.ts'

/**
 * Migration 20. Further secrets of a key. A twin is the key's secret under another pepper: it counts as long as
 * the key's own hash is what it was, so that a gateway that knows nothing of twins may rotate the key. Others are
 * what a rotation has left, until a moment.
 */
export const keySecretsSchema = ({ integer, bytes, keyedTable }: Dialect) => `
CREATE TABLE key_secrets (
  secret_hash ${bytes} NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  twin_of ${bytes},
  until_ms ${integer},
  CHECK (twin_of IS NOT NULL OR until_ms IS NOT NULL)
) ${keyedTable};
CREATE INDEX key_secrets_of_key ON key_secrets (key_id);
`

const columns = keyColumns.replaceAll(/\w+/g, 'k.$&')

/** The rest of a statement that finds keys by further secrets; after it comes which of them, by `s.secret_hash`. */
export const furtherSecrets = (columnsOfSecret = '') =>
  `SELECT ${columns}${columnsOfSecret} FROM key_secrets s JOIN keys k ON k.id = s.key_id
   WHERE k.revoked_at_ms IS NULL AND (s.twin_of IS NULL OR s.twin_of = k.secret_hash)`

const find = sql<KeyRow>(
  `${furtherSecrets()} AND (s.until_ms IS NULL OR s.until_ms > ?) AND s.secret_hash = ?`,
)
const addTwin = sql(
  `INSERT INTO key_secrets (secret_hash, key_id, twin_of)
   SELECT @twin, id, secret_hash FROM keys WHERE secret_hash = @secretHash
   ON CONFLICT (secret_hash) DO NOTHING`,
)
const addTwinOfFurther = sql(
  `INSERT INTO key_secrets (secret_hash, key_id, twin_of, until_ms)
   SELECT @twin, key_id, twin_of, until_ms FROM key_secrets WHERE secret_hash = @secretHash
   ON CONFLICT (secret_hash) DO NOTHING`,
)
const forgetDeadTwins = sql(
  `DELETE FROM key_secrets WHERE key_id = ?
   AND twin_of <> (SELECT secret_hash FROM keys WHERE id = key_secrets.key_id)`,
)
const leaveTwins = sql(
  'UPDATE key_secrets SET twin_of = NULL, until_ms = ? WHERE key_id = ? AND twin_of IS NOT NULL',
)
const leave = sql(
  `INSERT INTO key_secrets (secret_hash, key_id, until_ms)
   SELECT secret_hash, id, @untilMs FROM keys WHERE id = @id`,
)
const forget = sql('DELETE FROM key_secrets WHERE key_id = ?')

export const findByFurtherSecret = (secretHash: Buffer, nowMs: number) =>
  find.get(nowMs, secretHash)

/** Has a key found by `twin` as well, for as long as by `secretHash`: its own, or a further one. */
export function* addSecretTwin({
  secretHash,
  twin,
}: {
  readonly secretHash: Buffer
  readonly twin: Buffer
}): Program<void> {
  yield* addTwin.run({ secretHash, twin })
  yield* addTwinOfFurther.run({ secretHash, twin })
}

/** Before a key's own secret is replaced: it goes on until then, or stops with all that were before it. */
export function* leaveSecrets(id: string, untilMs: number | undefined): Program<void> {
  if (untilMs === undefined) {
    yield* forget.run(id)
    return
  }
  // Twins of what was stopped before stay stopped.
  yield* forgetDeadTwins.run(id)
  yield* leaveTwins.run(untilMs, id)
  yield* leave.run({ id, untilMs })
}
