import {
  describeFailure,
  type FailureReason,
  fail,
  isTimeout,
  type Source,
  type SourceOutcome,
  type SourceRequest,
} from './provider/source.ts'
import type { Ticket } from './provider/ticket.ts'
import type { TakeTurn } from './turns.ts'
import { createUsualWaits } from './usualWaits.ts'

export type Entry = {
  readonly provider: string
  readonly outcome: SourceOutcome
  readonly attempts: number
  /** From dispatch to answer. */
  readonly elapsedMs: number
  /** Wall clock of the answer. */
  readonly receivedAtMs: number
  /** It was waited for no longer than the others. */
  readonly isLeftBehind?: true
}

export type FanOutDeps = {
  /** Wall clock in milliseconds. */
  readonly now: () => number
  readonly onFault: (p: { readonly provider: string; readonly error: unknown }) => void
  /** What it waits for before it begins. Default: nothing. */
  readonly takeTurn?: TakeTurn | undefined
}

export type FanOutParameters = {
  readonly sources: readonly Source[]
  readonly request: SourceRequest
  /** Nobody is waited for longer than this. */
  readonly deadlineMs: number
  /** So long after its turn, the first quote in hand ends the wait; without any, slow sources are waited for. */
  readonly patienceMs: number
  /** Places of a source are shared by caller. */
  readonly caller?: string | undefined
  /** Whom the caller is one of many of, where turns are. Default: the caller. */
  readonly site?: string | undefined
  /** Whether the caller has had an answer to this. Default: it has not. */
  readonly isRefresh?: boolean | undefined
  readonly signal: AbortSignal
  /**
   * Whether quotes are dry-run: then patience ends with enough of them alone, as any may fall, and those that
   * have to be proved count, too. Default: they are not.
   */
  readonly isSimulated?: boolean | undefined
  /**
   * Whether what is in hand stands up to its dry runs: asked once, when somebody takes longer than is usual of it.
   * Default: it does.
   */
  readonly holds?: ((entries: readonly Entry[]) => Promise<boolean>) | undefined
  /** When its turn has come, unless nobody waits for it any more. */
  readonly onTurn?: (() => void) | undefined
  readonly onEntry?: ((entry: Entry) => void) | undefined
  /** Who is waited for how long, and whose calls go on behind the answer. Default: all alike, and nobody's. */
  readonly hasty?: Hasty | undefined
}

export type Hasty = {
  /** Whether it is waited for no longer than the others take. */
  readonly has: (source: string) => boolean
  /** How long the others are waited for at most, where there is enough to answer with; undefined: as long as they may take. */
  readonly usualMs: (source: string) => number | undefined
  /** Whether it kept somebody waiting for nothing: of those the least that is granted is too much. */
  readonly isSilent: (source: string) => boolean
  /** Whom to tell what came of it; undefined where its call is to be aborted. */
  readonly leave: (source: string) => ((entry: Entry) => void) | undefined
}

/** Whoever is waited for no longer than the others has half of their time more, and at least this part of the patience. */
const graceOfTook = 0.5
const graceOfPatience = 1 / 30
/** So many quotes are enough where all are dry-run, one of which may win unproved: one hacked source gives one. */
const enoughOfAny = 3

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
  else signal.addEventListener('abort', settle)
  return { aborted: promise, release: () => signal.removeEventListener('abort', settle) }
}

type Call = {
  readonly asked: Promise<SourceOutcome>
  readonly ticket: () => Ticket | undefined
  readonly toEntry: (outcome: SourceOutcome) => Entry
}

