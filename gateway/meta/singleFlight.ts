/**
 * Equal calls that are under way share one. The shared work is aborted when the last caller left,
 * so one impatient caller takes nothing from the others.
 */
export function createSingleFlight<value>() {
  type Flight = { readonly work: Promise<value>; readonly stop: AbortController; waiting: number }
  const flights = new Map<string, Flight>()

  function start(key: string, run: (signal: AbortSignal) => Promise<value>): Flight {
    const stop = new AbortController()
    const work = run(stop.signal).finally(() => {
      if (flights.get(key)?.stop === stop) flights.delete(key)
    })
    // Callers that left do not look at the result any more; a rejection must not stay unhandled.
    work.catch(() => undefined)
    const flight = { work, stop, waiting: 0 }
    flights.set(key, flight)
    return flight
  }

  return async function share(
    key: string,
    {
      signal,
      run,
    }: { readonly signal: AbortSignal; readonly run: (signal: AbortSignal) => Promise<value> },
  ): Promise<value> {
    signal.throwIfAborted()
    const flight = flights.get(key) ?? start(key, run)
    flight.waiting++
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => {
      reject(signal.reason)
      flight.waiting--
      if (flight.waiting > 0) return
      // Nobody may join a flight that is being aborted.
      if (flights.get(key) === flight) flights.delete(key)
      flight.stop.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([flight.work, left])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
