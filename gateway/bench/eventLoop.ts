import { monitorEventLoopDelay } from 'node:perf_hooks'
import { printTable } from '../observe/printTable.ts'
import { type FindRouteParameters, findRouteInSlices } from '../routing/engine/findRoute.ts'
import { createMarket, type Market } from '../routing/engine/market.ts'
import { createSlices } from '../routing/engine/slices.ts'
import { searchLimits } from '../routing/searchRoute.ts'
import { createSearchThreads } from '../routing/threads/searchThreads.ts'
import { generateMarket, generateTrades } from './routing/generateMarket.ts'
import { toEnginePool, toId } from './routing/readPools.ts'
import { percentile } from './routing/report.ts'

/**
 * How long quotes hold the event loop: the synchronous stretches between two turns that each search
 * gives it, and the delay of a timer meanwhile; next to the same timer on an idle loop. In the loop, and
 * with the search on a thread; and what a quote takes of the processor in the thread that serves.
 *
 * Usage: `npm run -s bench:loop -- [trades, default 200]`.
 */
const count = Number(process.argv[2] ?? 200)
const idleMs = 2_000
const sets = [
  { pools: 1_000, tokens: 100, seed: 3 },
  { pools: 10_000, tokens: 1_000, seed: 9 },
] as const

type Size = (typeof sets)[number]
type Find = (market: Market, parameters: FindRouteParameters) => Promise<unknown>

const slices = createSlices({ now: () => performance.now() })
const inLoop: Find = (market, parameters) => findRouteInSlices(market, parameters, { slices })
const threads = createSearchThreads({ count: 1 })
const onThread: Find = async (market, { now: _, ...parameters }) => {
  const found = await threads.find({ name: 'bench', market, parameters, isCertified: false })
  if (!found) throw new Error('the thread searches')
}

/** Stretches of a search, from one turn of the loop to the next. */
async function measureStretches(size: Size, find: Find) {
  const generated = generateMarket(size)
  const market = createMarket(generated.records.map(toEnginePool))
  const { trades } = generateTrades(generated, count)
  const toParameters = (trade: (typeof trades)[number]) => ({
    tokenIn: toId(trade.in),
    tokenOut: toId(trade.out),
    amountIn: BigInt(trade.amount),
    ...searchLimits.deep,
    gasPriceWei: 10_000_000n,
    nativeToken: generated.base,
    now: () => performance.now(),
  })
  const stretches: number[] = []
  const quotes: number[] = []
  const ask = async (trade: (typeof trades)[number]) => {
    let since = performance.now()
    let isDone = false
    const watch = () => {
      if (isDone) return
      const at = performance.now()
      stretches.push(at - since)
      since = at
      setImmediate(watch)
    }
    const started = since
    setImmediate(watch)
    await find(market, toParameters(trade))
    isDone = true
    quotes.push(performance.now() - started)
    stretches.push(performance.now() - since)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  for (const trade of trades.slice(0, 50)) await ask(trade)
  stretches.length = 0
  quotes.length = 0
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (const trade of trades) await ask(trade)
  delay.disable()
  const before = process.threadCpuUsage()
  for (const trade of trades) await find(market, toParameters(trade))
  const { user, system } = process.threadCpuUsage(before)
  return { stretches, quotes, delay, cpuMs: (user + system) / 1_000 / count }
}

function show(values: readonly number[]): string {
  return [0.5, 0.99, 1].map((part) => percentile(values, part).toFixed(2)).join(' / ')
}

const toMs = (nanos: number) => (nanos / 1e6).toFixed(1)

const idle = monitorEventLoopDelay({ resolution: 1 })
idle.enable()
await new Promise((resolve) => setTimeout(resolve, idleMs))
idle.disable()
const rows: string[][] = [
  ['idle loop', '', '', `${toMs(idle.percentile(99))} / ${toMs(idle.max)}`, ''],
]
for (const size of sets)
  for (const [where, find] of [
    ['in the loop', inLoop],
    ['on a thread', onThread],
  ] as const) {
    const { stretches, quotes, delay, cpuMs } = await measureStretches(size, find)
    rows.push([
      `${size.pools} pools, ${where}`,
      show(quotes),
      show(stretches),
      `${toMs(delay.percentile(99))} / ${toMs(delay.max)}`,
      cpuMs.toFixed(2),
    ])
  }
await threads.close()
printTable((text) => process.stdout.write(text), {
  head: [
    'ms',
    'quote p50 / p99 / max',
    'stretch p50 / p99 / max',
    'timer late p99 / max',
    "the loop's CPU a quote",
  ],
  rows,
})
