import { tracingChannel } from 'node:diagnostics_channel'
import { setTimeout as wait } from 'node:timers/promises'
import { BulkheadRejectedError, ConstantBackoff, handleWhenResult, retry } from 'cockatiel'
import { pauseOf } from './provider/callLimit.ts'
import { type CircuitState, createCircuit, type Verdict } from './provider/circuit.ts'
import { createPlaces } from './provider/places.ts'
import {
  type FailureReason,
  fail,
  type Source,
  type SourceOutcome,
  type SourceRequest,
} from './provider/source.ts'
import { createTicket, type Ticket } from './provider/ticket.ts'
import { createSingleFlight } from './singleFlight.ts'
import { createSourceStats, type SourceFigures } from './sourceStats.ts'

export type DispatchLimits = {
  /** Bound of one answer, retries included, in milliseconds; what it waits for its turns is not counted. */
  readonly timeoutMs: number
  /** Calls under way at once. */
  readonly concurrency: number
  /** Calls that may wait for their turn. Default: as many again. */
  readonly waiting?: number | undefined
  /** Faults in a row that open the circuit. */
  readonly breakAfter: number
  /** How long an open circuit stays open before one call may try. */
  readonly halfOpenAfterMs: number
}

export const defaultLimits: DispatchLimits = {
  timeoutMs: 5_000,
  concurrency: 32,
  breakAfter: 5,
  halfOpenAfterMs: 10_000,
}

/** One answer of a source: `quote`, `reference`, or the reason of a failure. */
export type SourceEvent = {
  readonly source: string
  readonly outcome: string
  readonly durationMs: number
  /** Of the trace that a collector gets of it, where it gets one. */
  readonly traceId?: string | undefined
}

export type DispatchDeps = {
  readonly now: () => number
  readonly observe?: ((event: SourceEvent) => void) | undefined
}

/** What `GET /sources` tells of a source. */
export type SourceState = {
  readonly name: string
  readonly chainIds: readonly number[]
  /** What it does not do, and why. */
  readonly note?: string | undefined
} & ReturnType<Dispatched['state']>

/** A source behind its policies. */
export type Dispatched = Source & {
  readonly state: () => SourceFigures & {
    readonly breaker: CircuitState
    /** Until when the source asked not to be called, in milliseconds from now. */
    readonly retryAfterMs: number
  }
}

const asking = tracingChannel('forkyard.source')
const retryPauseMs = 50
/** Where one caller left, others often do: this long, nobody from the queue is called for them. */
const departureMs = 10
/** A time limit that ends while its call waits is looked at again after this at the earliest. */
const leastMoreMs = 20

type Context = Parameters<Source['quote']>[1] & { readonly ticket: Ticket }

// cockatiel does not know the type of results; they are what our own calls return.
const isTransient = (result: unknown) => {
  const outcome = result as SourceOutcome
  if (outcome.status !== 'failure' || outcome.transient !== true) return false
  // Whoever names a pause is not asked again at once.
  return outcome.retryAfterMs === undefined
}

/** Whoever it was that refused: it has not been asked, or asks for patience. */
const tellsNothing: ReadonlySet<FailureReason> = new Set([
  'rate_limited',
  'not_configured',
  'unsupported_chain',
  'unsupported_exact_output',
])

/** Only what says that the source is ill opens its circuit; "no route" is a healthy answer. */
function judge(outcome: SourceOutcome): Verdict | undefined {
  if (outcome.status !== 'failure') return 'answered'
  const { reason } = outcome
  if (tellsNothing.has(reason)) return undefined
  return reason === 'timeout' || reason === 'upstream_error' ? 'fault' : 'healthy'
}

const wordOf = (outcome: SourceOutcome) =>
  outcome.status === 'failure' ? outcome.reason : outcome.status

/** One request goes to every source: its key is made once. */
const keys = new WeakMap<SourceRequest, string>()

