import { LRUCache } from 'lru-cache'
import { type Entry, type Hasty, lasting } from './fanOut.ts'
import {
  isTimeout,
  type SourceOutcome,
  type SourceQuote,
  type SourceRequest,
} from './provider/source.ts'
import { bindsToMore, type RankedQuote } from './rank.ts'

/**
 * For whom a source is worth waiting for, by what came of earlier waits. A caller whom it kept waiting for
 * nothing waits no longer than the others take, until it answers again; and so does whoever trades a pair
 * and an amount of which it had the best quote in none of the last 32 answers. It is asked all the same, and
 * who answers as fast as the others loses nothing. The others are waited for a few times as long as they took
 * of late for such a question of the caller's. What one caller asks tells others only what they would
 * have seen themselves: whose quote was better. Time limits, why the better promise lost and what is no quote at
 * all depend on the question, and count for whoever asked it; what falls where no dry run is to be had says
 * nothing of where one is.
 */
export type SourceWorth = {
  of(asked: Asked): Waits
}

type Asked = {
  readonly request: SourceRequest
  readonly caller?: string | undefined
  /** Whether quotes are dry-run. Default: they are not. */
  readonly isSimulated?: boolean | undefined
}

/** Of one request. */
export type Waits = Hasty & {
  /** Somebody has answered, while others are waited for. */
  arrived(entry: Entry): void
  /** What all answered, and whose quote was best. */
  note(p: { readonly entries: readonly Entry[]; readonly ranked: Ranked }): void
  /** Nobody is waited for any more. */
  close(): void
}

type Ranked = { readonly quotes: readonly RankedQuote[]; readonly best: SourceQuote | undefined }

/** Lost in a row; a win is worth half of them: who is best now and then is waited for. */
const mostLost = 32
const winWeight = 16
/** A source's word that it would have been better is taken no more often than this. */
const chanceEveryMs = 30_000
/**
 * A source that takes so many times as long as any of its answers of late has most likely stopped to answer:
 * the caller whom it keeps waiting waits no longer where he has another's quote, and does not begin to wait for
 * it once more meanwhile.
 */
const overdueTimes = 4
const leastOverdueMs = 100
/** Of the slowest answer so far what is left after each that is faster. */
const slowestKept = 0.9
/** Who answers again after a wait for nothing is waited for again after a while, each time a longer one. */
const firstPauseMs = 10_000
const longestPauseMs = 600_000
const mostKept = 10_000

type Loss = { readonly count: number; readonly chanceAtMs: number }
type Silence = {
  readonly isSilent: boolean
  readonly lengthMs: number
  readonly untilMs: number
}

type Wait = { startedAtMs: number; readonly sources: Set<string>; hasQuote: boolean }

/** These tell nothing of whether it answers. */
const isNoAnswer = (outcome: SourceOutcome) =>
  outcome.status === 'failure' &&
  ['timeout', 'rate_limited', 'circuit_open', 'upstream_error'].includes(outcome.reason)
/** Nor do these of how long it takes to look. */
const isNoLook = (outcome: SourceOutcome) =>
  outcome.status === 'failure' && lasting.includes(outcome.reason)
/** It has looked, and nobody can use what it says. */
const hasNothing = (outcome: SourceOutcome) =>
  outcome.status === 'failure' && !isNoAnswer(outcome) && !isNoLook(outcome)

