import {
  describeFailure,
  fail,
  type Source,
  type SourceOutcome,
  type SourceRequest,
} from './provider/source.ts'

export type Entry = {
  readonly provider: string
  readonly outcome: SourceOutcome
  readonly attempts: number
  /** From dispatch to answer. */
  readonly elapsedMs: number
  /** Wall clock of the answer. */
  readonly receivedAtMs: number
}

export type FanOutDeps = {
  /** Wall clock in milliseconds. */
  readonly now: () => number
  readonly onFault: (p: { readonly provider: string; readonly error: unknown }) => void
}

export type FanOutParameters = {
  readonly sources: readonly Source[]
  readonly request: SourceRequest
  /** Nobody is waited for longer than this. */
  readonly deadlineMs: number
  /** After this, the first quote in hand ends the wait; without any, slow sources are waited for. */
  readonly patienceMs: number
  /** Places of a source are shared by caller. */
  readonly caller?: string | undefined
  readonly signal: AbortSignal
  readonly onEntry?: ((entry: Entry) => void) | undefined
}

/** Resolves with a failure as soon as `signal` fires, and keeps no listener behind. */
function whenAborted(signal: AbortSignal): {
  readonly aborted: Promise<SourceOutcome>
  release(): void
} {
  const { promise, resolve } = Promise.withResolvers<SourceOutcome>()
  const settle = () => {
    const reason: unknown = signal.reason
    resolve(fail('timeout', typeof reason === 'string' ? reason : 'the request was given up'))
  }
  if (signal.aborted) settle()
  else signal.addEventListener('abort', settle, { once: true })
  return { aborted: promise, release: () => signal.removeEventListener('abort', settle) }
}

/** One source. A throw is a fault of ours, never of the request. */
async function ask(
  deps: FanOutDeps,
  {
    source,
    request,
    caller,
    signal,
    aborted,
  }: {
    readonly source: Source
    readonly request: SourceRequest
    readonly caller: string | undefined
    readonly signal: AbortSignal
    readonly aborted: Promise<SourceOutcome>
  },
): Promise<Entry> {
  const started = performance.now()
  let attempts = 1
  const onRetry = () => {
    attempts++
  }
  const asked = source.quote(request, { signal, onRetry, caller }).catch((error: unknown) => {
    if (!signal.aborted) deps.onFault({ provider: source.name, error })
    return fail('upstream_error', 'the source failed unexpectedly')
  })
  const outcome = await Promise.race([aborted, asked])
  return {
    provider: source.name,
    outcome,
    attempts,
    elapsedMs: performance.now() - started,
    receivedAtMs: deps.now(),
  }
}

/**
 * Asks every source at once and answers with one entry per source, in the order of arrival.
 * Failures are values. When the wait ends, everything still open is aborted down to its socket.
 */
export async function fanOut(
  deps: FanOutDeps,
  { sources, request, caller, deadlineMs, patienceMs, signal, onEntry }: FanOutParameters,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  const stop = new AbortController()
  const stopWith = (reason: string) => stop.abort(reason)
  let patient = true
  const hasQuote = () => entries.some(({ outcome }) => outcome.status === 'quote')
  const cutSlow = () => stopWith(`slower than the ${patienceMs} ms that other quotes waited`)
  const deadline = setTimeout(() => stopWith(`no answer within ${deadlineMs} ms`), deadlineMs)
  const patience = setTimeout(() => {
    patient = false
    if (hasQuote()) cutSlow()
  }, patienceMs)
  const either = AbortSignal.any([stop.signal, signal])
  const { aborted, release } = whenAborted(either)
  try {
    await Promise.all(
      sources.map(async (source) => {
        const entry = await ask(deps, { source, request, caller, signal: either, aborted })
        entries.push(entry)
        if (!signal.aborted) onEntry?.(entry)
        if (!patient && entry.outcome.status === 'quote') cutSlow()
      }),
    )
  } finally {
    clearTimeout(deadline)
    clearTimeout(patience)
    release()
  }
  return entries
}

/** `failures[]` of a set of entries. */
export function failuresOf(
  entries: readonly Entry[],
): readonly { readonly provider: string; readonly reason: string }[] {
  return entries.flatMap(({ provider, outcome }) =>
    outcome.status === 'failure' ? [{ provider, reason: describeFailure(outcome) }] : [],
  )
}
