import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'

/** The channels that the gateway's parts tell their steps on, as `traces.ts` has them. */
const channels: Readonly<Record<string, string>> = {
  search: 'forkyard.search',
  settle: 'forkyard.settle',
  dryRun: 'forkyard.dryRun',
  source: 'forkyard.source',
  rpc: 'forkyard.rpc',
  store: 'forkyard.store',
}

type Time = { ms: number; underWay: number; since: number }
/** Of one request, by step. */
type Times = Map<string, Time>

function begin(times: Times, step: string): Time {
  const time = times.get(step) ?? { ms: 0, underWay: 0, since: 0 }
  times.set(step, time)
  if (time.underWay === 0) time.since = performance.now()
  time.underWay += 1
  return time
}

function end(time: Time): void {
  time.underWay -= 1
  if (time.underWay === 0) time.ms += performance.now() - time.since
}

const read = ({ ms, underWay, since }: Time) =>
  underWay === 0 ? ms : ms + performance.now() - since

/**
 * From now on each request's event says how long at least one step of a kind was under way for it, in milliseconds:
 * of several at once the time counts once, and a step may be part of another. What others had begun is theirs.
 */
export function watchSteps(): { close(): void } {
  const active = new AsyncLocalStorage<Times>()
  const begun = new WeakMap<object, Time>()
  const requests = tracingChannel<Times, { took?: () => Readonly<Record<string, number>> }>(
    'forkyard.http',
  )
  requests.start.bindStore(active, (request) => {
    const times: Times = new Map()
    request.took = () => Object.fromEntries([...times].map(([step, time]) => [step, read(time)]))
    return times
  })
  const stops = Object.entries(channels).map(([name, channel]) => {
    const { start, asyncEnd } = tracingChannel<unknown, object>(channel)
    const starts = (message: unknown) => {
      const times = active.getStore()
      // What was given to the channel's `tracePromise`.
      if (times) begun.set(message as object, begin(times, name))
    }
    const ends = (message: unknown) => {
      const time = begun.get(message as object)
      if (time) end(time)
    }
    start.subscribe(starts)
    asyncEnd.subscribe(ends)
    return () => {
      start.unsubscribe(starts)
      asyncEnd.unsubscribe(ends)
    }
  })
  return {
    close() {
      requests.start.unbindStore(active)
      for (const stop of stops) stop()
    },
  }
}
