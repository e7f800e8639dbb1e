export type SqlValue = string | number | bigint | Buffer | null

export type Query =
  | { readonly kind: 'query'; readonly text: SqlText; readonly values: readonly SqlValue[] }
  | { readonly kind: 'lock'; readonly name: string }
  | { readonly kind: 'shareLock'; readonly name: string }
  | { readonly kind: 'writers'; readonly table: string }
  /** None waits for another's answer. Its rows are their outcomes. */
  | { readonly kind: 'together'; readonly queries: readonly Query[] }

export type Outcome = { readonly rows: readonly unknown[]; readonly changes: number }

/**
 * Work on the database, written once for both engines: it yields queries and is handed what they give.
 * SQLite runs it in one go, PostgreSQL waits between its steps. An engine may run it again from the start.
 */
export type Program<value> = Generator<Query, value, Outcome>

type SqlText = { readonly sqlite: string; readonly postgres: string }
type Given = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>]

export type Sql<row> = {
  get(...values: Given): Program<row | undefined>
  all(...values: Given): Program<readonly row[]>
  /** Of a statement that counts: it always has its one row. */
  count(...values: Given): Program<number>
  /** How many rows it changed. */
  run(...values: Given): Program<number>
}

const placeholder = /\?|@(\w+)/g

/**
 * A statement of both engines, with `?` in order or `@names` of one object. `locking` keeps the rows it
 * reads from everybody else until the transaction ends; SQLite has one writer at a time anyway.
 */
export function sql<row = never>(source: string, { locking = false } = {}): Sql<row> {
  const names = [...source.matchAll(placeholder)].map(([, name]) => name)
  let count = 0
  const text: SqlText = {
    // A bare value may change the plan, so SQLite would plan anew whenever it is given one: most of a read.
    sqlite: source.replace(placeholder, '+?'),
    postgres:
      source.replace(placeholder, () => `$${++count}`) + (locking ? ' FOR NO KEY UPDATE' : ''),
  }
  function* ask(given: Given): Program<Outcome> {
    return yield { kind: 'query', text, values: toValues(names, given) }
  }
  return {
    // The statement's author says what its rows are.
    *get(...values) {
      return (yield* ask(values)).rows[0] as row | undefined
    },
    *all(...values) {
      return (yield* ask(values)).rows as readonly row[]
    },
    *count(...values) {
      return ((yield* ask(values)).rows[0] as { readonly count: number }).count
    },
    *run(...values) {
      return (yield* ask(values)).changes
    },
  }
}

function toValues(names: readonly (string | undefined)[], given: Given): readonly SqlValue[] {
  const [first] = given
  if (typeof first !== 'object' || first === null || Buffer.isBuffer(first))
    return given as readonly SqlValue[]
  return names.map((name) => {
    const value = first[name ?? '']
    if (value === undefined) throw new Error(`the statement wants a value for ${name}`)
    return value
  })
}

/**
 * Until the transaction ends, nobody else who locks this name goes on, in whatever process. SQLite has one
 * writer at a time anyway.
 */
export function* lock(name: string): Program<void> {
  yield { kind: 'lock', name }
}

/**
 * Until the transaction ends nobody locks this name; false where somebody has it locked, or waits to: nobody
 * is waited for.
 */
export function* shareLock(name: string): Program<boolean> {
  const [answer] = (yield { kind: 'shareLock', name }).rows as readonly {
    readonly shared: boolean
  }[]
  // SQLite, which has no answer, has one writer at a time.
  return answer?.shared ?? true
}

/**
 * The transactions that write to this table or have written to it, in whatever process, and have not ended. SQLite
 * has one writer at a time anyway.
 */
export function* listWriters(table: string): Program<readonly string[]> {
  const { rows } = yield { kind: 'writers', table }
  return (rows as readonly { readonly writer: string }[]).map(({ writer }) => writer)
}

type Asking = { readonly index: number; readonly program: Program<unknown>; readonly query: Query }

/**
 * Runs programs that need nothing of one another: what each asks next travels together, and is answered in
 * their order.
 */
export function* together<const values extends readonly unknown[]>(
  ...programs: { readonly [index in keyof values]: Program<values[index]> }
): Program<values> {
  const values: unknown[] = []
  function go(index: number, program: Program<unknown>, answer?: Outcome): readonly Asking[] {
    const step = answer ? program.next(answer) : program.next()
    if (!step.done) return [{ index, program, query: step.value }]
    values[index] = step.value
    return []
  }
  let asking = programs.flatMap((program, index) => go(index, program))
  while (asking.length > 0) {
    const { rows } = yield { kind: 'together', queries: asking.map(({ query }) => query) }
    // An engine answers each.
    const outcomes = rows as readonly Outcome[]
    asking = asking.flatMap(({ index, program }, at) => go(index, program, outcomes[at]))
  }
  return values as unknown as values
}
