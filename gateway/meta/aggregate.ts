import type { Address } from 'viem'
import { type CalldataPolicy, type CheckSourceDeps, checkedSource } from './calldata/checkQuote.ts'
import { type Entry, type FanOutDeps, fanOut, isEnough } from './fanOut.ts'
import {
  fail,
  type Source,
  type SourceFailure,
  type SourceQuote,
  type SourceRequest,
} from './provider/source.ts'
import { minOutOf, type ProxyTx, proxyTx } from './proxyTx.ts'
import { bestOf, type GasPrice, type RankedQuote, type Ranking, rank, rankingOf } from './rank.ts'
import {
  type DeployedProxy,
  disabled,
  type QuoteSimulation,
  type SimulateDeps,
  simulateQuotes,
} from './simulateQuotes.ts'
import type { SourceWorth } from './sourceWorth.ts'

export type MetaRequest = {
  readonly source: SourceRequest
  readonly policy: CalldataPolicy
  readonly dryRun: boolean
  readonly proxy: Address | undefined
}

const isSimulated = ({ dryRun, policy }: MetaRequest) => dryRun || policy === 'strict'

export type AggregateDeps = FanOutDeps &
  SimulateDeps &
  Omit<CheckSourceDeps, 'policy'> & {
    readonly sourcesFor: (request: SourceRequest) => readonly Source[]
    readonly deadlineMs: number
    readonly patienceMs: number
    /** Default: everybody is waited for as long. */
    readonly worth?: SourceWorth | undefined
    /** What gas costs in the compared token; undefined where nobody knows. Never rejects. */
    readonly priceGas: (p: {
      readonly request: SourceRequest
      readonly quotes: readonly SourceQuote[]
      readonly signal: AbortSignal
    }) => Promise<GasPrice | undefined>
    /** Undefined while the proxy has no code. Never rejects. */
    readonly findProxy: (p: {
      readonly chainId: number
      readonly address: Address
      readonly signal: AbortSignal
    }) => Promise<DeployedProxy | undefined>
  }

export type Aggregate = {
  readonly policy: CalldataPolicy
  readonly best: RankedQuote | undefined
  /** Best first. */
  readonly quotes: readonly RankedQuote[]
  readonly ranking: Ranking
  readonly entries: readonly Entry[]
  readonly dispatched: number
  readonly elapsedMs: number
  readonly simulation: {
    readonly winner: string | undefined
    readonly simulated: number
    readonly elapsedMs: number
    readonly blockNumber: bigint | undefined
  }
  readonly proxyTx: ProxyTx | undefined
}

/** Strict: a payload counts only when a dry run delivered what the caller asked for. */
export function strictRefusal(
  { source: request, policy }: Pick<MetaRequest, 'source' | 'policy'>,
  { quote, simulation }: { quote: SourceQuote; simulation: QuoteSimulation },
): SourceFailure | undefined {
  if (policy !== 'strict') return undefined
  const why = simulation.error ?? simulation.status
  if (simulation.status === 'notConfigured') return fail('not_configured', why)
  if (simulation.status === 'reverted') return fail('calldata_mismatch', `simulation: ${why}`)
  if (simulation.status !== 'success') return fail('upstream_error', `simulation: ${why}`)
  const bound = minOutOf(request, quote)
  const delivered = simulation.actualOutput ?? 0n
  if (delivered >= bound) return undefined
  return fail('calldata_mismatch', `delivers ${delivered}, less than ${bound}`)
}

type Found = { readonly entry: Entry; readonly quote: SourceQuote }

function quotesOf(entries: readonly Entry[]): readonly Found[] {
  return entries.flatMap((entry) =>
    entry.outcome.status === 'quote' ? [{ entry, quote: entry.outcome.quote }] : [],
  )
}

export function referencesOf(entries: readonly Entry[]): readonly bigint[] {
  return entries.flatMap(({ outcome }) =>
    outcome.status === 'reference' ? [outcome.amountOut] : [],
  )
}

/** The sources of one request, each with its quotes checked under the request's policy. */
export function checkedSources(deps: AggregateDeps, request: MetaRequest): readonly Source[] {
  const { targets, isToken, findAllowance, findSettlers } = deps
  const checks = { targets, isToken, findAllowance, findSettlers, policy: request.policy }
  return deps.sourcesFor(request.source).map((source) => checkedSource(checks, source))
}

export type FindOwnProxy = () => Promise<DeployedProxy | undefined>

/**
 * The proxy to simulate through, looked for once: only one that is deployed can run anything. It is a question to
 * the chain, which whoever waits for a turn has not had yet.
 */
export function createFindOwnProxy(
  deps: AggregateDeps,
  { proxy: address, source: { chainId } }: MetaRequest,
  signal: AbortSignal,
): FindOwnProxy {
  let finding: ReturnType<FindOwnProxy> | undefined
  return async () => {
    if (address) finding ??= deps.findProxy({ chainId, address, signal })
    return finding
  }
}

/** Begun beside the sources; whoever needs it hears how it ended. */
export const beginFinding = (find: FindOwnProxy) => () => void find().catch(() => undefined)

