import { createFairQueue, type FairQueue } from './fairQueue.ts'
import { type Entrant, siteOf } from './ticket.ts'

export type Places = Pick<FairQueue, 'tryEnter' | 'enter'> & {
  /** Whoever got in must leave. */
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