/** Asks one source, unless nobody waits for it any more. A throw is a fault of ours, never of the request. */
function ask(
  deps: FanOutDeps,
  {
    source,
    request,
    caller,
    site,
    signal,
    aborted,
  }: {
    readonly source: Source
    readonly request: SourceRequest
    readonly caller: string | undefined
    readonly site: string | undefined
    readonly signal: AbortSignal
    readonly aborted: Promise<SourceOutcome>
  },
): Call {
  const started = performance.now()
  let attempts = 1
  const onRetry = () => {
    attempts++
  }
  let ticket: Ticket | undefined
  const onTicket = (given: Ticket) => {
    ticket = given
  }
  const quote = () =>
    source.quote(request, { signal, onRetry, onTicket, caller, site }).catch((error: unknown) => {
      if (!signal.aborted) deps.onFault({ provider: source.name, error })
      return fail('upstream_error', 'the source failed unexpectedly')
    })
  const asked = signal.aborted ? aborted : quote()
  // What never had its turn tells nothing of how long the source takes.
  const hadNoTurn = (outcome: SourceOutcome) => isTimeout(outcome) && ticket?.isWaiting() === true
  const toEntry = (outcome: SourceOutcome): Entry => ({
    provider: source.name,
    outcome: hadNoTurn(outcome) ? fail('rate_limited', 'its turn did not come in time') : outcome,
    attempts,
    elapsedMs: performance.now() - started,
    receivedAtMs: deps.now(),
  })
  return { asked, ticket: () => ticket, toEntry }
}

/** Ends the wait for those who are waited for no longer than the others, once one has a quote. */
function createGrace({ leastMs, others }: { leastMs: number; others: readonly string[] }) {
  const started = performance.now()
  const awaited = new Set(others)
  const ofSilent = Promise.withResolvers<SourceOutcome>()
  const ofOthers = Promise.withResolvers<SourceOutcome>()
  let timers: readonly NodeJS.Timeout[] | undefined
  return {
    over: (isSilent: boolean) => (isSilent ? ofSilent : ofOthers).promise,
    noteArrival(name: string, hasQuote: boolean) {
      awaited.delete(name)
      if (timers || awaited.size > 0 || !hasQuote) return
      const tookMs = performance.now() - started
      const longer = tookMs * (1 + graceOfTook)
      const endAfter = (ms: number, { resolve }: PromiseWithResolvers<SourceOutcome>) =>
        setTimeout(() => {
          resolve(fail('timeout', `slower than the ${Math.round(ms)} ms that it is waited for`))
        }, ms - tookMs)
      timers = [endAfter(longer, ofSilent), endAfter(Math.max(leastMs, longer), ofOthers)]
    },
    close: () => timers?.forEach(clearTimeout),
  }
}

/**
 * Asks every source at once and answers with one entry per source, in the order of arrival.
 * Failures are values. When the wait ends, everything still open is aborted down to its socket, but for
 * what `hasty` leaves behind.
 */
export async function fanOut(
  deps: FanOutDeps,
  {
    sources,
    request,
    caller,
    site,
    isRefresh,
    deadlineMs,
    patienceMs,
    signal,
    isSimulated = false,
    holds,
    onTurn,
    onEntry,
    hasty,
  }: FanOutParameters,
): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  const stop = new AbortController()
  const stopWith = (reason: string) => stop.abort(reason)
  let patient = true
  const hasQuote = () => quotesInHand(entries).length > 0
  const mayAnswer = () => (isSimulated ? isEnoughToRun(entries) : hasQuote())
  const cutSlow = () => stopWith(`slower than the ${patienceMs} ms that other quotes waited`)
  const deadline = setTimeout(() => stopWith(`no answer within ${deadlineMs} ms`), deadlineMs)
  const either = AbortSignal.any([stop.signal, signal])
  const { aborted, release } = whenAborted(either)
  await deps.takeTurn?.({ caller, site, isRefresh, chainId: request.chainId, signal: either })
  if (!either.aborted) onTurn?.()
  const patience = setTimeout(() => {
    patient = false
    if (mayAnswer()) cutSlow()
  }, patienceMs)
  const names = sources.map(({ name }) => name)
  const hurried = new Set(hasty && names.filter(hasty.has))
  const others = names.filter((name) => !hurried.has(name))
  const grace = createGrace({ leastMs: patienceMs * graceOfPatience, others })
  const usual = createUsualWaits({ holds: holds && (() => holds([...entries])) })

  async function hear(source: Source): Promise<Entry> {
    const isHurried = hurried.has(source.name)
    const usualMs = isHurried ? undefined : hasty?.usualMs(source.name)
    if (!isHurried && usualMs === undefined) {
      const call = ask(deps, { source, request, caller, site, signal: either, aborted })
      return call.toEntry(await Promise.race([aborted, call.asked]))
    }
    const end = new AbortController()
    const call = ask(deps, {
      source,
      request,
      caller,
      site,
      signal: AbortSignal.any([either, end.signal]),
      aborted,
    })
    let isOpen = true
    const over =
      usualMs === undefined
        ? grace.over(hasty?.isSilent(source.name) === true)
        : usual.over({ usualMs, ticket: call.ticket, isOpen: () => isOpen })
    const late = await Promise.race([aborted, call.asked, over.then(toLate)])
    isOpen = false
    if (!('late' in late)) return call.toEntry(late)
    const tell = hasty?.leave(source.name)
    if (tell) void call.asked.then((outcome) => tell(call.toEntry(outcome)))
    else end.abort()
    return { ...call.toEntry(late.late), isLeftBehind: true }
  }
  try {
    await Promise.all(
      sources.map(async (source) => {
        const entry = await hear(source)
        entries.push(entry)
        if (!signal.aborted) onEntry?.(entry)
        if (!patient && mayAnswer()) cutSlow()
        if (isEnough(entries)) usual.noteEnough()
        grace.noteArrival(source.name, hasQuote())
      }),
    )
  } finally {
    clearTimeout(deadline)
    clearTimeout(patience)
    grace.close()
    usual.close()
    release()
  }
  return entries
}

