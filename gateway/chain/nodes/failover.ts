import { type Asked, createCallQueue, type Outcome, type Waiting } from './callQueue.ts'
import type { Endpoint } from './endpoint.ts'
import { createHeadHeights, type HeadHeights } from './headHeights.ts'
import { createHedge } from './hedge.ts'
import { judge, readHead } from './judge.ts'
import { createLastHead } from './lastHead.ts'
import type { RpcCall } from './readReply.ts'
import { settle } from './settle.ts'

export type Failover = {
  call(call: RpcCall, waiting: Waiting): Promise<Outcome>
  /** What an upstream serves instead of the expected chain, as long as one does. */
  otherChain(): number | undefined
  /** Whether each of them serves another, by what it said last. */
  isAstray(): boolean
  standsStill: HeadHeights<Endpoint>['standsStill']
  /** As they would be asked now, the first first. */
  inOrder(): readonly Endpoint[]
  /** Asks this one before the others for a while, as long as it does not lag; no other one meanwhile. */
  prefer(endpoint: Endpoint): void
  close(): void
}

/** An endpoint that is down, and not busy, is waited for no longer. */
const patienceWithFaultsMs = 2_000
/** Worth waiting for, instead of asking another endpoint that may stand at another block. */
const shortWaitMs = 250

/** Whoever told what is not so may be asked first again. */
const preferredForMs = 600_000

type Next = { readonly endpoint: Endpoint; readonly waitMs: number }

const headCall: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }

/**
 * Spreads calls over endpoints: the first that is well and does not lag behind the others is asked, the
 * next when it refuses or fails.
 */
export function createFailover({
  endpoints,
  blockTimeMs,
}: {
  readonly endpoints: readonly Endpoint[]
  readonly blockTimeMs: number
}): Failover {
  const queue = createCallQueue()
  const now = () => performance.now()
  const head = createLastHead(endpoints, { blockTimeMs, now })
  const heights = createHeadHeights(endpoints, {
    blockTimeMs,
    now,
    dateMs: Date.now,
  })
  const hedges = new Map(endpoints.map((each) => [each, createHedge(each)]))
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let progressAtMs = performance.now()
  let preferred: Endpoint | undefined
  let preferredUntilMs = 0

  async function dispatch(endpoint: Endpoint, batch: readonly Asked[]): Promise<void> {
    const calls = batch.map(({ call }) => call)
    const [first] = batch
    const hedged = first?.isFirst ? hedges.get(endpoint) : undefined
    const { answers, trouble } = await (hedged?.(calls) ??
      endpoint.send(calls, { isOfFirst: first?.isOfFirst ?? false }))
    const again = batch.filter((asked, index) => {
      const answer = answers[index]
      const told = answer && readHead(asked.call, answer)
      if (told) {
        heights.note(endpoint, told)
        head.note(endpoint, told.number)
      }
      const asks = { answer, trouble, batch: batch.length, head: head.number() }
      const verdict = judge(asked.call, asks)
      if (verdict.next === 'done') progressAtMs = performance.now()
      const outcome = settle(asked, verdict, { from: endpoint, endpoints })
      if (outcome?.status === 'answered') asked.resolve({ ...outcome, from: endpoint })
      else if (outcome) asked.resolve(outcome)
      return !outcome
    })
    askSilent()
    if (closed) fail(again, 'closed')
    else if (again.length > 0) {
      queue.putBack(again)
      pump()
    }
  }

  /** Whoever is not asked does not tell where it stands: now and then it is asked for that alone. */
  function askSilent(): void {
    if (closed || endpoints.length === 1) return
    for (const endpoint of heights.takeSilent()) if (endpoint.waitMs() <= 0) void look(endpoint)
  }

  async function look(endpoint: Endpoint): Promise<void> {
    const { answers } = await endpoint.send([headCall])
    const told = answers[0] && readHead(headCall, answers[0])
    if (told) heights.note(endpoint, told)
  }

  /** The one that is preferred comes first, those that lag last. */
  function listByRank(): readonly Endpoint[] {
    const isFirst = (endpoint: Endpoint) => endpoint === preferred && now() < preferredUntilMs
    const [behind, level] = partition(partition(endpoints, isFirst).flat(), heights.isBehind)
    return [...level, ...behind]
  }

  /** The first endpoint that may be asked now, or that soon may be. */
  function pick(): Next | undefined {
    const nowMs = performance.now()
    let best: Next | undefined
    for (const endpoint of listByRank()) {
      const soonestMs = queue.soonestMs(endpoint)
      if (soonestMs === undefined) continue
      const waitMs = Math.max(0, endpoint.waitMs(), soonestMs - nowMs)
      if (waitMs <= shortWaitMs) return { endpoint, waitMs }
      if (!best || waitMs < best.waitMs) best = { endpoint, waitMs }
    }
    return best
  }

  /** Those that would have to wait longer than they can. */
  function dismiss({ endpoint, waitMs }: Next): void {
    const nowMs = performance.now()
    const over = queue.takeWhere(({ patienceMs, sinceMs, isFirst }) => {
      const mostMs = endpoint.isBusy() ? patienceMs : Math.min(patienceMs, patienceWithFaultsMs)
      const since = isFirst ? Math.max(sinceMs, progressAtMs) : sinceMs
      return nowMs + waitMs - since > mostMs
    })
    fail(over, 'rate_limited')
  }

  function pump(): void {
    clearTimeout(timer)
    for (let next = pick(); next; next = pick()) {
      if (next.waitMs > 0) {
        dismiss(next)
        if (!queue.isEmpty()) timer = setTimeout(pump, Math.ceil(next.waitMs))
        return
      }
      void dispatch(next.endpoint, queue.takeBatch(next.endpoint))
    }
  }

  return {
    call: (call, waiting) =>
      new Promise((resolve) => {
        queue.add(call, waiting, resolve)
        if (isDue) return
        isDue = true
        setImmediate(() => {
          isDue = false
          pump()
        })
      }),
    otherChain: () => endpoints.map((each) => each.otherChain()).find((id) => id !== undefined),
    isAstray: () => endpoints.every((each) => each.otherChain() !== undefined),
    standsStill: heights.standsStill,
    inOrder: () => partition(listByRank(), (endpoint) => endpoint.waitMs() <= shortWaitMs).flat(),
    prefer(endpoint) {
      // Whoever was found false does not have its place back for what it says meanwhile.
      if (now() < preferredUntilMs) return
      preferred = endpoint
      preferredUntilMs = now() + preferredForMs
    },
    close() {
      closed = true
      clearTimeout(timer)
      fail(queue.takeAll(), 'closed')
    },
  }
}

function partition<item>(items: readonly item[], fits: (item: item) => boolean) {
  return [items.filter(fits), items.filter((item) => !fits(item))] as const
}

function fail(all: readonly Asked[], reason: string): void {
  for (const { resolve, reasons } of all) {
    const unsent = reasons.length === 0 && { isUnsent: true }
    resolve({ status: 'unreachable', reasons: [...reasons, reason], ...unsent })
  }
}
