import { bareChain, makeRequest } from '../../../fixtures/meta/quotes.ts'
import type { EventSink } from '../../http/reply.ts'
import type { MetaRequest } from '../../meta/aggregate.ts'
import { type AggregateDeps, aggregate } from '../../meta/aggregate.ts'
import { defaultLimits, dispatchSource } from '../../meta/dispatch.ts'
import type { Source } from '../../meta/provider/source.ts'
import { providerTargets, startProviders } from '../../meta/sources/providers.ts'
import { streamQuotes } from '../../meta/wire/stream.ts'
import { percentile } from './figures.ts'

/** Providers with one call per quote, so that ours and raw fetch do the same number of requests. */
const names = [
  'velora',
  '0x',
  'fabric',
  'nordstern',
  'sushi',
  '1inch',
  'enso',
  'openocean',
] as const
const paths: Readonly<Record<(typeof names)[number], string>> = {
  velora: '/swap',
  '0x': '/swap/allowance-holder/quote',
  fabric: '/v1/quote',
  nordstern: '/aggregator/8453',
  sushi: '/swap/v6/8453',
  '1inch': '/8453/swap',
  enso: '/api/v1/shortcuts/route',
  openocean: '/base/swap',
}

export type FanOutFigures = {
  readonly count: number
  readonly rawFirst: readonly number[]
  readonly rawLast: readonly number[]
  readonly ours: readonly number[]
  readonly oursFirst: readonly number[]
}

const pick = (index: number) => names[index % names.length] ?? 'velora'

function startSources(url: string, count: number) {
  const settings = Array.from({ length: count }, (_, index) => ({
    name: pick(index),
    key: 'key',
    baseUrl: `${url}/${pick(index)}-${index}`,
  }))
  const now = Date.now
  const gasPriceWei = async () => 5_000_000n
  const running = startProviders({ now, gasPriceWei }, { settings, allowPrivate: true })
  const sources: readonly Source[] = running.map(({ source }, index) => {
    const named = { ...source, name: `${source.name}-${index}` }
    return dispatchSource({ now }, { source: named, limits: defaultLimits })
  })
  return { sources, close: () => Promise.all(running.map(({ http }) => http.close())) }
}

/** What one would write first: fetch all, parse all. */
async function askRaw(url: string, count: number): Promise<{ first: number; last: number }> {
  const started = performance.now()
  let first = Number.POSITIVE_INFINITY
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const res = await fetch(`${url}/${pick(index)}-${index}${paths[pick(index)]}`)
      await res.json()
      first = Math.min(first, performance.now() - started)
    }),
  )
  return { first, last: performance.now() - started }
}

function createDeps(sources: readonly Source[]): AggregateDeps {
  return {
    now: Date.now,
    onFault: ({ error }) => {
      throw error
    },
    sourcesFor: () => sources,
    targets: providerTargets,
    ...bareChain,
    deadlineMs: 5_000,
    patienceMs: 5_000,
    priceGas: async () => undefined,
    findProxy: async () => undefined,
    dryRunOf: () => undefined,
  }
}

const signal = new AbortController().signal

async function askOurs(deps: AggregateDeps, request: MetaRequest): Promise<number> {
  const started = performance.now()
  const { quotes, entries } = await aggregate(deps, { request, signal })
  const elapsed = performance.now() - started
  if (quotes.length !== entries.length) throw new Error(JSON.stringify(entries[0]?.outcome))
  return elapsed
}

async function streamOurs(deps: AggregateDeps, request: MetaRequest): Promise<number> {
  const started = performance.now()
  let first = Number.NaN
  const sink: EventSink = {
    send: (event) => {
      if (event === 'initial') first = performance.now() - started
      return true
    },
    done: () => undefined,
    drained: async () => undefined,
  }
  const tracking = { dryRun: false, clientId: null, requestId: null }
  const options = { firstN: 1, mustInclude: [] }
  await streamQuotes(deps, { request, options, tracking, sink, signal })
  return first
}

/** Ours and raw fetch in turn, round by round, against the same providers. Times beyond the delay. */
export async function benchFanOut(
  url: string,
  {
    count,
    rounds,
    delayMs,
  }: { readonly count: number; readonly rounds: number; readonly delayMs: number },
): Promise<FanOutFigures> {
  const { sources, close } = startSources(url, count)
  const deps = createDeps(sources)
  const figures = {
    count,
    rawFirst: [] as number[],
    rawLast: [] as number[],
    ours: [] as number[],
    oursFirst: [] as number[],
  }
  const warmUp = 3
  for (let round = -warmUp; round < rounds; round++) {
    const source = makeRequest({ trade: { type: 'exactInput', amountIn: 500_000_000n } })
    const request = { source, policy: 'standard', dryRun: false, proxy: undefined } as const
    const raw = await askRaw(url, count)
    const ours = await askOurs(deps, request)
    const oursFirst = await streamOurs(deps, request)
    if (round < 0) continue
    figures.rawFirst.push(raw.first - delayMs)
    figures.rawLast.push(raw.last - delayMs)
    figures.ours.push(ours - delayMs)
    figures.oursFirst.push(oursFirst - delayMs)
  }
  await close()
  return figures
}

/** p50 of ours over p50 of raw. */
export const ratio = (ours: readonly number[], raw: readonly number[]) =>
  percentile(ours, 0.5) / percentile(raw, 0.5)
