import { setTimeout as wait } from 'node:timers/promises'
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  ConstantBackoff,
  circuitBreaker,
  handleWhenResult,
  retry,
} from 'cockatiel'
import { createSingleFlight } from './singleFlight.ts'
import { fail, type Source, type SourceOutcome, type SourceRequest } from './source.ts'
import { createSourceStats, type SourceFigures } from './sourceStats.ts'

export type DispatchLimits = {
  /** Bound of one answer, retries included, in milliseconds. */
  readonly timeoutMs: number
  /** Calls under way at once; as many again may wait. */
  readonly concurrency: number
  /** Calls started per second; undefined: no limit of ours. */
  readonly perSecond?: number | undefined
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
}

export type DispatchDeps = {
  readonly now: () => number
  readonly observe?: ((event: SourceEvent) => void) | undefined
}

export type BreakerState = 'closed' | 'open' | 'half_open'

/** A source behind its policies, and what `GET /sources` tells of it. */
export type Dispatched = Source & {
  readonly state: () => SourceFigures & {
    readonly breaker: BreakerState
    /** Until when the source asked not to be called, in milliseconds from now. */
    readonly retryAfterMs: number
  }
}

/** A 429 without Retry-After, and the longest pause that is believed. */
const usualPauseMs = 2_000
const longestPauseMs = 3_600_000
const retryPauseMs = 50
/** Where one caller left, others often do: this long, nobody from the queue is called for them. */
const departureMs = 10

type Context = Parameters<Source['quote']>[1]

// cockatiel does not know the type of results; they are what our own calls return.
const isTransient = (result: unknown) => {
  const outcome = result as SourceOutcome
  if (outcome.status !== 'failure' || outcome.transient !== true) return false
  // Whoever names a pause is not asked again at once.
  return outcome.retryAfterMs === undefined
}

/** Only what says that the source is ill opens its circuit; "no route" is a healthy answer. */
const isFault = (result: unknown) => {
  const outcome = result as SourceOutcome
  if (outcome.status !== 'failure') return false
  return outcome.reason === 'timeout' || outcome.reason === 'upstream_error'
}

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

/** At most `perSecond` starts in any second, without a queue: a late quote is worth little. */
function createRateGate(perSecond: number | undefined, now: () => number) {
  const starts: number[] = []
  return function mayStart(): boolean {
    if (perSecond === undefined) return true
    const oldest = now() - 1_000
    while (starts.length > 0 && (starts[0] ?? 0) <= oldest) starts.shift()
    if (starts.length >= perSecond) return false
    starts.push(now())
    return true
  }
}

function createPolicies({ concurrency, breakAfter, halfOpenAfterMs }: DispatchLimits) {
  return {
    breaker: circuitBreaker(handleWhenResult(isFault), {
      halfOpenAfter: halfOpenAfterMs,
      breaker: new ConsecutiveBreaker(breakAfter),
    }),
    crowd: bulkhead(concurrency, concurrency),
    once: retry(handleWhenResult(isTransient), {
      maxAttempts: 1,
      backoff: new ConstantBackoff(retryPauseMs),
    }),
  }
}

const breakerStates: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half_open',
}

/** The outcome of `run`, or a timeout; `run` is then aborted. Rejects when `signal` fires. */
async function withTimeout(
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<SourceOutcome>,
): Promise<SourceOutcome> {
  // One controller for both ends: AbortSignal.any costs several times as much.
  const stop = new AbortController()
  const { promise: late, resolve, reject } = Promise.withResolvers<SourceOutcome>()
  const timer = setTimeout(() => {
    stop.abort()
    resolve(fail('timeout', `no answer within ${timeoutMs} ms`))
  }, timeoutMs)
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
  const { breaker, crowd, once } = createPolicies(limits)
  const mayStart = createRateGate(limits.perSecond, deps.now)
  let pausedUntilMs = 0
  let leftAtMs = Number.NEGATIVE_INFINITY

  function notePause(outcome: SourceOutcome): void {
    if (outcome.status !== 'failure') return
    const usual = outcome.reason === 'rate_limited' ? usualPauseMs : 0
    const pauseMs = Math.min(outcome.retryAfterMs ?? usual, longestPauseMs)
    pausedUntilMs = Math.max(pausedUntilMs, deps.now() + pauseMs)
  }

  function refusePaused(): SourceOutcome | undefined {
    const leftMs = pausedUntilMs - deps.now()
    return leftMs > 0
      ? fail('rate_limited', `asked not to be called for ${Math.ceil(leftMs)} ms`)
      : undefined
  }

  function refuse(): SourceOutcome | undefined {
    const paused = refusePaused()
    if (paused) return paused
    return mayStart() ? undefined : fail('rate_limited', 'our own limit of calls per second')
  }

  async function call(request: SourceRequest, context: Context): Promise<SourceOutcome> {
    const refusal = refuse()
    if (refusal) return refusal
    const attempt = (signal: AbortSignal) =>
      once.execute(async ({ attempt }) => {
        if (attempt > 0) context.onRetry()
        return source.quote(request, { ...context, signal })
      }, signal)
    let isQueued = false
    // The pause is asked for and noted inside: the next in the queue starts before anything outside.
    const bounded = async () => {
      const departsMs = isQueued ? leftAtMs + departureMs - performance.now() : 0
      if (departsMs > 0) await wait(departsMs)
      const paused = refusePaused()
      if (paused) return paused
      // Whoever left while it stood in the queue wants no call any more, and its signal fires no more.
      context.signal.throwIfAborted()
      try {
        const outcome = await withTimeout(limits.timeoutMs, context.signal, attempt)
        notePause(outcome)
        return outcome
      } finally {
        if (context.signal.aborted) leftAtMs = performance.now()
      }
    }
    try {
      return await breaker.execute(() => {
        const running = crowd.execute(bounded)
        isQueued = true
        return running
      })
    } catch (error) {
      if (error instanceof BrokenCircuitError) return fail('circuit_open')
      if (error instanceof BulkheadRejectedError)
        return fail('rate_limited', 'too many calls under way')
      throw error
    }
  }

  async function quote(request: SourceRequest, context: Context): Promise<SourceOutcome> {
    return share(keyOf(request), {
      signal: context.signal,
      run: async (signal) => {
        const started = performance.now()
        const outcome = await call(request, { ...context, signal })
        const durationMs = performance.now() - started
        stats.record(outcome, durationMs)
        const { status } = outcome
        const word = status === 'failure' ? outcome.reason : status
        deps.observe?.({ source: source.name, outcome: word, durationMs })
        return outcome
      },
    })
  }

  return {
    name: source.name,
    quote,
    state: () => ({
      ...stats.read(),
      breaker: breakerStates[breaker.state],
      retryAfterMs: Math.max(0, Math.ceil(pausedUntilMs - deps.now())),
    }),
  }
}
