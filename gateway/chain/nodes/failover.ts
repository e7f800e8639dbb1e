import type { Endpoint } from './endpoint.ts'
import { judge, readHeadNumber, type Verdict } from './judge.ts'
import type { RpcAnswer, RpcCall } from './readReply.ts'
import { encodeCalls } from './upstream.ts'

export type Outcome =
  | { readonly status: 'answered'; readonly answer: RpcAnswer }
  | { readonly status: 'unreachable'; readonly reasons: readonly string[] }

/** How a call waits: those that are `first` before all others, each as long as its caller has. */
export type Waiting = {
  readonly isFirst: boolean
  /** In a batch with its like only: it is answered when the slowest call of its batch is. */
  readonly isAlone?: boolean
  /** For an endpoint that has had too many calls, as long as it takes others. */
  readonly patienceMs: number
  /** For a block that no endpoint has seen yet. */
  readonly blockPatienceMs: number
}

export type Failover = {
  call(call: RpcCall, waiting: Waiting): Promise<Outcome>
  /** What an upstream serves instead of the expected chain, as long as one does. */
  otherChain(): number | undefined
  close(): void
}

type Asked = Waiting & {
  readonly call: RpcCall
  readonly resolve: (outcome: Outcome) => void
  readonly sinceMs: number
  readonly reasons: string[]
  /** Endpoints that had nothing to say to it. */
  readonly avoided: Set<Endpoint>
  notBeforeMs: number
  faults: number
  /** Times that no endpoint had an answer to it. */
  unanswered: number
}

const mostFaults = 4
/** An endpoint that is down, and not busy, is waited for no longer. */
const patienceWithFaultsMs = 2_000
/** Worth waiting for, instead of asking another endpoint that may stand at another block. */
const shortWaitMs = 250
/** A block that one node has told of is at the others a moment later, or some blocks later. */
const blockPauseMs = 150
const longestBlockPauseMs = 1_000
/** A block that was orphaned comes no more. */
const hashPatienceMs = 3_000
/** Of failures in words that nobody knows. */
const mostUnanswered = 1

