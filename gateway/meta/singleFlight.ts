import { createTicket, type Entrant, type SharedTicket, type Ticket } from './provider/ticket.ts'

type Run<value> = (signal: AbortSignal, ticket: Ticket) => Promise<value>
type Flight<value> = {
  readonly work: Promise<value>
  readonly stop: AbortController
  readonly ticket: SharedTicket
}

/**
 * Equal calls that are under way share one. The shared work is aborted when the last caller left,
 * so one impatient caller takes nothing from the others; and it waits for its turn in the names of all.
 */
export function createSingleFlight<value>() {
  const flights = new Map<string, Flight<value>>()

  function start(key: string, entrant: Entrant, run: Run<value>): Flight<value> {
    const stop = new AbortController()
    const ticket = createTicket(entrant)
    const work = run(stop.signal, ticket).finally(() => {
      if (flights.get(key)?.stop === stop) flights.delete(key)
    })
    // Callers that left do not look at the result any more; a rejection must not stay unhandled.
    work.catch(() => undefined)
    const flight = { work, stop, ticket }
    flights.set(key, flight)
    return flight
  }

  return async function share(
    key: string,
    {
      entrant,
      signal,
      onTicket,
      run,
    }: {
      readonly entrant: Entrant
      readonly signal: AbortSignal
      readonly onTicket?: ((ticket: Ticket) => void) | undefined
      readonly run: Run<value>
    },
  ): Promise<value> {
    signal.throwIfAborted()
    const known = flights.get(key)
    known?.ticket.join(entrant)
    const flight = known ?? start(key, entrant, run)
    onTicket?.(flight.ticket)
    const { promise: left, reject } = Promise.withResolvers<never>()
    const leave = () => {
      reject(signal.reason)
      if (flight.ticket.leave(entrant)) return
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
