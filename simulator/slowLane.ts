import { LRUCache } from 'lru-cache'

/** Runs one piece of work at a time, in turns of its callers. */
export type SlowLane = <T>(work: () => Promise<T>, caller?: string) => Promise<T>

type Waiter = { readonly caller: string; readonly run: () => Promise<void> }

const mostRemembered = 1_000

/**
 * Whose work took least of the lane comes first, as long as nobody gathers time by staying away: whoever sends
 * one bomb after the other waits for himself, and others for one of them at most. The lane's time goes on for all
 * who wait, by their part of it: else whoever comes as somebody new each time would always come first.
 */
export function createSlowLane({ now = () => performance.now() } = {}): SlowLane {
  const waiting = new Set<Waiter>()
  /** Of the lane's time, until when callers have had theirs. */
  const hadUntil = new LRUCache<string, number>({ max: mostRemembered })
  let reached = 0
  let isRunning = false
  const startOf = (caller: string) => Math.max(reached, hadUntil.get(caller) ?? 0)

  function pick(): Waiter | undefined {
    let best: Waiter | undefined
    for (const waiter of waiting)
      if (!best || startOf(waiter.caller) < startOf(best.caller)) best = waiter
    return best
  }

  async function runAll(): Promise<void> {
    isRunning = true
    for (let next = pick(); next; next = pick()) {
      waiting.delete(next)
      const from = startOf(next.caller)
      const startedAtMs = now()
      await next.run()
      const tookMs = now() - startedAtMs
      hadUntil.set(next.caller, from + tookMs)
      const others = new Set([...waiting].map(({ caller }) => caller))
      reached = from + tookMs / others.add(next.caller).size
    }
    isRunning = false
  }

  return (work, caller = '') =>
    new Promise((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
      }
      waiting.add({ caller, run })
      if (!isRunning) void runAll()
    })
}
