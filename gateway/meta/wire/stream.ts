import { ServiceStops } from '../../http/ending.ts'
import type { EventSink } from '../../http/reply.ts'
import {
  type Aggregate,
  type AggregateDeps,
  beginFinding,
  checkedSources,
  createFindOwnProxy,
  type FindOwnProxy,
  judgeQuotes,
  type MetaRequest,
  proxyTxFor,
  referencesOf,
  strictRefusal,
} from '../aggregate.ts'
import { type Entry, fanOut } from '../fanOut.ts'
import { createOutbox, type Outbox } from '../outbox.ts'
import type { SourceQuote } from '../provider/source.ts'
import { bestOf, type RankedQuote, rank, rankingOf } from '../rank.ts'
import { disabled, pending } from '../simulateQuotes.ts'
import type { TrackingFields } from './quoteResponse.ts'
import {
  fromDone,
  fromInitial,
  fromKeepAlive,
  fromLateQuote,
  fromRefresh,
  fromSimUpdate,
} from './streamEvents.ts'

export type StreamOptions = {
  readonly keepAliveMs?: number | undefined
  readonly refreshIntervalMs?: number | undefined
  readonly firstN: number
  readonly mustInclude: readonly string[]
}

export type StreamParameters = {
  readonly request: MetaRequest
  readonly options: StreamOptions
  readonly tracking: TrackingFields
  readonly sink: EventSink
  /** Places of a source are shared by caller. */
  readonly caller?: string | undefined
  /** Whom the caller is one of many of. Default: the caller. */
  readonly site?: string | undefined
  /** Called before each further cycle; a code where the caller has nothing left for it. */
  readonly spend?: (() => Promise<string | undefined>) | undefined
  readonly signal: AbortSignal
}

/** Resolves after `ms`, or at once when the signal fires. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>

export type StreamDeps = AggregateDeps & {
  /** Default: real time. */
  readonly pause?: Pause | undefined
}

/** Repeated dispatch ends after this many cycles. */
const maxCycles = 20

type Session = Omit<StreamParameters, 'sink'> & {
  readonly outbox: Outbox
  readonly started: number
  readonly findProxy: FindOwnProxy
  /** Simulations under way; `done` waits for them. */
  readonly simulations: Set<Promise<void>>
}

const elapsedOf = ({ started }: Session) => performance.now() - started

/** Dry run of quotes that the client already has; one `sim_update` each. */
function simulateLater(
  deps: AggregateDeps,
  session: Session,
  quotes: readonly SourceQuote[],
): void {
  const { request, caller, signal, tracking, outbox, simulations } = session
  if (!request.dryRun || request.policy === 'strict' || quotes.length === 0) return
  const work = async () => {
    const proxy = await session.findProxy()
    const asked = { request, quotes, proxy, caller, signal }
    const { simulations: results } = await judgeQuotes(deps, asked)
    if (signal.aborted) return
    for (const [index, { provider }] of quotes.entries()) {
      const simulation = results[index] ?? pending
      outbox.send(
        'sim_update',
        fromSimUpdate({ provider, simulation, tracking }),
        `sim:${provider}`,
      )
    }
  }
  const running = work().catch((error: unknown) => deps.onFault({ provider: 'stream', error }))
  simulations.add(running)
  void running.finally(() => simulations.delete(running))
}

type Admitted = {
  readonly entry: Entry
  readonly ranked: RankedQuote | undefined
  /** The dry run before it was shown; undefined where none was asked for. */
  readonly run?: { readonly blockNumber: bigint | undefined; readonly elapsedMs: number }
}

/** Under the strict policy nothing is shown before its dry run; otherwise a quote goes out as it is. */
async function admit(
  deps: AggregateDeps,
  { request, findProxy, caller, signal }: Session,
  entry: Entry,
): Promise<Admitted> {
  if (entry.outcome.status !== 'quote') return { entry, ranked: undefined }
  const { quote } = entry.outcome
  if (request.policy !== 'strict') {
    const simulation = request.dryRun ? pending : disabled
    return { entry, ranked: { entry, quote, simulation } }
  }
  const proxy = await findProxy()
  const run = await judgeQuotes(deps, { request, quotes: [quote], proxy, caller, signal })
  const simulation = run.simulations[0] ?? pending
  const refusal = strictRefusal(request, { quote, simulation })
  if (refusal) return { entry: { ...entry, outcome: refusal }, ranked: undefined, run }
  return { entry, ranked: { entry, quote, simulation }, run }
}

