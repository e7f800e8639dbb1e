import { createRandom, type Random } from '../../../fixtures/books/random.ts'
import type { Costs } from './costs.ts'
import { createEvents, type Events } from './events.ts'
import { createMachine, type Thread } from './machine.ts'

export type Load =
  /** So many who wait for an answer before they ask again, as a benchmark does. */
  | { readonly kind: 'closed'; readonly clients: number }
  /** So many a second, whatever the answers, at random. */
  | { readonly kind: 'open'; readonly perSecond: number }

export type Fleet = {
  readonly gateways: number
  /** `together`: gateways, database and clients on one machine; `apart`: each has one of its own. */
  readonly machines: 'together' | 'apart'
  readonly cores: number
  /** Databases, each with its share of the keys. */
  readonly databases: number
  readonly chains: number
  readonly blockEveryMs: number
  /** Different questions about each chain, and whether the n-th is asked 1/n as often or all alike. */
  readonly questions: number
  readonly popularity: 'even' | 'zipf'
  /** Who is asked: whoever comes next, or always the same gateway for the same question. */
  readonly sharing: 'in turn' | 'by question'
  readonly load: Load
}

export type FleetFigures = {
  readonly rps: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of the busiest gateway and database thread group: the share of the time that it worked. */
  readonly gatewayShare: number
  readonly databaseShare: number
  /** Of all answers, those that had to be searched. */
  readonly searched: number
}

/** As the store has it: the most that share a trip, and the most trips of a gateway at once. */
const [mostTogether, mostTrips] = [500, 2]

type Question = { readonly chain: number; readonly number: number }
type Request = { readonly question: Question; readonly done: () => void }

/** Plays a fleet for some simulated time, after half a second to fill. The same seed, the same figures. */
export function runFleet(
  costs: Costs,
  { fleet, forMs, seed = 1 }: { fleet: Fleet; forMs: number; seed?: number },
): FleetFigures {
  const events = createEvents()
  const random = createRandom(seed)
  const shared = fleet.machines === 'together' ? createMachine(events, fleet.cores) : undefined
  const machine = () => shared ?? createMachine(events, fleet.cores)
  const databases = Array.from({ length: fleet.databases }, () => {
    const box = machine()
    const threads = Array.from({ length: 2 * mostTrips }, () => box.addThread())
    return { threads }
  })
  const gateways = Array.from({ length: fleet.gateways }, (_, at) =>
    createGateway(events, costs, {
      thread: machine().addThread(),
      // Its keys' database; where there are more gateways than databases they share them.
      database: databases[at % databases.length]?.threads ?? [],
    }),
  )
  const client = shared?.addThread()
  const drawQuestion = createDraw(random, fleet)
  const warmMs = 500
  const times: number[] = []
  let searched = 0
  let answered = 0

  function ask(at: number, then: () => void): void {
    const askedMs = events.nowMs()
    const done = (): void => {
      if (askedMs >= warmMs) times.push(events.nowMs() - askedMs)
      if (events.nowMs() >= warmMs) answered += 1
      then()
    }
    const question = drawQuestion()
    const place = fleet.sharing === 'in turn' ? at : question.chain * 7 + question.number
    const send = () =>
      gateways[place % gateways.length]?.take({ question, done }, (isNew) => {
        if (isNew && askedMs >= warmMs) searched += 1
      })
    if (client) client.work(costs.clientMs, send)
    else send()
  }
  if (fleet.load.kind === 'closed')
    for (let at = 0; at < fleet.load.clients; at += 1) {
      const again = (): void => ask(at, again)
      again()
    }
  else arrive(events, random, { perMs: fleet.load.perSecond / 1_000, ask })

  for (let chain = 0; chain < fleet.chains; chain += 1) {
    const first = (fleet.blockEveryMs * chain) / fleet.chains
    const block = (): void => {
      for (const gateway of gateways) gateway.follow(chain)
      events.at(events.nowMs() + fleet.blockEveryMs, block)
    }
    events.at(first, block)
  }
  events.runUntil(warmMs + forMs)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const shareOf = (threads: readonly Thread[]) =>
    threads.reduce((sum, { usedMs }) => sum + usedMs(), 0) / (warmMs + forMs)
  return {
    rps: (answered * 1_000) / forMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    gatewayShare: Math.max(...gateways.map(({ thread }) => shareOf([thread]))),
    databaseShare: Math.max(...databases.map(({ threads }) => shareOf(threads))),
    searched: times.length === 0 ? 0 : searched / times.length,
  }
}

function arrive(
  events: Events,
  random: Random,
  { perMs, ask }: { perMs: number; ask: (at: number, then: () => void) => void },
): void {
  let count = 0
  const next = (): void => {
    count += 1
    ask(count, () => undefined)
    events.at(events.nowMs() - Math.log(1 - random.next()) / perMs, next)
  }
  next()
}

/** Which question is asked of which chain. */
function createDraw(random: Random, { chains, questions, popularity }: Fleet): () => Question {
  const weights = Array.from({ length: questions }, (_, at) =>
    popularity === 'zipf' ? 1 / (at + 1) : 1,
  )
  const sums: number[] = []
  for (const weight of weights) sums.push((sums.at(-1) ?? 0) + weight)
  const all = sums.at(-1) ?? 0
  return () => {
    const drawn = random.next() * all
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) <= drawn) low = middle + 1
      else high = middle
    }
    return { chain: random.below(chains), number: low }
  }
}

function createGateway(
  events: Events,
  costs: Costs,
  { thread, database }: { readonly thread: Thread; readonly database: readonly Thread[] },
) {
  const { requestMs, gatewayTripMs, databaseTripMs, databaseRequestMs } = costs
  /** By chain, what has been asked since its last block. */
  const seen = new Map<number, Set<number>>()

  /** Requests of one moment go together; some trips are under way at once. */
  function createTrips(threads: readonly Thread[], diskMs: number) {
    const queue: (() => void)[] = []
    let underWay = 0
    function leave(): void {
      while (underWay < mostTrips && queue.length > 0) {
        const together = queue.splice(0, mostTogether)
        const backend = threads[underWay % threads.length]
        underWay += 1
        thread.work(gatewayTripMs, () =>
          backend?.work(databaseTripMs + (databaseRequestMs / 2) * together.length, () =>
            events.at(events.nowMs() + diskMs, () => {
              underWay -= 1
              for (const then of together) then()
              leave()
            }),
          ),
        )
      }
    }
    return (then: () => void): void => {
      // What else arrives in this turn goes along.
      if (queue.push(then) === 1) thread.work(0, leave)
    }
  }
  const findKey = createTrips(database.slice(0, mostTrips), 0)
  const charge = createTrips(database.slice(mostTrips), costs.diskMs)

  return {
    thread,
    take({ question, done }: Request, onSearch: (isNew: boolean) => void): void {
      thread.work(requestMs / 2, () =>
        findKey(() =>
          charge(() => {
            const asked = seen.get(question.chain) ?? new Set()
            const isNew = !asked.has(question.number)
            seen.set(question.chain, asked.add(question.number))
            onSearch(isNew)
            thread.work(requestMs / 2 + (isNew ? costs.searchMs : 0), done)
          }),
        ),
      )
    },
    /** A block of a chain: all its questions are to be searched anew. */
    follow: (chain: number) => seen.delete(chain),
  }
}