export function createSourceWorth({
  now,
  always = [],
}: {
  readonly now: () => number
  /** Sources that all others are measured by: slow, they are so for a crowd's sake. Default: none. */
  readonly always?: readonly string[] | undefined
}): SourceWorth {
  const losses = new LRUCache<string, Loss>({ max: mostKept })
  const silences = new LRUCache<string, Silence>({ max: mostKept })
  const slowestMs = new LRUCache<string, number>({ max: mostKept })
  const slowestInSaleMs = new LRUCache<string, number>({ max: mostKept })
  /** Of each caller's sales with dry runs whether any could be had last time. */
  const couldRun = new LRUCache<string, boolean>({ max: mostKept })
  const left = new Set<string>()
  /** Of these those that were waited for until they took too long. */
  const cut = new Set<string>()
  /** Of each caller those that go on. */
  const waits = new LRUCache<string, Set<Wait>>({ max: mostKept })

  function addLoss(key: string, by: number) {
    const { count, chanceAtMs } = losses.get(key) ?? { count: 0, chanceAtMs: -chanceEveryMs }
    losses.set(key, { count: Math.min(mostLost, Math.max(0, count + by)), chanceAtMs })
  }
  function giveChance(key: string) {
    const loss = losses.get(key)
    if (loss?.count !== mostLost || now() - loss.chanceAtMs < chanceEveryMs) return
    losses.set(key, { count: mostLost - 1, chanceAtMs: now() })
  }
  const isLost = (key: string) => losses.get(key)?.count === mostLost

  function noteSilent(key: string) {
    const { lengthMs = firstPauseMs / 2 } = silences.get(key) ?? {}
    const longer = Math.min(2 * lengthMs, longestPauseMs)
    silences.set(key, { isSilent: true, lengthMs: longer, untilMs: now() + longer })
  }
  function noteHeard(key: string) {
    const silence = silences.get(key)
    if (!silence) return
    const { isSilent, lengthMs, untilMs } = silence
    // In time, it earns back what it lost.
    if (isSilent || now() < untilMs) {
      silences.set(key, { ...silence, isSilent: false })
      return
    }
    const shorterMs = lengthMs / 2
    if (shorterMs < firstPauseMs) silences.delete(key)
    else silences.set(key, { ...silence, lengthMs: shorterMs })
  }
  function isSilent(key: string) {
    const silence = silences.get(key)
    return silence !== undefined && (silence.isSilent || now() < silence.untilMs)
  }

  function noteTime(slowest: LRUCache<string, number>, key: string, tookMs: number) {
    slowest.set(key, Math.max(tookMs, slowestKept * (slowest.get(key) ?? tookMs)))
  }
  const toUsual = (slowest: number) => Math.max(leastOverdueMs, overdueTimes * slowest)
  /** Without anybody's quote it is right to wait. */
  function isOverdue(key: string, source: string, open: ReadonlySet<Wait> = new Set()) {
    const slowest = slowestMs.get(key)
    if (slowest === undefined) return false
    const usualMs = toUsual(slowest)
    return [...open].some(
      ({ startedAtMs, sources, hasQuote }) =>
        hasQuote && sources.has(source) && now() - startedAtMs > usualMs,
    )
  }

  return {
    of({ request, caller = '', isSimulated = false }) {
      const sale = nameSale(request)
      const inSale = (source: string) => `${source} ${sale}`
      const ofCaller = (source: string) => `${source} ${request.chainId} ${caller}`
      const inSaleOfCaller = (source: string) => `${source} ${sale} ${caller}`
      const saleOfCaller = `${sale} ${caller}`
      const isRun = () => isSimulated && (couldRun.get(saleOfCaller) ?? true)
      const lossOfCaller = (source: string) => `${inSaleOfCaller(source)} ${isRun()}`
      const judged = Promise.withResolvers<SourceQuote | undefined>()
      const site = `${request.chainId} ${caller}`
      const wait: Wait = { startedAtMs: now(), sources: new Set(), hasQuote: false }
      const keepsSilent = (source: string) =>
        isSilent(ofCaller(source)) ||
        cut.has(ofCaller(source)) ||
        isOverdue(ofCaller(source), source, waits.get(site))

      waits.set(site, (waits.get(site) ?? new Set()).add(wait))

      function noteAnswer({ provider, outcome, elapsedMs }: Entry) {
        if (isNoAnswer(outcome)) return
        noteTime(slowestMs, ofCaller(provider), elapsedMs)
        if (!isNoLook(outcome)) noteTime(slowestInSaleMs, inSaleOfCaller(provider), elapsedMs)
      }
      /** It was waited for: it is silent only if it never answers, and its answer tells how long it takes now. */
      function noteCut(entry: Entry) {
        cut.delete(ofCaller(entry.provider))
        if (isTimeout(entry.outcome)) noteSilent(ofCaller(entry.provider))
        noteAnswer(entry)
      }
      async function noteLate({ provider, outcome }: Entry) {
        if (!isNoAnswer(outcome)) noteHeard(ofCaller(provider))
        const best = await judged.promise
        if (outcome.status !== 'quote' || !best) return
        const isFirmer = bindsToMore(outcome.quote, { other: best, request })
        if (isFirmer) giveChance(inSale(provider))
        // What it delivers a dry run would have told, which is to be had.
        if (isFirmer || (isRun() && promisesMore(outcome.quote, { best, request })))
          giveChance(lossOfCaller(provider))
      }
      function noteQuote({ quote }: RankedQuote, best: SourceQuote) {
        const { provider } = quote
        const keys = [inSale(provider), lossOfCaller(provider)] as const
        if (provider === best.provider) for (const key of keys) addLoss(key, -winWeight)
        else addLoss(promisesMore(quote, { best, request }) ? keys[1] : keys[0], 1)
      }
      return {
        has(source) {
          const isHasty =
            !always.includes(source) &&
            (keepsSilent(source) || isLost(inSale(source)) || isLost(lossOfCaller(source)))
          if (!isHasty) wait.sources.add(source)
          // Asked when the sources are, which may have waited for its turn.
          wait.startedAtMs = now()
          return isHasty
        },
        isSilent: keepsSilent,
        usualMs(source) {
          const slowest = slowestInSaleMs.get(inSaleOfCaller(source))
          return slowest === undefined || always.includes(source) ? undefined : toUsual(slowest)
        },
        arrived(entry) {
          wait.sources.delete(entry.provider)
          if (entry.outcome.status === 'quote') wait.hasQuote = true
          noteAnswer(entry)
        },
        leave(source) {
          // One of each, so that nobody leaves work behind without end; another's keeps nobody from hearing.
          const place = ofCaller(source)
          if (left.has(place)) return undefined
          left.add(place)
          const isCut = wait.sources.has(source)
          if (isCut) cut.add(place)
          return (entry) => {
            left.delete(place)
            if (isCut) noteCut(entry)
            void noteLate(entry)
          }
        },
        note({ entries, ranked: { quotes, best } }) {
          judged.resolve(best)
          if (isSimulated && quotes.length > 0) couldRun.set(saleOfCaller, quotes.some(wasRun))
          for (const { provider, outcome, isLeftBehind } of entries) {
            if (isLeftBehind) continue
            // Without anybody's quote it was right to wait.
            if (!isNoAnswer(outcome)) noteHeard(ofCaller(provider))
            else if (best && isTimeout(outcome)) noteSilent(ofCaller(provider))
            if (best && hasNothing(outcome)) addLoss(lossOfCaller(provider), 1)
          }
          if (best) for (const quote of quotes) noteQuote(quote, best)
        },
        close() {
          waits.get(site)?.delete(wait)
        },
      }
    },
  }
}

const wasRun = ({ simulation: { status } }: RankedQuote) =>
  status === 'success' || status === 'reverted'

/** Pair, kind and magnitude: whose quote is better for one amount is so for those like it. */
function nameSale({ chainId, tokenIn, tokenOut, trade }: SourceRequest): string {
  const amount = trade.type === 'exactInput' ? trade.amountIn : trade.targetOut
  const magnitude = amount.toString(2).length
  return `${chainId} ${tokenIn} ${tokenOut} ${trade.type} ${magnitude}`.toLowerCase()
}

const promisesMore = (
  quote: SourceQuote,
  { best, request: { trade } }: { readonly best: SourceQuote; readonly request: SourceRequest },
) =>
  trade.type === 'exactOutput' ? quote.amountIn < best.amountIn : quote.amountOut > best.amountOut