function keyOf(request: SourceRequest): string {
  const known = keys.get(request)
  if (known !== undefined) return known
  const key = JSON.stringify(request, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  keys.set(request, key)
  return key
}

function createPolicies({ concurrency, waiting = concurrency }: DispatchLimits) {
  return {
    places: createPlaces(concurrency, waiting),
    once: retry(handleWhenResult(isTransient), {
      maxAttempts: 1,
      backoff: new ConstantBackoff(retryPauseMs),
    }),
  }
}

/**
 * The outcome of `run`, or a timeout; `run` is then aborted. What it waits for its turns is not the source's
 * time: whoever asks bounds that. Rejects when `signal` fires.
 */
async function withTimeout(
  timeoutMs: number,
  { signal, ticket }: Pick<Context, 'signal' | 'ticket'>,
  run: (signal: AbortSignal) => Promise<SourceOutcome>,
): Promise<SourceOutcome> {
  // One controller for both ends: AbortSignal.any costs several times as much.
  const stop = new AbortController()
  const { promise: late, resolve, reject } = Promise.withResolvers<SourceOutcome>()
  let grantedMs = ticket.waitedMs()
  let timer = setTimeout(end, timeoutMs)
  function end() {
    const owedMs = ticket.waitedMs() - grantedMs
    if (owedMs > 0 || ticket.isWaiting()) {
      const moreMs = Math.max(leastMoreMs, owedMs)
      grantedMs += moreMs
      timer = setTimeout(end, moreMs)
      return
    }
    stop.abort()
    resolve(fail('timeout', `no answer within ${timeoutMs} ms`))
  }
  const leave = () => {
    stop.abort(signal.reason)
    reject(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([late, run(stop.signal)])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

/**
 * Puts a source behind its policies: equal requests share one call, a pause that the source asked
 * for is kept, its circuit and its concurrency are limited, one transient fault is tried again.
 */
export function dispatchSource(
  deps: DispatchDeps,
  { source, limits }: { readonly source: Source; readonly limits: DispatchLimits },
): Dispatched {
  const stats = createSourceStats()
  const share = createSingleFlight<SourceOutcome>()
  const { places, once } = createPolicies(limits)
  const circuit = createCircuit<SourceRequest>({ ...limits, probe })
  let pausedUntilMs = 0
  let leftAtMs = Number.NEGATIVE_INFINITY

  function notePause(outcome: SourceOutcome): void {
    // Who keeps pauses by call has noted this one already, and says "rate_limited" for its own limit too.
    if (source.pausedForMs) return
    pausedUntilMs = Math.max(pausedUntilMs, deps.now() + pauseOf(outcome))
  }

  const pausedForMs = () =>
    Math.max(Math.ceil(pausedUntilMs - deps.now()), source.pausedForMs?.() ?? 0)

  function failPaused(): SourceOutcome | undefined {
    const leftMs = pausedForMs()
    return leftMs > 0 ? fail('rate_limited', `asked not to be called for ${leftMs} ms`) : undefined
  }

  async function call(request: SourceRequest, context: Context): Promise<SourceOutcome> {
    const { caller = '' } = context
    const refusal = failPaused()
    if (refusal) return refusal
    try {
      const run = () => place(request, context)
      return (await circuit.execute({ caller, request, run, judge })) ?? fail('circuit_open')
    } catch (error) {
      if (error instanceof BulkheadRejectedError)
        return fail('rate_limited', 'too many calls under way')
      throw error
    }
  }

  /** What it answered before, asked once more on nobody's behalf: whether it is the source that is ill. */
  async function probe(request: SourceRequest): Promise<Verdict | undefined> {
    // It waits for its turn like others, and then for the answer.
    const signal = AbortSignal.timeout(2 * limits.timeoutMs)
    const caller = 'probe'
    const context = { signal, onRetry: () => undefined, caller, ticket: createTicket({ caller }) }
    const outcome = await place(request, context).catch(() => undefined)
    return outcome && judge(outcome)
  }

  /** In its turn among the sites and their callers. */
  async function place(request: SourceRequest, context: Context): Promise<SourceOutcome> {
    const attempt = (signal: AbortSignal) =>
      once.execute(async ({ attempt }) => {
        if (attempt > 0) context.onRetry()
        return source.quote(request, { ...context, signal })
      }, signal)
    const { caller = '', site, ticket, signal } = context
    const first = { caller, site }
    const isQueued = !places.tryEnter(first)
    // The pause is asked for and noted inside: the next in the queue starts before anything outside.
    const bounded = async () => {
      const departsMs = isQueued ? leftAtMs + departureMs - performance.now() : 0
      if (departsMs > 0) await wait(departsMs)
      const paused = failPaused()
      if (paused) return paused
      // Whoever left while it stood in the queue wants no call any more, and its signal fires no more.
      context.signal.throwIfAborted()
      try {
        const outcome = await withTimeout(limits.timeoutMs, context, attempt)
        notePause(outcome)
        return outcome
      } finally {
        if (context.signal.aborted) leftAtMs = performance.now()
      }
    }
    const entrant = isQueued ? await places.enter(ticket, signal) : first
    if (!entrant) throw new BulkheadRejectedError(limits.concurrency, 0)
    try {
      return await bounded()
    } finally {
      places.leave(entrant)
    }
  }

  const quote: Source['quote'] = async (request, context) => {
    const { caller = '', site, signal, onTicket } = context
    return share(keyOf(request), {
      entrant: { caller, site },
      signal,
      onTicket,
      run: async (signal, ticket) => {
        const started = performance.now()
        const attributes = { name: `source ${source.name}`, outcome: '' }
        // Given by who makes traces of the steps, where this one is sent on.
        const step: { attributes: typeof attributes; traceId?: string } = { attributes }
        const outcome = await asking.tracePromise(async () => {
          const answer = await call(request, { ...context, signal, ticket })
          attributes.outcome = wordOf(answer)
          return answer
        }, step)
        const durationMs = performance.now() - started
        stats.record(outcome, durationMs)
        const { traceId } = step
        deps.observe?.({ source: source.name, outcome: attributes.outcome, durationMs, traceId })
        return outcome
      },
    })
  }

  return {
    name: source.name,
    quote,
    state: () => ({
      ...stats.read(),
      breaker: circuit.state(),
      retryAfterMs: pausedForMs(),
    }),
  }
}