/** Those that may win unproved. What has to be proved is a promise, which whoever makes it may not keep. */
const quotesInHand = (entries: readonly Entry[]) =>
  entries.flatMap(({ outcome }) =>
    outcome.status === 'quote' && !outcome.quote.mustBeProved ? outcome.quote : [],
  )

/**
 * A quote of our own search, or those of two others: by itself a source whose server was taken over has nobody cut
 * short, whatever it promises at once.
 */
export function isEnough(entries: readonly Entry[]): boolean {
  const quotes = quotesInHand(entries)
  return quotes.length >= 2 || quotes.some(({ isReference }) => isReference)
}

/**
 * What has to be proved is proved where all are dry-run, and as good there as what is not. One that may win unproved
 * is among them: dry runs may be had for none.
 */
const isEnoughToRun = (entries: readonly Entry[]) =>
  isEnough(entries) ||
  (quotesInHand(entries).length > 0 &&
    entries.filter(({ outcome }) => outcome.status === 'quote').length >= enoughOfAny)

const toLate = (late: SourceOutcome) => ({ late })

/** `failures[]` of a set of entries. */
export function failuresOf(
  entries: readonly Entry[],
): readonly { readonly provider: string; readonly reason: string }[] {
  return entries.flatMap(({ provider, outcome }) =>
    outcome.status === 'failure' ? [{ provider, reason: describeFailure(outcome) }] : [],
  )
}

/** What a source says that has looked, or is said of what it found. */
const judgements: readonly FailureReason[] = ['no_route', 'target_not_allowed', 'calldata_mismatch']
/** What it says without a look, also while those who would answer are away. */
const exclusions: readonly FailureReason[] = [
  'unsupported_chain',
  'unsupported_token',
  'unsupported_exact_output',
]
/** Who lacks its key, or its contracts, will not have looked next time either. */
export const lasting: readonly FailureReason[] = [...exclusions, 'not_configured']

/**
 * Whether there are no quotes for what was asked, and not because those who give them are away. Most questions
 * have sources that say so without a look at the chain: they speak for nobody who had quotes lately and fails.
 */
export function isOfQuestion(
  entries: readonly Entry[],
  hadQuotes: (provider: string) => boolean,
): boolean {
  const says = (reasons: readonly FailureReason[], { outcome }: Entry) =>
    outcome.status === 'failure' && reasons.includes(outcome.reason)
  const isSaid = (entry: Entry) => says(judgements, entry) || says(exclusions, entry)
  if (entries.some((entry) => !isSaid(entry) && hadQuotes(entry.provider))) return false
  return (
    entries.some((entry) => says(judgements, entry)) ||
    entries.every((entry) => says(lasting, entry))
  )
}
