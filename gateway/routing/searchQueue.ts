import { LRUCache } from 'lru-cache'
import { forgetStale } from '../runtime/forgetStale.ts'
import { createRecentTurns, memoryMs, type RecentTurns } from './recentTurns.ts'

/** Thrown in place of a search that is not run; its message is fit for callers. */
export class SearchRefused extends Error {
  override readonly name = 'SearchRefused'
  /** Nobody waits for it any more. */
  readonly isAbandoned: boolean
  /** Whose search it was: each has lost its place. */
  readonly callers: ReadonlySet<string>
  constructor({
    isAbandoned,
    callers = [''],
  }: {
    readonly isAbandoned: boolean
    readonly callers?: readonly string[] | undefined
  }) {
    super(isAbandoned ? 'the caller has left' : 'too many searches are waiting')
    this.isAbandoned = isAbandoned
    this.callers = new Set(callers)
  }
}

/** Who waits for searches. */
export type Asker = {
  /** Callers take turns. */
  readonly caller?: string | undefined
  /** Those who pay and those who do not take turns, before networks do. Default: they do not. */
  readonly isPaying?: boolean | undefined
  /** Where they ask from: networks take turns, and at each its callers do. Default: one of the caller's own. */
  readonly network?: string | undefined
  /** What the network is one of many of: sites take turns before networks do. Default: the network itself. */
  readonly site?: string | undefined
  /** Whether the caller has left; asked once, before a search that had to wait. */
  readonly isGone?: (() => boolean) | undefined
}

/** Who ask for a search beside its first asker, and more of them while it waits. */
export type Askers = {
  join(asker: Asker): void
  /** Told of all of them, of each once; ends by what it returns. */
  watch(came: (asker: Asker) => void): () => void
}

export function createAskers(): Askers {
  const all: Asker[] = []
  const watching = new Set<(asker: Asker) => void>()
  return {
    join(asker) {
      all.push(asker)
      for (const came of watching) came(asker)
    },
    watch(came) {
      for (const asker of all) came(asker)
      watching.add(came)
      return () => watching.delete(came)
    },
  }
}

export type Asking = Asker & {
  readonly chainId: number
  /** The search stands in the lines of these as well: who joins one waits no longer than for one of his own. */
  readonly others?: Askers | undefined
}

/** Runs as many searches at once as there are threads for; between slices of the loop's other requests are answered. */
export type SearchQueue = {
  <result>(search: () => Promise<result>, asking: Asking): Promise<result>
  /** Searches of all chains that have to wait; undefined where nobody counts them. */
  readonly waiting?: (() => number) | undefined
  /** Resolves when none runs and none waits. */
  readonly whenIdle?: (() => Promise<void>) | undefined
}

type Home = { readonly site: string; readonly network: string }
/** `had`: of the names below it. */
type Name = { readonly name: string; readonly had?: Turns['had'] }
/** Of a search in the line of one of its askers. */
type Place = {
  readonly names: readonly Name[]
  /** Whose place it is: the same for all places of one search. */
  readonly search: object
  /** All who ask for the search, together. */
  readonly waitedMs: (nowMs: number) => number
  readonly start: () => Promise<void>
  readonly drop: () => void
}
/** Who waits by chain, class, site, network and caller, each in the order of their turns; none is empty. */
type Turns = {
  size: number
  /** Their places here: who shares one takes no more room than who asks alone. */
  readonly searches: Map<object, number>
  readonly line: Place[]
  readonly byName: Map<string, Turns>
  /** Turns that they had lately; of names that go by their order alone, none. */
  readonly had: RecentTurns['had']
}

const mostRemembered = 10_000

/**
 * Searches of one chain that may wait: 3 s of them should each take the 11 ms that one in twenty is longer than
 * on 1,000 pools, 13 s should each be as long as the longest (ultra, 50 ms); three times as long in a loop that
 * others hold, of which searches have a third at most.
 */
export const mostWaiting = 256

