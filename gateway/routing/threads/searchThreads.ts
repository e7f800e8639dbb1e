import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { modulePath } from '../../runtime/modulePath.ts'
import { type Certificate, poolsOf } from '../engine/certificate.ts'
import type { Market } from '../engine/market.ts'
import { type Replay, replayRoute } from '../engine/replayRoute.ts'
import type { Route } from '../engine/route.ts'
import { createCurveArena } from './curveArena.ts'
import { tellMarket } from './marketFeed.ts'
import type {
  LoopWord,
  Replayed,
  ThreadData,
  ThreadWord,
  Told,
  ToldCertificate,
  ToldRoute,
} from './searchThread.ts'

export type SearchThreads = ReturnType<typeof createSearchThreads>
export type FoundByThread = {
  readonly route: Route | undefined
  /** Of this very route, where it has one: found out once nobody waits for a search. */
  readonly certificate?: Promise<Certificate | undefined> | undefined
  /** Whether it is the fallen one of its question, bounded by what did so before, or else by these prices. */
  readonly isHeld?: boolean | undefined
  readonly nearPrices?: Float64Array | undefined
}

export type ThreadQuestion = {
  readonly name: string
  readonly market: Market
  readonly parameters: Told
  readonly isCertified: boolean
}

/** A thread that ends so often before it finds anything is not started again. */
const mostFailures = 3
/** Of a thread's own: curves lie in what all share. */
const mostMemoryMb = 1_024

/** Searches of one thread: while one waits for the loop, which replays what it found, another goes on. */
const mostSearches = 4

/**
 * Threads that search: they read the curves of pools in memory that is shared, and have this one replay
 * in exact integers what they found. One that ends costs the searches it made.
 */