/** Dry runs (where asked for, and always under the strict policy) and what gas costs, side by side. */
export async function judgeQuotes(
  deps: AggregateDeps,
  {
    request,
    quotes,
    proxy,
    caller,
    signal,
  }: {
    readonly request: MetaRequest
    readonly quotes: readonly SourceQuote[]
    readonly proxy: DeployedProxy | undefined
    readonly caller: string | undefined
    readonly signal: AbortSignal
  },
) {
  const started = performance.now()
  const simulate = async () => {
    if (!isSimulated(request))
      return { simulations: quotes.map(() => disabled), blockNumber: undefined, elapsedMs: 0 }
    const nowMs = deps.now()
    const report = await simulateQuotes(deps, {
      quotes,
      request: request.source,
      proxy,
      nowMs,
      caller,
      signal,
    })
    return { ...report, elapsedMs: performance.now() - started }
  }
  const [report, gasPrice] = await Promise.all([
    simulate(),
    deps.priceGas({ request: request.source, quotes, signal }),
  ])
  return { ...report, gasPrice }
}

type Judged = Awaited<ReturnType<typeof judgeQuotes>>

/** Of quotes that come one after the other: again only where another one has come, or none was dry-run. */
function judgeOnce(judge: (quotes: readonly SourceQuote[]) => Promise<Judged>) {
  let last: { readonly count: number; readonly judged: Promise<Judged> } | undefined
  return async (quotes: readonly SourceQuote[]) => {
    const known = last?.count === quotes.length ? await last.judged : undefined
    if (known?.blockNumber !== undefined) return known
    last = { count: quotes.length, judged: judge(quotes) }
    return last.judged
  }
}

/** Those that the policy lets pass, and why it refuses the others. */
function sift(request: MetaRequest, found: readonly Found[], { simulations }: Judged) {
  const refused = new Map<string, SourceFailure>()
  const kept = found.flatMap(({ entry, quote }, index): readonly RankedQuote[] => {
    const simulation = simulations[index] ?? disabled
    const refusal = strictRefusal(request, { quote, simulation })
    if (!refusal) return [{ entry, quote, simulation }]
    refused.set(quote.provider, refusal)
    return []
  })
  return { kept, refused }
}

/** One quote request: ask all sources at once, simulate what they answer, rank, pick the honest best. */
export async function aggregate(
  deps: AggregateDeps,
  {
    request,
    caller,
    site,
    signal,
  }: {
    readonly request: MetaRequest
    readonly caller?: string | undefined
    /** Whom the caller is one of many of. Default: the caller. */
    readonly site?: string | undefined
    readonly signal: AbortSignal
  },
): Promise<Aggregate> {
  const started = performance.now()
  const sources = checkedSources(deps, request)
  const { deadlineMs, patienceMs } = deps
  const isDryRun = isSimulated(request)
  const waits = deps.worth?.of({ request: request.source, caller, isSimulated: isDryRun })
  const findProxy = createFindOwnProxy(deps, request, signal)
  const judge = judgeOnce(async (quotes) => {
    const proxy = quotes.length > 0 ? await findProxy() : undefined
    return judgeQuotes(deps, { request, quotes, proxy, caller, signal })
  })
  const look = async (entries: readonly Entry[]) => {
    const found = quotesOf(entries)
    const judged = await judge(found.map(({ quote }) => quote))
    return { ...sift(request, found, judged), judged }
  }
  const holds = async (entries: readonly Entry[]) => {
    const { kept, judged } = await look(entries)
    const isAway = judged.blockNumber === undefined
    const standing = kept.filter(({ simulation }) => isAway || simulation.status === 'success')
    return isEnough(standing.map(({ entry }) => entry))
  }
  const asked = await fanOut(deps, {
    sources,
    request: request.source,
    caller,
    site,
    deadlineMs,
    patienceMs,
    signal,
    isSimulated: isDryRun,
    holds: isDryRun ? holds : undefined,
    hasty: waits,
    onTurn: beginFinding(findProxy),
    onEntry: waits?.arrived,
  }).finally(waits?.close)
  const { kept, refused, judged } = await look(asked)
  const entries = asked.map((entry) => {
    const refusal = refused.get(entry.provider)
    return refusal ? { ...entry, outcome: refusal } : entry
  })
  const { gasPrice, blockNumber, elapsedMs, simulations } = judged
  const references = referencesOf(asked)
  const ranked = rank({ quotes: kept, request: request.source, gasPrice, references })
  const best = bestOf(ranked)
  // Of who has left nobody knows whom he would have waited for.
  if (!signal.aborted)
    waits?.note({ entries: asked, ranked: { quotes: ranked, best: best?.quote } })
  return {
    policy: request.policy,
    best,
    quotes: ranked,
    ranking: rankingOf(gasPrice),
    entries,
    dispatched: sources.length,
    elapsedMs: performance.now() - started,
    simulation: {
      winner: best?.simulation.status === 'success' ? best.quote.provider : undefined,
      simulated: blockNumber === undefined ? 0 : simulations.length,
      elapsedMs,
      blockNumber,
    },
    proxyTx: best && proxyTxFor(deps, request, best.quote),
  }
}

export function proxyTxFor(
  deps: Pick<AggregateDeps, 'now'>,
  { proxy, source }: MetaRequest,
  quote: SourceQuote,
): ProxyTx | undefined {
  return proxy && proxyTx({ proxy, request: source, quote, nowMs: deps.now() })
}
