/** Between two lines of what fails: while a node or a database is away that is many times a second. */
const eachMs = 10_000

/** How often something failed since it was last told of, and over how long; that is absent the first time. */
export type Failing = { readonly times: number; readonly overMs?: number }

/** What the line is to say that is due now of what has just failed; undefined where none is. */
export function createFewLines<name>({ now }: { readonly now: () => number }) {
  const failures = new Map<name, { toldMs: number; times: number }>()
  return (name: name): Failing | undefined => {
    const known = failures.get(name)
    const times = (known?.times ?? 0) + 1
    const overMs = now() - (known?.toldMs ?? now())
    if (known && overMs < eachMs) {
      failures.set(name, { ...known, times })
      return undefined
    }
    failures.set(name, { toldMs: now(), times: 0 })
    return { times, ...(known && { overMs }) }
  }
}
