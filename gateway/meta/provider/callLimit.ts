import { createFairQueue } from './fairQueue.ts'
import type { HttpAnswer } from './http.ts'
import { fail } from './source.ts'
import type { Entrant, Ticket } from './ticket.ts'

export type CallLimit = {
  /** Runs one HTTP call when it is the caller's turn, or says why it may not run. */
  run(
    p: Entrant & { readonly ticket: Ticket; readonly signal: AbortSignal },
    call: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer>
  /** Until when the provider asked not to be called, in milliseconds from now. */
  pausedForMs(): number
}

/** A 429 without Retry-After, and the longest pause that is believed. */
export const usualPauseMs = 2_000
export const longestPauseMs = 3_600_000
const windowMs = 1_000
/** Seconds' worth of calls that may wait for their turn. */
const waitingSecs = 4

/** How long an answer asks us to stay away. */
export function pauseOf(answer: { readonly status: string }): number {
  if (answer.status !== 'failure') return 0
  const { reason, retryAfterMs } = answer as ReturnType<typeof fail>
  const usual = reason === 'rate_limited' ? usualPauseMs : 0
  return Math.min(retryAfterMs ?? usual, longestPauseMs)
}

/**
 * What a provider asks of its clients holds for each call over the wire, however many of them a quote
 * takes: no more than `perSecond` in any second, none within a pause. Sites take turns, and within them callers.
 */
export function createCallLimit({
  perSecond,
  now,
}: {
  readonly perSecond: number | undefined
  /** Milliseconds. */
  readonly now: () => number
}): CallLimit {
  const starts: number[] = []
  let pausedUntilMs = 0
  let timer: NodeJS.Timeout | undefined
  const most = perSecond ?? Number.POSITIVE_INFINITY

  function hasPlace(): boolean {
    while (starts.length > 0 && (starts[0] ?? 0) <= now() - windowMs) starts.shift()
    return starts.length < most
  }
  const queue = createFairQueue({
    mayStart: hasPlace,
    onStart() {
      if (perSecond !== undefined) starts.push(now())
    },
    maxWaiting: Math.max(8, (perSecond ?? 0) * waitingSecs),
  })

  /** Somebody waits: looks again when the oldest call leaves the window. */
  function watch(): void {
    if (timer || queue.waiting() === 0) return
    const leftMs = Math.max(1, (starts[0] ?? 0) + windowMs - now())
    timer = setTimeout(() => {
      timer = undefined
      queue.pump()
      watch()
    }, leftMs)
  }

  const pausedForMs = () => Math.max(0, Math.ceil(pausedUntilMs - now()))
  const failPaused = () => {
    const leftMs = pausedForMs()
    return leftMs > 0 ? fail('rate_limited', `asked not to be called for ${leftMs} ms`) : undefined
  }

  return {
    pausedForMs,
    async run({ caller, site, ticket, signal }, call) {
      const paused = failPaused()
      if (paused) return paused
      if (!queue.tryEnter({ caller, site })) {
        const turn = queue.enter(ticket, signal)
        watch()
        if ((await turn) === undefined)
          return fail('rate_limited', 'our own limit of calls per second')
      }
      // The pause may have been asked for while this one waited.
      const late = failPaused()
      if (late) return late
      const answer = await call()
      pausedUntilMs = Math.max(pausedUntilMs, now() + pauseOf(answer))
      return answer
    },
  }
}
