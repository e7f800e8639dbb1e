import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Certificate } from '../engine/certificate.ts'
import { type FindRouteParameters, findRouteInPieces } from '../engine/findRoute.ts'
import type { Market } from '../engine/market.ts'
import type { Replay, ReplayResult } from '../engine/replayRoute.ts'
import type { Route } from '../engine/route.ts'
import type { Replaying } from '../engine/search.ts'
import type { Blocks } from './curveArena.ts'
import { hearMarket, type MarketNews } from './marketFeed.ts'

/** Parameters of a search that can be told. */
export type Told = Omit<FindRouteParameters, 'now' | 'certified' | 'held' | 'gasMarket' | 'replay'>

export type SearchTask = {
  readonly kind: 'task'
  /** Of the search, among those of this thread. */
  readonly id: number
  /** Chains have markets of their own. */
  readonly name: string
  /** Absent where the market is the last one told of. */
  readonly news?: MarketNews | undefined
  /** Memory that was added. */
  readonly blocks: Blocks
  readonly parameters: Told
  readonly isCertified: boolean
}

/** What this thread is told of a plan; `failed` where running it threw, as it will for the loop. */
export type Replayed = {
  readonly kind: 'replayed'
  readonly id: number
  readonly result: ReplayResult | { readonly status: 'failed' }
}

/** Ends this thread, should it miss that it is terminated, as it may amid a message. */
export type LastWord = { readonly kind: 'end' }

export type LoopWord = SearchTask | Replayed | LastWord

/** `replay`: exact integers are where the pools are. */
export type ThreadWord = { readonly id: number } & (
  | { readonly kind: 'replay'; readonly replay: Replay }
  | { readonly kind: 'found'; readonly found: ToldRoute | undefined }
  | { readonly kind: 'failed'; readonly message: string }
)

/** A route by the plan that it is of: the loop has replayed it. */
export type ToldRoute = {
  /** Among the replays of its search, from one on; 0 is the route that it began with. */
  readonly replay: number
  readonly gapBps: number | undefined
  /** Of this very route, where it has one. */
  readonly certificate: Omit<Certificate, 'route' | 'pools'> | undefined
  /** Whether it is the one that it began with, bounded by what did so before. */
  readonly isHeld: boolean
}

export type ThreadData = { readonly port: MessagePort; readonly bell: SharedArrayBuffer }

type Searching = {
  readonly id: number
  readonly pieces: Iterator<undefined, Route | undefined>
  readonly certificates: readonly Certificate[]
  readonly held: ReadonlySet<Route>
  /** The plan that was sent to be replayed is all that it has to do. */
  isWaiting: boolean
  replayed: Replayed['result'] | undefined
  /** Of the route that it began with, and of all that was replayed. */
  readonly steps: (Route['steps'] | undefined)[]
  /** Of its time, which goes on in its own pieces alone: what it waits for is not its work. */
  spentMs: number
}

// As createSearchThreads has handed it over.
const { port, bell: shared } = workerData as ThreadData
const bell = new Int32Array(shared)
const markets = new Map<string, Market>()
const known: Float64Array<SharedArrayBuffer>[] = []
/** In the order in which they were asked for. */
const searches = new Map<number, Searching>()
/** When the piece that is worked at was begun. */
let begunMs = 0

const say = (word: ThreadWord) => port.postMessage(word)

function end(id: number, word: ThreadWord): void {
  searches.delete(id)
  say(word)
}

const fail = (id: number, error: unknown) => end(id, { kind: 'failed', id, message: String(error) })

/** What could not be heard is no market for the search that comes next. */
function marketOf({ name, news, blocks }: SearchTask): Market {
  known.push(...blocks)
  const last = markets.get(name)
  markets.delete(name)
  const market = news ? hearMarket(known, { last, news }) : last
  if (!market) throw new Error('no market was told of')
  markets.set(name, market)
  return market
}

function begin(task: SearchTask): void {
  const { id, parameters, isCertified } = task
  const certificates: Certificate[] = []
  const certified = isCertified ? (made: Certificate) => void certificates.push(made) : undefined
  const held = new Set<Route>()
  const now = () => searching.spentMs + performance.now() - begunMs
  const replay: Replaying = (_, asked) => {
    searching.isWaiting = true
    say({ kind: 'replay', id, replay: asked })
    return () => {
      const { replayed } = searching
      searching.replayed = undefined
      if (replayed?.status === 'failed') throw new Error('a plan could not be replayed')
      return replayed
    }
  }
  const told = {
    ...parameters,
    now,
    replay,
    certified,
    held: (route: Route) => void held.add(route),
  }
  const pieces = findRouteInPieces(marketOf(task), told)
  const steps = [parameters.fallen?.route.steps]
  const idle = { isWaiting: false, replayed: undefined, steps, spentMs: 0 }
  const searching: Searching = { id, pieces, certificates, held, ...idle }
  searches.set(id, searching)
}

function hear(word: LoopWord): void {
  if (word.kind === 'end') process.exit()
  if (word.kind === 'task') {
    try {
      begin(word)
    } catch (error) {
      fail(word.id, error)
    }
    return
  }
  const searching = searches.get(word.id)
  if (!searching) return
  searching.isWaiting = false
  searching.replayed = word.result
  searching.steps.push(word.result.status === 'ok' ? word.result.route.steps : undefined)
}

function tell(route: Route, { steps, certificates, held }: Searching): ToldRoute {
  const replay = steps.indexOf(route.steps)
  if (replay < 0) throw new Error('a route was not replayed')
  const made = certificates.find((each) => each.route === route)
  const told = { replay, gapBps: route.gapBps, isHeld: held.has(route) }
  if (!made) return { ...told, certificate: undefined }
  const { route: _, pools: __, ...certificate } = made
  return { ...told, certificate }
}

function search(searching: Searching): void {
  const { id, pieces } = searching
  begunMs = performance.now()
  try {
    const piece = pieces.next()
    if (!piece.done) return
    const route = piece.value
    end(id, { kind: 'found', id, found: route && tell(route, searching) })
  } catch (error) {
    fail(id, error)
  } finally {
    searching.spentMs += performance.now() - begunMs
  }
}

// While one waits for the loop, another goes on.
for (;;) {
  const rung = Atomics.load(bell, 0)
  for (let heard = receiveMessageOnPort(port); heard; heard = receiveMessageOnPort(port))
    hear(heard.message as LoopWord)
  const next = [...searches.values()].find(({ isWaiting }) => !isWaiting)
  if (next) search(next)
  else Atomics.wait(bell, 0, rung)
}
