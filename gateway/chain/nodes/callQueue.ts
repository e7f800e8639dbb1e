import type { Endpoint } from './endpoint.ts'
import type { RpcAnswer, RpcCall } from './readReply.ts'
import { asksLogs, runsCode, takesLong } from './takesLong.ts'
import { encodeCalls } from './upstream.ts'

export type Outcome =
  | {
      readonly status: 'answered'
      readonly answer: RpcAnswer
      /** Who told it. */
      readonly from?: Endpoint | undefined
    }
  | {
      readonly status: 'unreachable'
      readonly reasons: readonly string[]
      /** No endpoint was asked. */
      readonly isUnsent?: boolean
    }

/** How a call waits: those that are `first` before all others and apart from them, each as long as its caller has. */
export type Waiting = {
  readonly isFirst: boolean
  /** In a batch with its like only: it is answered when the slowest call of its batch is. */
  readonly isAlone?: boolean
  /** For the endpoint that is asked first and for no other, once: what it says counts only as its own word. */
  readonly isOfFirst?: boolean
  /** For an endpoint that has had too many calls, as long as it takes others. */
  readonly patienceMs: number
  /** For a block that no endpoint has seen yet. */
  readonly blockPatienceMs: number
}

export type Asked = Waiting & {
  readonly call: RpcCall
  readonly resolve: (outcome: Outcome) => void
  readonly sinceMs: number
  readonly reasons: string[]
  /** Endpoints that had nothing to say to it. */
  readonly avoided: Set<Endpoint>
  notBeforeMs: number
  /** The answer to a batch with it was too long: it is asked alone. */
  isApart: boolean
  faults: number
  /** Times that no endpoint had an answer to it. */
  unanswered: number
}

/** The calls that no endpoint has been sent, in their order. */
export function createCallQueue() {
  let queue: Asked[] = []

  const ableFor = (endpoint: Endpoint) => queue.filter(({ avoided }) => !avoided.has(endpoint))

  function take(some: readonly Asked[]): readonly Asked[] {
    const taken = new Set(some)
    queue = queue.filter((asked) => !taken.has(asked))
    return some
  }

  return {
    add(call: RpcCall, waiting: Waiting, resolve: Asked['resolve']): void {
      const counts = { faults: 0, unanswered: 0 }
      const state = { notBeforeMs: 0, isApart: false, sinceMs: performance.now(), ...counts }
      queue.push({ call, resolve, ...waiting, ...state, reasons: [], avoided: new Set() })
    },
    putBack(again: readonly Asked[]): void {
      queue.unshift(...again)
    },
    isEmpty: () => queue.length === 0,
    /** When the first of those that the endpoint may have is due; undefined where there is none. */
    soonestMs(endpoint: Endpoint): number | undefined {
      const able = ableFor(endpoint)
      return able.length === 0 ? undefined : Math.min(...able.map((asked) => asked.notBeforeMs))
    },
    /** The next batch for an endpoint, out of the queue. */
    takeBatch(endpoint: Endpoint): readonly Asked[] {
      const nowMs = performance.now()
      const due = ableFor(endpoint).filter(({ notBeforeMs }) => notBeforeMs <= nowMs)
      const ordered = [...due.filter(({ isFirst }) => isFirst), ...due.filter((a) => !a.isFirst)]
      const [first] = ordered
      if (!first) return []
      if (first.isApart || takesLong(first.call)) return take([first])
      const isOfLogs = asksLogs(first.call)
      const isOfCode = runsCode(first.call)
      // A batch is answered when its slowest call is: of those that are not first that may be a stranger's.
      const alike = ordered.filter(
        ({ call, isFirst, isAlone = false, isOfFirst = false, isApart }) =>
          isFirst === first.isFirst &&
          isAlone === (first.isAlone ?? false) &&
          isOfFirst === (first.isOfFirst ?? false) &&
          asksLogs(call) === isOfLogs &&
          (isFirst || runsCode(call) === isOfCode) &&
          !takesLong(call) &&
          !isApart,
      )
      const few = alike.slice(0, endpoint.limits.batchCalls(isOfLogs ? 'logs' : 'others'))
      const { bodyBytes } = endpoint.limits.read()
      return take(bodyBytes === undefined ? few : cutToBytes(few, bodyBytes))
    },
    takeWhere: (fits: (asked: Asked) => boolean) => take(queue.filter(fits)),
    takeAll: () => take(queue),
  }
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
