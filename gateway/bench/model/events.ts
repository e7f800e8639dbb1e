/** Simulated time in ms, and what happens next in it; what was planned first comes first where times are equal. */
export type Events = {
  readonly nowMs: () => number
  readonly at: (ms: number, act: () => void) => void
  /** Plays what is planned until then. */
  readonly runUntil: (ms: number) => void
}

type Planned = { readonly ms: number; readonly order: number; readonly act: () => void }

const isBefore = (a: Planned, b: Planned) => a.ms < b.ms || (a.ms === b.ms && a.order < b.order)

export function createEvents(): Events {
  /** A binary heap, the earliest first. */
  const heap: Planned[] = []
  let [now, order] = [0, 0]

  function push(planned: Planned): void {
    heap.push(planned)
    let at = heap.length - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(planned, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = planned
  }
  function pop(): Planned | undefined {
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const [a, b] = [heap[left], heap[left + 1]]
      const [least, place] = a && b && isBefore(b, a) ? [b, left + 1] : [a, left]
      if (!least || !isBefore(least, last)) break
      heap[at] = least
      at = place
    }
    heap[at] = last
    return first
  }
  return {
    nowMs: () => now,
    at(ms, act) {
      order += 1
      push({ ms: Math.max(ms, now), order, act })
    },
    runUntil(ms) {
      while (heap[0] && heap[0].ms <= ms) {
        const planned = pop()
        if (!planned) break
        now = planned.ms
        planned.act()
      }
      now = ms
    },
  }
}