/** What has arrived until `initial` goes out. */
type Held = { readonly admitted: Admitted[]; isSent: boolean }

const entriesOf = ({ admitted }: Held) => admitted.map(({ entry }) => entry)
const quotesOf = ({ admitted }: Held) => admitted.flatMap(({ ranked }) => ranked ?? [])

/** The dry runs behind `initial`: each quote has its own, side by side, maybe on different blocks. */
function simulationOf({ admitted }: Held, best: RankedQuote | undefined): Aggregate['simulation'] {
  const done = admitted.flatMap(({ run }) => (run?.blockNumber === undefined ? [] : run))
  return {
    winner: best?.simulation.status === 'success' ? best.quote.provider : undefined,
    simulated: done.length,
    elapsedMs: Math.max(0, ...admitted.map(({ run }) => run?.elapsedMs ?? 0)),
    blockNumber: best?.simulation.blockNumber ?? done.at(-1)?.blockNumber,
  }
}

function isReady(held: Held, { options }: Session): boolean {
  const settled = new Set(entriesOf(held).map(({ provider }) => provider))
  return (
    quotesOf(held).length >= options.firstN &&
    options.mustInclude.every((provider) => settled.has(provider))
  )
}

function sendInitial(deps: AggregateDeps, session: Session, held: Held, dispatched: number): void {
  const { request, tracking, outbox } = session
  held.isSent = true
  const entries = entriesOf(held)
  const quotes = rank({
    quotes: quotesOf(held),
    request: request.source,
    gasPrice: undefined,
    references: referencesOf(entries),
  })
  const best = bestOf(quotes)
  const aggregate = {
    policy: request.policy,
    best,
    quotes,
    ranking: rankingOf(undefined),
    entries,
    dispatched,
    elapsedMs: elapsedOf(session),
    simulation: simulationOf(held, best),
    proxyTx: best && proxyTxFor(deps, request, best.quote),
  }
  outbox.send('initial', fromInitial({ aggregate, request: request.source, tracking }), 'initial')
  simulateLater(
    deps,
    session,
    quotes.map(({ quote }) => quote),
  )
}

function sendLate(deps: AggregateDeps, session: Session, ranked: RankedQuote): void {
  const { request, tracking, outbox } = session
  const proxyTx = proxyTxFor(deps, request, ranked.quote)
  const { provider } = ranked.quote
  outbox.send('quote', fromLateQuote({ ranked, request, tracking, proxyTx }), `quote:${provider}`)
  simulateLater(deps, session, [ranked.quote])
}

/** One dispatch to all sources. Each answer goes out when it comes; the first of all is `initial`. */
async function runCycle(deps: AggregateDeps, session: Session, isFirst: boolean): Promise<void> {
  const { request, caller, site, signal } = session
  const sources = checkedSources(deps, request)
  const held: Held = { admitted: [], isSent: !isFirst }
  const taken: Promise<void>[] = []
  const take = async (arrived: Entry) => {
    const admitted = await admit(deps, session, arrived)
    if (signal.aborted) return
    if (held.isSent) {
      if (admitted.ranked) sendLate(deps, session, admitted.ranked)
      return
    }
    held.admitted.push(admitted)
    if (isReady(held, session)) sendInitial(deps, session, held, sources.length)
  }
  // Nobody awaits these before the last source has answered: until then a throw would be unhandled.
  const blame = ({ provider }: Entry) => {
    return (error: unknown) => deps.onFault({ provider, error })
  }
  // Nobody is cut off for being slow: late quotes are what a stream is for.
  const { deadlineMs } = deps
  await fanOut(deps, {
    sources,
    request: request.source,
    caller,
    site,
    isRefresh: !isFirst,
    deadlineMs,
    patienceMs: deadlineMs,
    signal,
    onTurn: beginFinding(session.findProxy),
    onEntry: (entry) => void taken.push(take(entry).catch(blame(entry))),
  })
  await Promise.all(taken)
  if (!held.isSent && !signal.aborted) sendInitial(deps, session, held, sources.length)
}