/**
 * Searches side by side in one thread would only slow each other down. Chains
 * take turns, at each those who pay and those who do not, of these the sites that ask, their networks, and at each
 * of those its callers: a crowd of one chain, of free keys, of one network with many keys, or one caller stands
 * behind itself, wherever that asks from: it is of the network that it asked from first, as long as it goes on.
 * A search that several ask for stands in the lines of all of them, and takes the first turn of any. One caller's
 * searches go by how long all of their requests together have waited: what is asked often comes first.
 * Of networks that whose turns of late were fewest comes first, so that who asks now and then waits for
 * no round of hundreds who always ask. Where too many wait, the newest of whoever has the most is refused: of
 * networks, what waits and the turns of late together.
 */
export function createSearchQueue({
  atOnce = 1,
  now = () => performance.now(),
}: {
  readonly atOnce?: number | undefined
  readonly now?: (() => number) | undefined
} = {}): SearchQueue {
  const all = createTurns(none)
  /** A network's paying keys and its free ones have turns of their own: those never have these wait. */
  const turnsHad = { paying: createRecentTurns(), free: createRecentTurns() }
  const homes = new LRUCache<string, Home & { readonly atMs: number }>({ max: mostRemembered })
  let running = 0
  let idle = Promise.withResolvers<void>()

  function homeOf(caller: string, from: Home): Home {
    if (caller === '') return from
    const isStale = ({ atMs }: { readonly atMs: number }) => now() - atMs >= memoryMs
    const known = homes.get(caller)
    const { site, network } = known && !isStale(known) ? known : from
    homes.set(caller, { site, network, atMs: now() })
    forgetStale(homes, isStale)
    return { site, network }
  }

  async function runAll(): Promise<void> {
    running += 1
    for (let next = takeNext(all, now()); next; next = takeNext(all, now())) await next.start()
    running -= 1
    if (running > 0) return
    idle.resolve()
    idle = Promise.withResolvers()
  }

  /** Searches that wait, by chain: one of several askers has more places than one. */
  const waiting = new Map<number, number>()
  const countWaiting = (chainId: number, by: number) =>
    waiting.set(chainId, (waiting.get(chainId) ?? 0) + by)

  function makeRoom(chainId: number): void {
    while ((waiting.get(chainId) ?? 0) > mostWaiting) {
      const turns = all.byName.get(String(chainId))
      const last = turns && takeLast(turns, now())
      if (!last) return
      count(all, last, -1)
      last.drop()
    }
  }

  const queue: SearchQueue = (search, { chainId, others, ...first }) =>
    new Promise((resolve, reject) => {
      const hasToWait = running >= atOnce
      const askers: Asker[] = []
      let sumCameMs = 0
      const waitedMs = (nowMs: number) => askers.length * nowMs - sumCameMs
      const places = new Map<string, Place>()
      function leave(): void {
        for (const place of places.values()) remove(all, place)
        places.clear()
        stopWatching?.()
        countWaiting(chainId, -1)
      }
      function enter(asker: Asker): void {
        askers.push(asker)
        sumCameMs += now()
        const { isPaying, caller = '', network: asked = caller, site: asking = asked } = asker
        const { site, network } = homeOf(caller, { site: asking, network: asked })
        const kind = isPaying ? 'paying' : 'free'
        const { had, note } = turnsHad[kind]
        const names = [
          { name: String(chainId) },
          { name: kind, had },
          { name: site, had },
          { name: network },
          { name: caller },
        ]
        const key = JSON.stringify(names.map(({ name }) => name))
        if (places.has(key)) return
        const place: Place = {
          names,
          search: places,
          waitedMs,
          start: async () => {
            places.delete(key)
            leave()
            const nowMs = now()
            for (const name of new Set([site, network])) note(name, nowMs)
            if (hasToWait && askers.every(({ isGone }) => isGone?.()))
              return reject(new SearchRefused({ isAbandoned: true }))
            await search().then(resolve, reject)
          },
          drop: () => {
            places.delete(key)
            if (places.size > 0) return
            leave()
            const callers = askers.map(({ caller: one = '' }) => one)
            reject(new SearchRefused({ isAbandoned: false, callers }))
          },
        }
        places.set(key, place)
        lineOf(all, place).push(place)
      }
      countWaiting(chainId, 1)
      enter(first)
      const stopWatching = others?.watch(enter)
      makeRoom(chainId)
      if (running < atOnce) void runAll()
    })
  return Object.assign(queue, {
    waiting: () => [...waiting.values()].reduce((sum, one) => sum + one, 0),
    whenIdle: async () => {
      while (running > 0) await idle.promise
    },
  })
}

