import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { Certificate } from '../engine/certificate.ts'
import { type FindRouteParameters, findRoute } from '../engine/findRoute.ts'
import type { Market } from '../engine/market.ts'
import type { Replay, ReplayResult } from '../engine/replayRoute.ts'
import type { Route } from '../engine/route.ts'
import type { Blocks } from './curveArena.ts'
import { hearMarket, type MarketNews } from './marketFeed.ts'

/** Parameters of a search that can be told. */
export type Told = Omit<FindRouteParameters, 'now' | 'certified' | 'gasMarket' | 'replay'>

export type SearchTask = {
  /** Chains have markets of their own. */
  readonly name: string
  /** Absent where the market is the last one told of. */
  readonly news?: MarketNews | undefined
  /** Memory that was added. */
  readonly blocks: Blocks
  readonly parameters: Told
  readonly isCertified: boolean
}

export type ThreadWord =
  /** Exact integers are where the pools are. */
  | { readonly kind: 'replay'; readonly replay: Replay }
  | {
      readonly kind: 'found'
      readonly route: Route | undefined
      /** Of this very route, where it has one. */
      readonly certificate: Certificate | undefined
    }
  | { readonly kind: 'failed'; readonly message: string }

/** What this thread is told of a plan; `failed` where running it threw, as it will for the loop. */
export type Replayed = ReplayResult | { readonly status: 'failed' }

/** Ends this thread, should it miss that it is terminated, as it may amid a message. */
export type LastWord = 'end'

export type ThreadData = { readonly port: MessagePort; readonly bell: SharedArrayBuffer }

// As createSearchThreads has handed it over.
const { port, bell: shared } = workerData as ThreadData
const bell = new Int32Array(shared)
const markets = new Map<string, Market>()
const known: Float64Array<SharedArrayBuffer>[] = []

const say = (word: ThreadWord) => port.postMessage(word)

function hear<heard>(): heard {
  for (;;) {
    const rung = Atomics.load(bell, 0)
    const received = receiveMessageOnPort(port)
    if (received) {
      const message = received.message as heard | LastWord
      if (message === 'end') process.exit()
      return message
    }
    Atomics.wait(bell, 0, rung)
  }
}

function replay(_: Market, asked: Replay): ReplayResult {
  say({ kind: 'replay', replay: asked })
  const replayed = hear<Replayed>()
  if (replayed.status === 'failed') throw new Error('a plan could not be replayed')
  return replayed
}

function search({ name, news, blocks, parameters, isCertified }: SearchTask): ThreadWord {
  known.push(...blocks)
  const last = markets.get(name)
  const market = news ? hearMarket(known, { last, news }) : last
  if (!market) throw new Error('no market was told of')
  markets.set(name, market)
  const certificates: Certificate[] = []
  const certified = isCertified ? (made: Certificate) => void certificates.push(made) : undefined
  const now = () => performance.now()
  const route = findRoute(market, { ...parameters, now, replay, certified })
  const certificate = certificates.find((made) => made.route === route)
  return { kind: 'found', route, certificate }
}

for (;;) {
  const task = hear<SearchTask>()
  try {
    say(search(task))
  } catch (error) {
    say({ kind: 'failed', message: String(error) })
  }
}
