import { createFewLines } from './fewLines.ts'
import type { Log } from './log.ts'

/** By its code where it has one, which is the system's or PostgreSQL's: its text may name an address. */
const codeOf = (cause: Error) => ('code' in cause ? String(cause.code) : cause.name)

/** Logs that connections were lost: each of a gateway's sessions loses two a second while its database is away. */
export function createDatabaseLog(
  log: Pick<Log, 'warn'>,
  { now }: { readonly now: () => number },
): (cause: Error) => void {
  const few = createFewLines<'database'>({ now })
  return (cause) => {
    const failing = few('database')
    if (failing) log.warn({ reason: codeOf(cause), ...failing }, 'a database connection was lost')
  }
}
