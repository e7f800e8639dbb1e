import { setTimeout as wait } from 'node:timers/promises'
import {
  createUpstream,
  type RpcAnswer,
  type RpcCall,
  type Upstream,
  UpstreamError,
} from './upstream.ts'

export type Outcome =
  | { readonly status: 'answered'; readonly answer: RpcAnswer }
  | { readonly status: 'unreachable'; readonly reasons: readonly string[] }

export type Failover = {
  call(call: RpcCall): Promise<Outcome>
  /** What an upstream serves instead of the expected chain, as long as one does. */
  otherChain(): number | undefined
  close(): void
}

type Slot = {
  readonly upstream: Upstream
  /** Not to be asked before this time unless every other one is in the same state. */
  restingUntilMs: number
  failuresInARow: number
  /** The chain that it last said it serves. */
  chainId: number | undefined
}

const maxBatchCalls = 64
const maxAttempts = 4
const firstBackoffMs = 100
const longestRestMs = 10_000
/** Longest single wait inside one request; a longer `Retry-After` is answered with a failure. */
const longestWaitMs = 2_000
/** JSON-RPC codes by which nodes say "too many requests" or "not now"; others are real answers. */
const busyCodes: ReadonlySet<number> = new Set([-32005, -32097, 429])

function isBusy(answer: RpcAnswer): boolean {
  return 'error' in answer && busyCodes.has(answer.error.code)
}

function rest(slot: Slot, retryAfterMs: number | undefined) {
  slot.failuresInARow += 1
  const backoffMs = Math.min(firstBackoffMs * 2 ** (slot.failuresInARow - 1), longestRestMs)
  slot.restingUntilMs = Date.now() + (retryAfterMs ?? backoffMs)
}

function pickSlot(slots: readonly Slot[]): Slot | undefined {
  const now = Date.now()
  return (
    slots.find((slot) => slot.restingUntilMs <= now) ??
    slots.toSorted((a, b) => a.restingUntilMs - b.restingUntilMs)[0]
  )
}

/** Spreads calls over upstreams: the first healthy one is asked, the next when it fails. */
export function createFailover({
  chainId,
  rpcUrls,
  timeoutMs,
  maxResponseBytes,
}: {
  /** Where given, an upstream has to say that it serves this chain before it is asked anything else. */
  readonly chainId?: number | undefined
  readonly rpcUrls: readonly string[]
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}): Failover {
  const slots: readonly Slot[] = rpcUrls.map((url) => ({
    upstream: createUpstream({ url, maxResponseBytes }),
    restingUntilMs: 0,
    failuresInARow: 0,
    chainId: undefined,
  }))
  let closed = false
  type Waiting = { readonly call: RpcCall; readonly resolve: (outcome: Outcome) => void }
  let queue: Waiting[] = []

  async function identify(slot: Slot): Promise<void> {
    if (chainId === undefined || slot.chainId === chainId) return
    const asked = [{ method: 'eth_chainId', params: [] }]
    const [answer] = await slot.upstream.send(asked, { timeoutMs })
    if (!answer || isBusy(answer)) throw new UpstreamError('rate_limited')
    const said = 'result' in answer ? Number(answer.result) : Number.NaN
    if (!Number.isSafeInteger(said)) throw new UpstreamError('bad_answer')
    slot.chainId = said
    if (said !== chainId) throw new UpstreamError('other_chain')
  }

  /** One attempt; returns the calls that still want an answer. */
  async function attempt(slot: Slot, batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    await identify(slot)
    const answers = await slot.upstream.send(
      batch.map(({ call }) => call),
      { timeoutMs },
    )
    const busy = batch.filter((waiting, index) => {
      const answer = answers[index]
      if (!answer || isBusy(answer)) return true
      waiting.resolve({ status: 'answered', answer })
      return false
    })
    if (busy.length > 0) throw Object.assign(new UpstreamError('rate_limited'), { busy })
    slot.failuresInARow = 0
    slot.restingUntilMs = 0
    return []
  }

  async function run(batch: readonly Waiting[]): Promise<void> {
    const reasons: string[] = []
    let left = batch
    for (let tries = 0; tries < Math.max(maxAttempts, slots.length) && !closed; tries += 1) {
      const slot = pickSlot(slots)
      if (!slot) break
      const pauseMs = slot.restingUntilMs - Date.now()
      if (pauseMs > longestWaitMs) {
        reasons.push('rate_limited')
        break
      }
      if (pauseMs > 0) await wait(pauseMs)
      try {
        left = await attempt(slot, left)
        return
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        reasons.push(error.fault)
        rest(slot, error.retryAfterMs)
        if ('busy' in error) left = error.busy as readonly Waiting[]
      }
    }
    const outcome: Outcome = { status: 'unreachable', reasons: closed ? ['closed'] : reasons }
    for (const waiting of left) waiting.resolve(outcome)
  }

  function flush() {
    const waiting = queue
    queue = []
    for (let start = 0; start < waiting.length; start += maxBatchCalls)
      void run(waiting.slice(start, start + maxBatchCalls))
  }

  return {
    call(call) {
      return new Promise((resolve) => {
        queue.push({ call, resolve })
        if (queue.length === 1) setImmediate(flush)
      })
    },
    otherChain: () => slots.find((slot) => slot.chainId && slot.chainId !== chainId)?.chainId,
    close() {
      closed = true
      for (const { upstream } of slots) void upstream.close()
    },
  }
}