const pauseFor: Pause = (ms, signal) => {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })
}

type Since = { readonly elapsedMs: number; readonly refreshIntervalMs: number }

/**
 * At which interval's end the next refresh is due, counted from the stream's beginning. From the end of each cycle
 * they would drift, and streams that have once waited for each other come together from then on. Half an interval
 * lies between a cycle's end and the next one at least.
 */
export const nextRefresh = (last: number, { elapsedMs, refreshIntervalMs }: Since) =>
  Math.max(last, Math.round(elapsedMs / refreshIntervalMs)) + 1

async function repeat(
  deps: StreamDeps,
  session: Session,
  onCycle: (cycle: number) => void,
): Promise<string | undefined> {
  const { options, signal, outbox, tracking } = session
  const { refreshIntervalMs } = options
  const { pause = pauseFor } = deps
  if (refreshIntervalMs === undefined) return undefined
  let due = 0
  for (let cycle = 1; cycle <= maxCycles; cycle++) {
    due = nextRefresh(due, { elapsedMs: elapsedOf(session), refreshIntervalMs })
    await pause(Math.ceil(due * refreshIntervalMs - elapsedOf(session)), signal)
    // Whoever does not read what is there needs no newer quotes yet.
    await outbox.flushed()
    if (signal.aborted) return undefined
    const refusal = await session.spend?.()
    if (refusal !== undefined) return refusal
    if (signal.aborted) return undefined
    const elapsedMs = elapsedOf(session)
    outbox.send('refresh', fromRefresh({ cycle, elapsedMs, tracking }), 'refresh')
    await runCycle(deps, session, false)
    onCycle(cycle)
  }
  return undefined
}

async function keepBeating(
  { pause = pauseFor }: StreamDeps,
  {
    keepAliveMs,
    beat,
    signal,
  }: Pick<StreamOptions, 'keepAliveMs'> & {
    readonly beat: () => void
    readonly signal: AbortSignal
  },
): Promise<void> {
  if (keepAliveMs === undefined) return
  for (;;) {
    await pause(keepAliveMs, signal)
    if (signal.aborted) return
    beat()
  }
}

/**
 * One streamed quote request: `initial`, late `quote`s and `sim_update`s, with `refreshIntervalMs`
 * repeated cycles, always `done`. When the signal fires, everything under way is aborted; whoever still
 * listens, since it is the service that stops, is told.
 */
export async function streamQuotes(
  deps: StreamDeps,
  { sink, ...parameters }: StreamParameters,
): Promise<void> {
  const { request, options, signal, tracking } = parameters
  const outbox = createOutbox(sink)
  const session: Session = {
    ...parameters,
    outbox,
    started: performance.now(),
    findProxy: createFindOwnProxy(deps, request, signal),
    simulations: new Set(),
  }
  let refreshesDone = 0
  let endedBy: string | undefined
  const beat = () =>
    outbox.sendIfFlowing(
      'keep_alive',
      fromKeepAlive({ elapsedMs: elapsedOf(session), refreshesDone }),
    )
  const ended = new AbortController()
  const beating = keepBeating(deps, {
    ...options,
    beat,
    signal: AbortSignal.any([signal, ended.signal]),
  })
  try {
    await runCycle(deps, session, true)
    endedBy = await repeat(deps, session, (cycle) => {
      refreshesDone = cycle
    })
    await Promise.all(session.simulations)
    await outbox.flushed()
  } finally {
    ended.abort()
    await beating
  }
  const quoteType = request.source.trade.type
  const toDone = (reason: string | undefined) =>
    fromDone({ elapsedMs: elapsedOf(session), quoteType, tracking, reason })
  // With an id like any other event's: whoever connects again gets a new stream from who serves then.
  if (signal.reason instanceof ServiceStops) sink.send('done', toDone('stopping'))
  if (signal.aborted) return
  sink.done('done', toDone(endedBy))
}
