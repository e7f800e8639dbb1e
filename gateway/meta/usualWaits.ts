import { fail, type SourceOutcome } from './provider/source.ts'
import type { Ticket } from './provider/ticket.ts'

/** The end of a wait while its call stands in a line is looked at again after this at the earliest. */
const leastMoreMs = 20

/**
 * Ends the wait for whoever takes longer than is usual of it, once there is enough to answer with that `holds`,
 * which is asked once. What it waits for its turns is not its time, and what came while the loop was busy is read
 * first.
 */
export function createUsualWaits({
  holds = async () => true,
}: {
  readonly holds?: (() => Promise<boolean>) | undefined
} = {}) {
  const enough = Promise.withResolvers<void>()
  let held: Promise<boolean> | undefined
  const never = new Promise<never>(() => undefined)
  const timers = new Set<NodeJS.Timeout>()
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        resolve()
      }, ms)
      timers.add(timer)
    })
  return {
    noteEnough: enough.resolve,
    /** From now on, for as long as is usual. */
    async over({
      usualMs,
      ticket,
      isOpen,
    }: {
      readonly usualMs: number
      readonly ticket: () => Ticket | undefined
      /** Nothing is asked for whoever has answered. */
      readonly isOpen: () => boolean
    }): Promise<SourceOutcome> {
      const startedAtMs = performance.now()
      const leftMs = () => {
        const turn = ticket()
        const ms = usualMs + (turn?.waitedMs() ?? 0) - (performance.now() - startedAtMs)
        return turn?.isWaiting() ? Math.max(leastMoreMs, ms) : ms
      }
      for (let ms = leftMs(); ms > 0; ms = leftMs()) await sleep(ms)
      await enough.promise
      if (!isOpen()) return never
      held ??= holds()
      if (!(await held)) return never
      await new Promise(setImmediate)
      return fail('timeout', `slower than the ${Math.round(usualMs)} ms that it is waited for`)
    },
    close: () => timers.forEach(clearTimeout),
  }
}
