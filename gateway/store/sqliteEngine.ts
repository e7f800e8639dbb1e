import type { Database, Statement } from 'better-sqlite3'
import type { Engine } from './engine.ts'
import { createGroupCommit } from './groupCommit.ts'
import type { Outcome, Program, Query } from './program.ts'
import { whileBusy } from './whileBusy.ts'

const nothing: Outcome = { rows: [], changes: 0 }

/** Runs programs on SQLite, synchronously; all writes of one event-loop turn share a transaction. */
export function createSqliteEngine(db: Database): Engine & { flush(): void } {
  const prepared = new Map<string, Statement>()
  const { commit, flush } = createGroupCommit(db)

  function prepare(text: string): Statement {
    const known = prepared.get(text)
    if (known) return known
    const statement = db.prepare(text)
    prepared.set(text, statement)
    return statement
  }

  function ask(query: Query): Outcome {
    if (query.kind === 'together') return { rows: query.queries.map(ask), changes: 0 }
    if (query.kind !== 'query') return nothing
    const statement = prepare(query.text.sqlite)
    if (statement.reader) {
      const rows = statement.all(...query.values)
      return { rows, changes: rows.length }
    }
    return { rows: [], changes: statement.run(...query.values).changes }
  }

  function run<value>(program: Program<value>): value {
    let step = program.next()
    while (!step.done) step = program.next(ask(step.value))
    return step.value
  }

  return {
    flush,
    read: (program) => whileBusy(() => run(program())),
    snapshot: (program) => whileBusy(() => db.transaction(() => run(program()))()),
    write: (program) => commit(() => run(program())),
    *clock(callerMs) {
      // One file, one machine: there is nothing to ask.
      yield* []
      return callerMs
    },
  }
}