/** Spreads calls over endpoints: the first that is well is asked, the next when it refuses or fails. */
export function createFailover({
  endpoints,
}: {
  readonly endpoints: readonly Endpoint[]
}): Failover {
  let closed = false
  let queue: Asked[] = []
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let progressAtMs = performance.now()
  let head: number | undefined
  const faultsAllowed = Math.max(mostFaults, endpoints.length)

  const give = (asked: Asked, outcome: Outcome) => asked.resolve(outcome)
  const fail = (asked: Asked, reason: string) =>
    give(asked, { status: 'unreachable', reasons: [...asked.reasons, reason] })

  function settle(asked: Asked, verdict: Verdict, from: Endpoint): Asked | undefined {
    if (verdict.next === 'done') {
      progressAtMs = performance.now()
      give(asked, { status: 'answered', answer: verdict.answer })
      return undefined
    }
    asked.reasons.push(verdict.trouble.kind)
    if (endpoints.length > 1) asked.avoided.add(from)
    const isAllAvoided = asked.avoided.size >= endpoints.length || endpoints.length === 1
    if (isAllAvoided) asked.avoided.clear()
    if (verdict.next === 'again') return asked
    if (verdict.next === 'fault') {
      asked.faults += 1
      // Whoever waited through a time-out of each hears of it instead of waiting through another one.
      const isLate = isAllAvoided && performance.now() - asked.sinceMs > asked.patienceMs
      if (asked.faults < faultsAllowed && !isLate) return asked
      give(asked, { status: 'unreachable', reasons: asked.reasons })
      return undefined
    }
    if (!isAllAvoided) return asked
    const { kind } = verdict.trouble
    const pauseMs = Math.min(blockPauseMs * 1.5 ** asked.unanswered, longestBlockPauseMs)
    const mayCome =
      kind === 'block_unknown'
        ? performance.now() + pauseMs - asked.sinceMs <= blockPatienceOf(asked)
        : kind === 'failed' && asked.unanswered < mostUnanswered
    if (!mayCome) {
      give(asked, { status: 'answered', answer: verdict.answer })
      return undefined
    }
    asked.unanswered += 1
    if (kind === 'block_unknown') asked.notBeforeMs = performance.now() + pauseMs
    return asked
  }

  async function dispatch(endpoint: Endpoint, batch: readonly Asked[]): Promise<void> {
    const { answers, trouble } = await endpoint.send(batch.map(({ call }) => call))
    const again = batch.filter((asked, index) => {
      const answer = answers[index]
      head = (answer && readHeadNumber(asked.call, answer)) ?? head
      const said = { answer, trouble, batch: batch.length, head }
      return settle(asked, judge(asked.call, said), endpoint) !== undefined
    })
    if (closed) for (const asked of again) fail(asked, 'closed')
    else if (again.length > 0) {
      queue.unshift(...again)
      pump()
    }
  }

  /** The next calls for an endpoint, taken out of the queue. */
  function take(endpoint: Endpoint): readonly Asked[] {
    const nowMs = performance.now()
    const able = queue.filter(
      ({ avoided, notBeforeMs }) => !avoided.has(endpoint) && notBeforeMs <= nowMs,
    )
    const ordered = [...able.filter(({ isFirst }) => isFirst), ...able.filter((a) => !a.isFirst)]
    const isAlone = ordered[0]?.isAlone === true
    const alike = ordered.filter((asked) => (asked.isAlone === true) === isAlone)
    const few = alike.slice(0, endpoint.limits.batchCalls())
    const { bodyBytes } = endpoint.limits.read()
    const batch = bodyBytes === undefined ? few : cutToBytes(few, bodyBytes)
    const taken = new Set(batch)
    queue = queue.filter((asked) => !taken.has(asked))
    return batch
  }

  /** The first endpoint that may be asked now, or that soon may be. */
  function pick(): { readonly endpoint: Endpoint; readonly waitMs: number } | undefined {
    const nowMs = performance.now()
    let best: { endpoint: Endpoint; waitMs: number } | undefined
    for (const endpoint of endpoints) {
      const able = queue.filter(({ avoided }) => !avoided.has(endpoint))
      if (able.length === 0) continue
      const soonestMs = Math.min(...able.map(({ notBeforeMs }) => notBeforeMs)) - nowMs
      const waitMs = Math.max(0, endpoint.waitMs(), soonestMs)
      if (waitMs <= shortWaitMs) return { endpoint, waitMs }
      if (!best || waitMs < best.waitMs) best = { endpoint, waitMs }
    }
    return best
  }

  /** Those that would have to wait longer than they can. */
  function dismiss({ endpoint, waitMs }: { endpoint: Endpoint; waitMs: number }): void {
    const nowMs = performance.now()
    const isOver = ({ patienceMs, sinceMs, isFirst }: Asked) => {
      const mostMs = endpoint.isBusy() ? patienceMs : Math.min(patienceMs, patienceWithFaultsMs)
      const since = isFirst ? Math.max(sinceMs, progressAtMs) : sinceMs
      return nowMs + waitMs - since > mostMs
    }
    const over = queue.filter(isOver)
    queue = queue.filter((asked) => !over.includes(asked))
    for (const asked of over) fail(asked, 'rate_limited')
  }

  function pump(): void {
    clearTimeout(timer)
    timer = undefined
    for (let next = pick(); next; next = pick()) {
      if (next.waitMs > 0) {
        dismiss(next)
        if (queue.length > 0) timer = setTimeout(pump, Math.ceil(next.waitMs))
        return
      }
      void dispatch(next.endpoint, take(next.endpoint))
    }
  }

  return {
    call: (call, waiting) =>
      new Promise((resolve) => {
        const state = { notBeforeMs: 0, faults: 0, unanswered: 0, sinceMs: performance.now() }
        queue.push({ call, resolve, ...waiting, ...state, reasons: [], avoided: new Set() })
        if (isDue) return
        isDue = true
        setImmediate(() => {
          isDue = false
          pump()
        })
      }),
    otherChain: () => endpoints.map((each) => each.otherChain()).find((id) => id !== undefined),
    close() {
      closed = true
      clearTimeout(timer)
      for (const asked of queue) fail(asked, 'closed')
      queue = []
    },
  }
}

function blockPatienceOf({ call, blockPatienceMs }: Asked): number {
  const isByHash = JSON.stringify(call.params ?? []).includes('"blockHash"')
  return isByHash ? Math.min(blockPatienceMs, hashPatienceMs) : blockPatienceMs
}

/** As many from the front as fit into a body; one at least. */
function cutToBytes(all: readonly Asked[], most: number): readonly Asked[] {
  let bytes = 0
  const end = all.findIndex(({ call }) => {
    bytes += encodeCalls([call]).length + 1
    return bytes > most
  })
  return end < 0 ? all : all.slice(0, Math.max(1, end))
}
