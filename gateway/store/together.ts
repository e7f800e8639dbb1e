import { createFlights } from './flights.ts'
import { StoreUnavailable } from './storeUnavailable.ts'
import { isBusy } from './whileBusy.ts'

/** Nobody's fault who asks: each that tried again would wait as long. */
const isAway = (error: unknown) => error instanceof StoreUnavailable || isBusy(error)

/**
 * What is asked together is answered together, in the order asked: while one is under way the next fills. What
 * shares no kind shares no work. Where the work fails by the fault of one who asks, each is asked for alone.
 */
export function createTogether<ask, answer>(
  work: (asks: readonly [ask, ...ask[]]) => Promise<readonly answer[]>,
  { kindOf, most }: { readonly kindOf: (ask: ask) => string; readonly most: number },
): (ask: ask) => Promise<answer> {
  type Job = PromiseWithResolvers<answer> & { readonly asked: ask }

  async function workAlone({ asked, resolve, reject }: Job): Promise<void> {
    try {
      const [answer] = await work([asked])
      resolve(answer as answer)
    } catch (error) {
      reject(error)
    }
  }

  async function fly(jobs: readonly Job[]): Promise<void> {
    const [first, ...others] = jobs
    if (!first) return
    if (others.length === 0) return workAlone(first)
    try {
      const answers = await work([first.asked, ...others.map(({ asked }) => asked)])
      for (const [index, { resolve }] of jobs.entries()) resolve(answers[index] as answer)
    } catch (error) {
      if (isAway(error)) for (const { reject } of jobs) reject(error)
      else for (const job of jobs) await workAlone(job)
    }
  }

  const flights = new Map<string, ReturnType<typeof createFlights<Job>>>()
  return (asked) => {
    const kind = kindOf(asked)
    const flight = flights.get(kind) ?? createFlights<Job>(fly, { most, underWayAtOnce: 1 })
    flights.set(kind, flight)
    const job = { asked, ...Promise.withResolvers<answer>() }
    flight.board(job)
    return job.promise
  }
}
