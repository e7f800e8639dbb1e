import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Certificate } from '../engine/certificate.ts'
import type { Again } from '../engine/fallenRoute.ts'
import { type FindRouteParameters, findRouteInPieces } from '../engine/findRoute.ts'
import type { Market } from '../engine/market.ts'
import type { Replay, ReplayResult } from '../engine/replayRoute.ts'
import type { Route } from '../engine/route.ts'
import type { Replaying } from '../engine/search.ts'
import type { Blocks } from './curveArena.ts'
import { hearMarket, type MarketNews } from './marketFeed.ts'

/** Parameters of a search that can be told. */
export type Told = Omit<
  FindRouteParameters,
  'now' | 'certified' | 'afterwards' | 'held' | 'gasMarket' | 'replay'
>

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
  | { readonly kind: 'certified'; readonly certificate: ToldCertificate | undefined }
)

/** Of a route that the loop was told before. */
export type ToldCertificate = Omit<Certificate, 'route' | 'pools'>

/** A route by the plan that it is of: the loop has replayed it. */
export type ToldRoute = {
  /** Among the replays of its search, from one on; 0 is the route that it began with. */
  readonly replay: number
  readonly gapBps: number | undefined
  /** Whether what bounds this very route is told afterwards. */
  readonly isCertified: boolean
  /** Whether it is the one that it began with, bounded by what did so before, or else by these prices. */
  readonly isHeld: boolean
  readonly nearPrices: Float64Array | undefined
}

export type ThreadData = { readonly port: MessagePort; readonly bell: SharedArrayBuffer }

type Searching = {
  readonly id: number
  readonly pieces: Iterator<undefined, Route | undefined>
  readonly certificates: readonly Certificate[]
  readonly afterwards: readonly (() => void)[]
  readonly held: readonly Again[]
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
/** Of routes that are told, in the same order: each finds out what bounds its own. */
const proofs: (() => void)[] = []
/** Nobody waits for these; but where searches come without end, routes would never be known to stand. */
const mostProofs = 16
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
  const afterwards: (() => void)[] = []
  const held: Again[] = []
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
    afterwards: (certify: () => void) => void afterwards.push(certify),
    held: (again: Again) => void held.push(again),
  }
  const pieces = findRouteInPieces(marketOf(task), told)
  const steps = [parameters.fallen?.route.steps]
  const idle = { isWaiting: false, replayed: undefined, steps, spentMs: 0 }
  const searching: Searching = { id, pieces, certificates, afterwards, held, ...idle }
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

function tell(route: Route, { steps, afterwards, held }: Searching): ToldRoute {
  const replay = steps.indexOf(route.steps)
  if (replay < 0) throw new Error('a route was not replayed')
  const { gapBps } = route
  const again = held.find((each) => each.route === route)
  const stands = { isHeld: again !== undefined, nearPrices: again?.nearPrices }
  return { replay, gapBps, isCertified: afterwards.length > 0, ...stands }
}

/** Finds out what bounds the route, where its last attempt can tell. */
function prove(route: Route, { id, certificates, afterwards }: Searching): void {
  try {
    const isMade = (each: Certificate) => each.route === route
    for (const certify of afterwards.toReversed()) if (!certificates.some(isMade)) certify()
    const made = certificates.find(isMade)
    say({ kind: 'certified', id, certificate: made && toTold(made) })
  } catch (error) {
    fail(id, error)
  }
}

function toTold({ route: _, pools: __, ...certificate }: Certificate): ToldCertificate {
  return certificate
}

function search(searching: Searching): void {
  const { id, pieces } = searching
  begunMs = performance.now()
  try {
    const piece = pieces.next()
    if (!piece.done) return
    const route = piece.value
    end(id, { kind: 'found', id, found: route && tell(route, searching) })
    if (route && searching.afterwards.length > 0) proofs.push(() => prove(route, searching))
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
  const proof = next && proofs.length < mostProofs ? undefined : proofs.shift()
  if (proof) proof()
  else if (next) search(next)
  else Atomics.wait(bell, 0, rung)
}
