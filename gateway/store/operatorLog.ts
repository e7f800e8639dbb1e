import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { sql } from './program.ts'

/** Migration 21. What operators did, before it was done and after: rows that nothing changes or takes away. */
export const operatorLogSchema = ({ rowId, integer, table, appendOnly }: Dialect) => `
CREATE TABLE operator_log (
  id ${rowId},
  run TEXT NOT NULL,
  operator TEXT NOT NULL,
  command TEXT NOT NULL,
  subject TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('begun', 'done', 'failed')),
  detail TEXT NOT NULL,
  at_ms ${integer} NOT NULL
) ${table};
${appendOnly('operator_log')}
`

/** What gateways look for in the log: how old the last backup is, and the last that was tried. */
export const backupCommand = 'backups make'
export const restoreTestCommand = 'backups test'

export type OperatorEntry = {
  /** The same in the rows of one command. */
  readonly run: string
  readonly operator: string
  readonly command: string
  /** What it was done to. */
  readonly subject: string
  /** `begun` without another row: it ended without a word, and what it did stands in the books. */
  readonly phase: 'begun' | 'done' | 'failed'
  /** JSON: what was asked, and how things stood. */
  readonly detail: string
  readonly atMs: number
}

export type OperatorLog = {
  append(entry: OperatorEntry): Promise<void>
  /** When a command was last done, and what it said of it. */
  lastDone(command: string): Promise<Pick<OperatorEntry, 'atMs' | 'detail'> | undefined>
  /** The newest first. */
  list(limit: number): Promise<readonly OperatorEntry[]>
}

const append = sql(
  `INSERT INTO operator_log (run, operator, command, subject, phase, detail, at_ms)
   VALUES (@run, @operator, @command, @subject, @phase, @detail, @nowMs)`,
)
const lastDone = sql<{ at_ms: number; detail: string }>(
  `SELECT at_ms, detail FROM operator_log WHERE command = ? AND phase = 'done'
   ORDER BY at_ms DESC LIMIT 1`,
)
const list = sql<Omit<OperatorEntry, 'atMs'> & { at_ms: number }>(
  `SELECT run, operator, command, subject, phase, detail, at_ms
   FROM operator_log ORDER BY id DESC LIMIT ?`,
)

const whole = sql<Omit<OperatorEntry, 'atMs'> & { at_ms: number }>(
  `SELECT run, operator, command, subject, phase, detail, at_ms FROM operator_log ORDER BY id`,
)

/** What is in one log and not in the other: a backup knows nothing of what operators did since. */
export async function carryOperatorLog({
  from,
  to,
}: {
  readonly from: Pick<Engine, 'read'>
  readonly to: Pick<Engine, 'write'>
}): Promise<void> {
  const nameOf = ({ run, phase }: Pick<OperatorEntry, 'run' | 'phase'>) => `${run} ${phase}`
  const rows = await from.read(() => whole.all())
  await to.write(function* () {
    const known = new Set((yield* whole.all()).map(nameOf))
    for (const { at_ms: nowMs, ...row } of rows)
      if (!known.has(nameOf(row))) yield* append.run({ ...row, nowMs })
  })
}

export function createOperatorLog(engine: Engine): OperatorLog {
  return {
    append: ({ atMs, ...entry }) =>
      engine.write(function* () {
        yield* append.run({ ...entry, nowMs: yield* engine.clock(atMs) })
      }),
    async lastDone(command) {
      const row = await engine.read(() => lastDone.get(command))
      return row && { atMs: row.at_ms, detail: row.detail }
    },
    list: async (limit) =>
      (await engine.read(() => list.all(limit))).map(({ at_ms, ...entry }) => ({
        ...entry,
        atMs: at_ms,
      })),
  }
}
