import { AsyncResource } from 'node:async_hooks'
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
  | { readonly status: 'unreachable'; readonly reasons: readonly string[] }

/** How a call waits: those that are `first` before all others and apart from them, each as long as its caller has. */
export type Waiting = {
  readonly isFirst: boolean
  /** In a batch with its like only: it is answered when the slowest call of its batch is. */
  readonly isAlone?: boolean
  /** For an endpoint that has had too many calls, or has no connection free, as long as it takes others. */
  readonly patienceMs: number
  /** For a block that no endpoint has seen yet. */
  readonly blockPatienceMs: number
}

export type Asked = Waiting & {
  readonly call: RpcCall
  readonly resolve: (outcome: Outcome) => void
  /** What is done for it is done within: a trace's steps are told by that. */
  readonly caller: AsyncResource
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

/** The calls that no endpoint has been sent. */
export function createCallQueue() {
  let queue = new Set<Asked>()

  function take(some: readonly Asked[]): readonly Asked[] {
    for (const asked of some) queue.delete(asked)
    return some
  }

  /** What comes first before all others. */
  function inOrder(): readonly Asked[] {
    const all = [...queue]
    return [...all.filter(({ isFirst }) => isFirst), ...all.filter(({ isFirst }) => !isFirst)]
  }

  return {
    add(call: RpcCall, waiting: Waiting, resolve: Asked['resolve']): void {
      const counts = { faults: 0, unanswered: 0 }
      const state = { notBeforeMs: 0, isApart: false, sinceMs: performance.now(), ...counts }
      const caller = new AsyncResource('call')
      queue.add({ call, resolve, caller, ...waiting, ...state, reasons: [], avoided: new Set() })
    },
    putBack(again: readonly Asked[]): void {
      queue = new Set([...again, ...queue])
    },
    isEmpty: () => queue.size === 0,
    has: (asked: Asked) => queue.has(asked),
    inOrder,
    take,
    takeAll: () => take([...queue]),
    /** The request that begins with this call, and what may go with it to the endpoint, out of the queue. */
    takeBatch(first: Asked, endpoint: Endpoint): readonly Asked[] {
      if (first.isApart || takesLong(first.call)) return take([first])
      const nowMs = performance.now()
      const isOfLogs = asksLogs(first.call)
      const isOfCode = runsCode(first.call)
      // A batch is answered when its slowest call is: of those that are not first that may be a stranger's.
      const alike = inOrder().filter(
        (asked) =>
          asked !== first &&
          !asked.avoided.has(endpoint) &&
          asked.notBeforeMs <= nowMs &&
          asked.isFirst === first.isFirst &&
          (asked.isAlone ?? false) === (first.isAlone ?? false) &&
          asksLogs(asked.call) === isOfLogs &&
          (asked.isFirst || runsCode(asked.call) === isOfCode) &&
          !takesLong(asked.call) &&
          !asked.isApart,
      )
      const most = endpoint.limits.batchCalls(isOfLogs ? 'logs' : 'others')
      const few = [first, ...alike].slice(0, most)
      const { bodyBytes } = endpoint.limits.read()
      return take(bodyBytes === undefined ? few : cutToBytes(few, bodyBytes))
    },
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
