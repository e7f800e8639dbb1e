import { createFairQueue } from './fairQueue.ts'

export type Places = {
  /** Whether there is a place right now; then it is taken. */
  tryEnter(caller: string): boolean
  /** `full` where too many wait. Whoever got in must leave. Rejects when the signal fires. */
  enter(caller: string, signal: AbortSignal): Promise<'in' | 'full'>
  leave(caller: string): void
}

/** A caller may have so many times as many places as it leaves free: there is always one for a new caller. */
const greed = 2

/** `count` places that callers share, and `waiting` to wait in. */
export function createPlaces(count: number, waiting: number): Places {
  const held = new Map<string, number>()
  let taken = 0
  const heldBy = (caller: string) => held.get(caller) ?? 0
  const queue = createFairQueue({
    mayStart: (caller) => taken < count && heldBy(caller) < greed * (count - taken),
    onStart(caller) {
      taken++
      held.set(caller, heldBy(caller) + 1)
    },
    maxWaiting: waiting,
  })
  return {
    tryEnter: queue.tryEnter,
    enter: queue.enter,
    leave(caller) {
      taken--
      const left = heldBy(caller) - 1
      if (left > 0) held.set(caller, left)
      else held.delete(caller)
      queue.pump()
    },
  }
}
