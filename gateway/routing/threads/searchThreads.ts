import { MessageChannel, Worker } from 'node:worker_threads'
import { modulePath } from '../../runtime/modulePath.ts'
import type { Market } from '../engine/market.ts'
import { type Replay, replayRoute } from '../engine/replayRoute.ts'
import { createCurveArena } from './curveArena.ts'
import { tellMarket } from './marketFeed.ts'
import type {
  LastWord,
  Replayed,
  SearchTask,
  ThreadData,
  ThreadWord,
  Told,
} from './searchThread.ts'

export type SearchThreads = ReturnType<typeof createSearchThreads>
export type FoundByThread = Extract<ThreadWord, { readonly kind: 'found' }>

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

/**
 * How many searches go on where so many threads may be busy: each waits for the loop, which replays what it
 * found, for more than half of its time.
 */
export const searchesOn = (threads: number) => (threads > 0 ? threads + 1 : 0)

/**
 * Threads that search: they read the curves of pools in memory that is shared, and have this one replay
 * in exact integers what they found. One that ends costs the search it made.
 */
export function createSearchThreads({ count }: { readonly count: number }) {
  const arena = createCurveArena()
  const threads = Array.from({ length: count }, () => createThread(arena))
  return {
    count,
    /** Undefined where no thread can: the search is for the loop. */
    async find(question: ThreadQuestion): Promise<FoundByThread | undefined> {
      const free = threads.find((thread) => thread.isFree())
      return free?.find(question)
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
  post(message: unknown): void
  /** Resolves when it is gone: until then it keeps the process, and nothing that it says counts. */
  end(): Promise<void>
}
type Waiting = {
  readonly name: string
  readonly market: Market
  readonly resolve: (found: FoundByThread | undefined) => void
}

/** A pool that throws ends one search: thrown here, where nobody waits for it, it would end the process. */
function replayIn(market: Market, asked: Replay): Replayed {
  try {
    return replayRoute(market, asked)
  } catch {
    return { status: 'failed' }
  }
}

function createThread(arena: ReturnType<typeof createCurveArena>) {
  let running: Running | undefined
  let waiting: Waiting | undefined
  let told = new Map<string, Market>()
  let blocks = 0
  const lost = new Map<string, number>()
  let failures = 0
  let isClosed = false

  function answer(found: FoundByThread | undefined): void {
    const asked = waiting
    waiting = undefined
    running?.worker.unref()
    asked?.resolve(found)
  }

  function countFailure(name: string | undefined): void {
    failures += 1
    if (name !== undefined && !isClosed) lost.set(name, (lost.get(name) ?? 0) + 1)
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
    const post = (message: unknown) => {
      port1.postMessage(message)
      Atomics.add(bell, 0, 1)
      Atomics.notify(bell, 0)
    }
    let isEnding = false
    port1.on('message', (word: ThreadWord) => {
      if (isEnding) return
      if (word.kind === 'replay') {
        if (waiting) post(replayIn(waiting.market, word.replay))
        return
      }
      if (word.kind === 'found') {
        failures = 0
        return answer(word)
      }
      // It may have missed its news. What it cannot do is done in the loop, where the error is told.
      if (waiting) told.delete(waiting.name)
      answer(undefined)
    })
    port1.unref()
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      port1.close()
      running = undefined
      told = new Map()
      blocks = 0
      countFailure(waiting?.name)
      answer(undefined)
    })
    const end = async () => {
      isEnding = true
      post('end' satisfies LastWord)
      await worker.terminate()
    }
    return { worker, post, end }
  }

  return {
    isFree: () => !waiting && !isClosed && failures < mostFailures,
    find({ name, market, parameters, isCertified }: ThreadQuestion) {
      const last = told.get(name)
      const news = last === market ? undefined : tellMarket(arena, { last, next: market })
      if (last !== market && !news) return undefined
      try {
        running ??= begin()
      } catch {
        // No memory for one, or no thread: the loop searches, and after some of these alone.
        countFailure(name)
        return undefined
      }
      const added = arena.blocks.slice(blocks)
      const task: SearchTask = { name, news, blocks: added, parameters, isCertified }
      told.set(name, market)
      blocks = arena.blocks.length
      // A search under way keeps the process; a thread that waits does not.
      running.worker.ref()
      const { promise, resolve } = Promise.withResolvers<FoundByThread | undefined>()
      waiting = { name, market, resolve }
      running.post(task)
      return promise
    },
    lost: (name: string) => lost.get(name) ?? 0,
    end: async () => running?.end(),
    async close(): Promise<void> {
      isClosed = true
      await running?.end()
    },
  }
}
