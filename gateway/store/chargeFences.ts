import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { databaseNow } from './databaseNow.ts'
import type { Dialect } from './dialect.ts'
import { type Program, sql } from './program.ts'

/**
 * Migration 016. What charged in one transaction leaves its name here with the keys that it has charged, and
 * takes it away with a later one. Whoever does not know how a transaction has ended puts the name there
 * without keys: then it never was, and never will be, since a name can be taken once.
 */
export const chargeFencesSchema = ({ integer, keyedTable }: Dialect) => `
CREATE TABLE charge_fences (
  id TEXT PRIMARY KEY,
  charged TEXT,
  at_ms ${integer} NOT NULL
) ${keyedTable};
`

const raise = sql('INSERT INTO charge_fences (id, charged, at_ms) VALUES (?, ?, ?)')

/** Inside the transaction that charges. */
export const raiseFence = (fence: string, keyId: string, atMs: number): Program<number> =>
  raise.run(fence, keyId, atMs)

const raiseOnce = sql(
  'INSERT INTO charge_fences (id, charged, at_ms) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
)

/** False where a transaction of that name has ended well before: it need not be made again. */
export function* passFence(fence: string, keyId: string, atMs: number): Program<boolean> {
  return (yield* raiseOnce.run(fence, keyId, atMs)) === 1
}

/** Waits for a transaction of that name that is under way; a later one of that name is refused. */
const close = `
  INSERT INTO charge_fences (id, charged, at_ms)
  VALUES ($1, NULL, ${databaseNow})
  ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING charged`
const everyMs = 250

/** Asks until the database answers. */
export async function untilAnswered<value>(ask: () => Promise<value>): Promise<value> {
  for (;;) {
    const answer = await ask().then(
      (value) => ({ value }),
      () => undefined,
    )
    if (answer) return answer.value
    await wait(everyMs, undefined, { ref: false })
  }
}

/**
 * How a transaction has ended whose connection broke meanwhile: the keys that it has charged, none if it
 * never was.
 */
export async function closeFence(pool: Pool, fence: string): Promise<readonly string[]> {
  const { rows } = await untilAnswered(() =>
    pool.query<{ charged: string | null }>({ text: close, values: [fence] }),
  )
  return rows[0]?.charged?.split(' ') ?? []
}

const keptMs = 86_400_000

/** Of processes that were killed; the others take theirs away. */
export const dropOldFences = `DELETE FROM charge_fences
  WHERE at_ms < ${databaseNow} - ${keptMs}`