const none = () => 0
const createTurns = (had: Turns['had']): Turns => ({
  size: 0,
  searches: new Map(),
  line: [],
  byName: new Map(),
  had,
})

function count(turns: Turns, { search }: Place, by: 1 | -1): void {
  turns.size += by
  const places = (turns.searches.get(search) ?? 0) + by
  if (places > 0) turns.searches.set(search, places)
  else turns.searches.delete(search)
}

/** Where one more waits. */
function lineOf(turns: Turns, place: Place, [first, ...rest] = place.names): Place[] {
  count(turns, place, 1)
  if (!first) return turns.line
  const next = turns.byName.get(first.name) ?? createTurns(first.had ?? none)
  turns.byName.set(first.name, next)
  return lineOf(next, place, rest)
}

/** It waits there no more. */
function remove(turns: Turns, place: Place, [first, ...rest] = place.names): void {
  count(turns, place, -1)
  const next = first && turns.byName.get(first.name)
  if (!next) {
    turns.line.splice(turns.line.indexOf(place), 1)
    return
  }
  remove(next, place, rest)
  if (next.size === 0) turns.byName.delete(first.name)
}

/** Of equal ones that who has waited longest. */
function takeNext(turns: Turns, nowMs: number): Place | undefined {
  const [name, next] = pick(turns, (one) => -turns.had(one, nowMs)) ?? []
  const place = next ? takeNext(next, nowMs) : takeLongest(turns.line, nowMs)
  if (place) count(turns, place, -1)
  if (name === undefined || !next) return place
  // Behind the others from now on.
  turns.byName.delete(name)
  if (next.size > 0) turns.byName.set(name, next)
  return place
}

/** Of equal ones the first. */
function takeLongest(line: Place[], nowMs: number): Place | undefined {
  const waited = line.map((place) => place.waitedMs(nowMs))
  const [longest] = line.splice(waited.indexOf(Math.max(...waited)), 1)
  return longest
}

/** Of equal ones that whose turn comes last; with one who waits each, who came last. */
function takeLast(turns: Turns, nowMs: number): Place | undefined {
  const worth = (one: string, { searches }: Turns) => searches.size + turns.had(one, nowMs)
  const [name, next] = pick(turns, worth, 'last') ?? []
  const place = next ? takeLast(next, nowMs) : turns.line.pop()
  if (place) count(turns, place, -1)
  if (name !== undefined && next?.size === 0) turns.byName.delete(name)
  return place
}

/** Whoever has the most, of equal ones the first or the last. */
function pick(
  { byName }: Turns,
  worth: (name: string, turns: Turns) => number,
  ofEqual: 'first' | 'last' = 'first',
) {
  let best: readonly [name: string, turns: Turns] | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const entry of byName) {
    const value = worth(...entry)
    if (value < most || (value === most && ofEqual === 'first')) continue
    most = value
    best = entry
  }
  return best
}

/** What becomes of a request whose search was refused; other errors go on. */
export function toUnavailable(error: unknown): {
  readonly status: 'unavailable'
  readonly reason: string
} {
  if (error instanceof SearchRefused) return { status: 'unavailable', reason: error.message }
  throw error
}

/** Runs a search that several wait for: what fell on those who asked for it before is that of the next. */
export async function findShared<result>(
  find: () => Promise<result> | result,
  { caller = '', isGone }: Asker = {},
): Promise<result> {
  for (;;)
    try {
      return await find()
    } catch (error) {
      if (!(error instanceof SearchRefused) || isGone?.()) throw error
      if (!error.isAbandoned && error.callers.has(caller)) throw error
    }
}
