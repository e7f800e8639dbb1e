import { createFairQueue, type Entrant, siteOf } from './fairQueue.ts'

export type Places = {
  /** Whether there is a place right now; then it is taken. */
  tryEnter(entrant: Entrant): boolean
  /** `full` where too many wait. Whoever got in must leave. Rejects when the signal fires. */
  enter(entrant: Entrant, signal: AbortSignal): Promise<'in' | 'full'>
  leave(entrant: Entrant): void
}

/** A site may have so many times as many places as it leaves free: there is always one for a new one. */
const greed = 2

/** `count` places that sites share, and `waiting` to wait in. */
export function createPlaces(count: number, waiting: number): Places {
  const held = new Map<string, number>()
  let taken = 0
  const heldBy = (site: string) => held.get(site) ?? 0
  const queue = createFairQueue({
    mayStart: (site) => taken < count && heldBy(site) < greed * (count - taken),
    onStart(site) {
      taken++
      held.set(site, heldBy(site) + 1)
    },
    maxWaiting: waiting,
  })
  return {
    tryEnter: queue.tryEnter,
    enter: queue.enter,
    leave(entrant) {
      taken--
      const site = siteOf(entrant)
      const left = heldBy(site) - 1
      if (left > 0) held.set(site, left)
      else held.delete(site)
      queue.pump()
    },
  }
}