export function createSearchThreads({ count }: { readonly count: number }) {
  const arena = createCurveArena()
  const threads = Array.from({ length: count }, () => createThread(arena))
  return {
    /** Searches that they take at once. */
    atOnce: count * mostSearches,
    /** Undefined where no thread can: the search is for the loop. */
    async find(question: ThreadQuestion): Promise<FoundByThread | undefined> {
      const [free] = threads
        .filter((thread) => thread.isFree())
        .sort((one, other) => one.searches() - other.searches())
      return free?.find(question)
    },
    /** Replays what they have found meanwhile, amid a turn of the loop: a search would wait for its end each time. */
    listen(): void {
      for (const thread of threads) thread.listen()
    },
    /** Searches for a market of this name whose thread ended, or did not begin, since the start. */
    lost: (name: string) => threads.reduce((sum, thread) => sum + thread.lost(name), 0),
    /** Ends one in the middle of what it does. */
    async end(index: number): Promise<void> {
      await threads[index]?.end()
    },
    async close(): Promise<void> {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

type Running = {
  readonly worker: Worker
  post(word: LoopWord): void
  /** Hears what it has said so far. */
  listen(): void
  /** Resolves when it is gone: until then it keeps the process, and nothing that it says counts. */
  end(): Promise<void>
}
type Waiting = {
  readonly name: string
  readonly market: Market
  /** What it was told of, and what was replayed for it, as it was asked for. */
  readonly replayed: (Route | undefined)[]
  readonly resolve: (found: FoundByThread | undefined) => void
}

type Proving = Pick<Waiting, 'name' | 'market'> & {
  prove(bound: ToldCertificate | undefined): void
}

/** A pool that throws ends one search: thrown here, where nobody waits for it, it would end the process. */
function replayIn(market: Market, asked: Replay): Replayed['result'] {
  try {
    return replayRoute(market, asked)
  } catch {
    return { status: 'failed' }
  }
}

/** Its steps stay in this thread: only which of them it is was told. */
function hearRoute({ replay, gapBps }: ToldRoute, { replayed }: Waiting): Route | undefined {
  const found = replayed[replay]
  return found && gapBps !== undefined ? { ...found, gapBps } : found
}

function createThread(arena: ReturnType<typeof createCurveArena>) {
  let running: Running | undefined
  const waiting = new Map<number, Waiting>()
  /** What was found, of which it is still to be told what bounds it: that is read off the curves of its market. */
  const proving = new Map<number, Proving>()
  let asked = 0
  let told = new Map<string, Market>()
  let blocks = 0
  const lost = new Map<string, number>()
  let failures = 0
  let isClosed = false

  /** What is under way keeps the process; a thread that waits does not. */
  function restIfDone(): void {
    if (waiting.size === 0 && proving.size === 0) running?.worker.unref()
  }

  function answer(id: number, found: FoundByThread | undefined): void {
    const search = waiting.get(id)
    waiting.delete(id)
    restIfDone()
    search?.resolve(found)
  }

  function answerFound(id: number, search: Waiting, told: ToldRoute | undefined): void {
    const route = told && hearRoute(told, search)
    if (!told || !route) {
      answer(id, told ? undefined : { route })
      return
    }
    const { promise, resolve } = Promise.withResolvers<Certificate | undefined>()
    const prove = (bound: ToldCertificate | undefined) =>
      resolve(bound && { ...bound, route, pools: poolsOf(route) })
    const { isCertified, isHeld, nearPrices } = told
    if (isCertified) proving.set(id, { name: search.name, market: search.market, prove })
    answer(id, { route, isHeld, nearPrices, certificate: isCertified ? promise : undefined })
  }

  function endProof(id: number, bound: ToldCertificate | undefined): void {
    proving.get(id)?.prove(bound)
    proving.delete(id)
    restIfDone()
  }

  function countLost(name: string): void {
    if (!isClosed) lost.set(name, (lost.get(name) ?? 0) + 1)
  }

  function begin(): Running {
    const { port1, port2 } = new MessageChannel()
    const bell = new Int32Array(new SharedArrayBuffer(4))
    const workerData: ThreadData = { port: port2, bell: bell.buffer }
    const worker = new Worker(modulePath(import.meta.dirname, 'searchThread'), {
      workerData,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    })
    const post = (word: LoopWord) => {
      port1.postMessage(word)
      Atomics.add(bell, 0, 1)
      Atomics.notify(bell, 0)
    }
    let isEnding = false
    function hear(word: ThreadWord): void {
      if (isEnding) return
      const proof = proving.get(word.id)
      if (proof) {
        if (word.kind === 'failed') countLost(proof.name)
        endProof(word.id, word.kind === 'certified' ? word.certificate : undefined)
        return
      }
      const search = waiting.get(word.id)
      if (!search) return
      if (word.kind === 'replay') {
        const result = replayIn(search.market, word.replay)
        search.replayed.push(result.status === 'ok' ? result.route : undefined)
        post({ kind: 'replayed', id: word.id, result })
        return
      }
      if (word.kind === 'found') {
        failures = 0
        answerFound(word.id, search, word.found)
        return
      }
      // It may have missed its news. What it cannot do is done in the loop, where the error is told.
      told.delete(search.name)
      answer(word.id, undefined)
    }
    port1.on('message', hear)
    port1.unref()
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      port1.close()
      running = undefined
      told = new Map()
      blocks = 0
      failures += 1
      for (const id of proving.keys()) endProof(id, undefined)
      for (const [id, { name }] of waiting) {
        countLost(name)
        answer(id, undefined)
      }
    })
    const end = async () => {
      isEnding = true
      post({ kind: 'end' })
      await worker.terminate()
    }
    const listen = () => {
      for (let said = receiveMessageOnPort(port1); said; said = receiveMessageOnPort(port1))
        hear(said.message as ThreadWord)
    }
    return { worker, post, listen, end }
  }

  return {
    searches: () => waiting.size,
    isFree: () => waiting.size < mostSearches && !isClosed && failures < mostFailures,
    find({ name, market, parameters, isCertified }: ThreadQuestion) {
      const last = told.get(name)
      const news = last === market ? undefined : tellMarket(arena, { last, next: market })
      if (last !== market && !news) return undefined
      try {
        running ??= begin()
      } catch {
        // No memory for one, or no thread: the loop searches, and after some of these alone.
        failures += 1
        countLost(name)
        return undefined
      }
      const added = arena.blocks.slice(blocks)
      asked += 1
      const id = asked
      const task = { kind: 'task', id, name, news, blocks: added, parameters, isCertified } as const
      told.set(name, market)
      blocks = arena.blocks.length
      running.worker.ref()
      const { promise, resolve } = Promise.withResolvers<FoundByThread | undefined>()
      waiting.set(id, { name, market, replayed: [parameters.fallen?.route], resolve })
      running.post(task)
      return promise
    },
    listen(): void {
      if (waiting.size > 0) running?.listen()
    },
    lost: (name: string) => lost.get(name) ?? 0,
    end: async () => running?.end(),
    async close(): Promise<void> {
      isClosed = true
      await running?.end()
    },
  }
}
