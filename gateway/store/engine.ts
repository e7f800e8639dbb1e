import type { Program } from './program.ts'

/** What runs programs on a database. */
export type Engine = {
  /** Outside a transaction: for programs of which each query stands for itself. */
  read<value>(program: () => Program<value>): Promise<value>
  /** All queries see one moment. */
  snapshot<value>(program: () => Program<value>): Promise<value>
  /** All or nothing; durable when the promise resolves. */
  write<value>(program: () => Program<value>): Promise<value>
  /** The time that counts for windows, given the caller's: the database's own where machines share it. */
  clock(callerMs: number): Program<number>
}

/** A database as it is, without what a gateway begins with. */
export type OpenDatabase = { readonly engine: Engine; close(): Promise<void> }

/** `read`: nothing can be written, and a question may take ten minutes. */
export type Access = 'read' | 'write'
