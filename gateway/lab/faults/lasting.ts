import type { Log } from '../../http/serviceOptions.ts'

type Undo = () => Promise<void>
type Held = { readonly name: string; readonly undo: Promise<Undo>; readonly timer: NodeJS.Timeout }

export type Lasting = ReturnType<typeof createLasting>

/** What faults change for a while: each thing once, however many requests ask for it, and taken back at the end. */
export function createLasting({ log }: { readonly log: Log }) {
  const held = new Map<string, Held>()
  let turn: Promise<unknown> = Promise.resolve()
  /** One after the other: what begins does not find what another is just taking back. */
  const inTurn = <value>(work: () => Promise<value>): Promise<value> => {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  async function end(key: string) {
    const found = held.get(key)
    if (!found) return
    held.delete(key)
    clearTimeout(found.timer)
    await inTurn(async () => (await found.undo)())
  }

  return {
    /** Begins it, or has what has begun go on for so long from now. */
    async hold(
      { name, of, ms }: { readonly name: string; readonly of: string; readonly ms: number },
      begin: () => Promise<Undo>,
    ): Promise<void> {
      const key = `${name} ${of}`
      const before = held.get(key)
      clearTimeout(before?.timer)
      const undo = before?.undo ?? inTurn(begin)
      const timer = setTimeout(
        () => end(key).catch((err: unknown) => log.error({ err }, `${name} was not taken back`)),
        ms,
      )
      timer.unref()
      held.set(key, { name, undo, timer })
      await undo.catch((error: unknown) => {
        clearTimeout(timer)
        held.delete(key)
        throw error
      })
    },
    /** Takes back what faults of this name do, or all of it. */
    async end(name?: string): Promise<void> {
      const meant = [...held].filter(([, each]) => name === undefined || each.name === name)
      await Promise.all(meant.map(([key]) => end(key)))
    },
  }
}
