import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chains } from '../chain/chains.ts'
import { createMarket } from '../routing/engine/market.ts'
import { searchLimits } from '../routing/searchRoute.ts'
import { generateMarket, generateTrades } from './routing/generateMarket.ts'
import {
  compareTrade,
  type Measured,
  measureTrade,
  type Settings,
  warmUp,
} from './routing/measure.ts'
import { createPeer, fetchPeer } from './routing/peer.ts'
import {
  type PoolRecord,
  readPools,
  readTrades,
  type TradeFile,
  toEnginePool,
} from './routing/readPools.ts'
import { gainOverPeer, report } from './routing/report.ts'

/**
 * `npm run bench:routing` compares our routes with @sushiswap/tines, our best single path and the dual
 * bound, on recorded and generated markets. With `--pools FILE --trades FILE --json` it prints one
 * JSON array of our routes instead. `output` and `amountOut` are exact gross amounts, `gas` is in gas
 * units; the route is chosen by output net of gas. `--families` measures ours alone, on markets of every
 * family: the peer knows two of them.
 */
const { values: flags } = parseArgs({
  options: {
    pools: { type: 'string' },
    trades: { type: 'string' },
    data: { type: 'string' },
    'gas-price-wei': { type: 'string' },
    hops: { type: 'string', default: '3' },
    'max-steps': { type: 'string', default: String(searchLimits.deep.maxSteps) },
    'max-work': { type: 'string', default: String(searchLimits.deep.maxWork) },
    'deadline-ms': { type: 'string', default: '2000' },
    peer: { type: 'boolean', default: true },
    only: { type: 'string' },
    families: { type: 'boolean', default: false },
    losses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
})

function settingsFor(base: string, gasPriceWei: bigint): Settings {
  const maxSteps = Number(flags['max-steps'])
  const maxWork = Number(flags['max-work'])
  const deadlineMs = Number(flags['deadline-ms'])
  return { base, gasPriceWei, hops: Number(flags.hops), maxSteps, maxWork, deadlineMs }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

type Market = {
  readonly name: string
  readonly records: readonly PoolRecord[]
  readonly file: TradeFile
}

/** The token that pays gas: named by the file, else the one with the most pools. */
function baseOf({ records, file }: Market): string {
  const pools = new Map<string, number>()
  for (const token of records.flatMap(({ tokens }) => tokens))
    pools.set(token, (pools.get(token) ?? 0) + 1)
  const [most] = [...pools].sort(([, one], [, other]) => other - one)
  return file.base?.toLowerCase() ?? most?.[0] ?? ''
}

function toJson({ trade, route, ms }: Measured) {
  return {
    in: trade.in,
    out: trade.out,
    amount: trade.amount,
    ...(route && route.amountIn.toString() !== trade.amount
      ? { consumed: route.amountIn.toString() }
      : {}),
    output: (route?.amountOut ?? 0n).toString(),
    gas: route?.gas ?? 0,
    legs: route?.steps.length ?? 0,
    ms: Number(ms.toFixed(4)),
    ...(route?.gapBps === undefined ? {} : { gapBps: route.gapBps }),
    route: (route?.steps ?? []).map((step) => ({
      pool: step.poolId,
      in: step.tokenIn,
      out: step.tokenOut,
      amountIn: step.amountIn.toString(),
      amountOut: step.amountOut.toString(),
    })),
  }
}

function printJson(given: Market, gasPriceWei: bigint): void {
  const market = createMarket(given.records.map(toEnginePool))
  const settings = settingsFor(baseOf(given), gasPriceWei)
  warmUp(market, given.file.trades, settings)
  const answers = given.file.trades.map((trade) => toJson(measureTrade(market, trade, settings)))
  print(JSON.stringify(answers))
}

/** Trades the peer is asked for in a big market, where it takes seconds. */
const peerTradesInBigMarket = 25
const bigMarket = 2_000

function printComparison(given: Market, gasPricesWei: readonly bigint[]): void {
  const pools = given.records.map(toEnginePool)
  const started = performance.now()
  const market = createMarket(pools)
  const indexMs = performance.now() - started
  const tines = flags.peer ? fetchPeer(print) : undefined
  const base = baseOf(given)
  const peer = tines && createPeer(tines, { records: given.records, pools, base })
  const isBig = given.records.length > bigMarket
  const trades =
    peer && isBig ? given.file.trades.slice(0, peerTradesInBigMarket) : given.file.trades
  for (const gasPriceWei of gasPricesWei) {
    const settings = settingsFor(base, gasPriceWei)
    warmUp(market, trades, settings)
    const rows = trades.map((trade) => compareTrade(market, trade, settings, peer))
    const title = `${given.name}: ${given.records.length} pools, ${trades.length} trades, ${Number(gasPriceWei) / 1e9} gwei, ${flags.hops} hops (indexed in ${indexMs.toFixed(0)} ms)`
    print(`${report(title, rows, peer !== undefined)}\n`)
    if (!flags.losses) continue
    for (const [index, row] of rows.entries())
      if (gainOverPeer(row) < -0.1)
        print(
          `loss ${index}: ${gainOverPeer(row).toFixed(3)} bps, legs ${row.route?.steps.length} / ${row.peer?.legs}, gap ${row.route?.gapBps?.toFixed(3)}`,
        )
  }
}

function recordedMarkets(): Market[] {
  const data = flags.data ?? process.env['BENCH_DATA_DIR'] ?? defaultData()
  const sets = [
    ['recorded, 41 large trades', 'eth_24721407_pools.json', 'q_real41.json'],
    ['recorded, aggregator trades', 'eth_24721407_pools.json', 'q_real1k.json'],
    ['synthetic', 'syn_1000.json', 'q_1000.json'],
  ] as const
  return sets.flatMap(([name, pools, trades]) => {
    const path = join(data, pools)
    if (!existsSync(path)) return []
    return [{ name, records: readPools(path), file: readTrades(join(data, trades)) }]
  })
}

const mixedPools = 1_000

/** Only this part needs the offline chains. */
async function printFamilies(gasPricesWei: readonly bigint[]): Promise<void> {
  const { loadMixedMarket, mixTrades } = await import('./routing/mixedMarket.ts')
  for (const { chainId } of chains) {
    const mixed = await loadMixedMarket({ chainId, pools: mixedPools })
    const market = createMarket(mixed.pools)
    const trades = mixTrades(mixed, 200)
    for (const gasPriceWei of gasPricesWei) {
      const settings = settingsFor(mixed.base, gasPriceWei)
      warmUp(market, trades, settings)
      const rows = trades.map((trade) => compareTrade(market, trade, settings, undefined))
      const size = `${mixed.pools.length} pools of ${mixed.families} families, ${market.tokens.length} tokens`
      const title = `chain ${chainId}, copied: ${size}, ${trades.length} trades, ${Number(gasPriceWei) / 1e9} gwei`
      print(`${report(title, rows, false)}\n`)
    }
  }
}

/** The recordings lie beside the project where there are any. */
function defaultData(): string {
  return join(import.meta.dirname, '../../../shared/data/pools')
}

function generatedMarkets(): Market[] {
  const sets = [
    { pools: 500, tokens: 60, seed: 5 },
    { pools: 3_000, tokens: 300, seed: 7 },
    { pools: 10_000, tokens: 1_000, seed: 9 },
  ]
  return sets.map((size) => {
    const market = generateMarket(size)
    return { name: 'generated', records: market.records, file: generateTrades(market, 200) }
  })
}

const gasPricesWei = flags['gas-price-wei']
  ? [BigInt(flags['gas-price-wei'])]
  : [0n, 10_000_000_000n]

if (flags.families) {
  await printFamilies(gasPricesWei)
} else if (flags.pools && flags.trades) {
  const given = {
    name: flags.pools,
    records: readPools(flags.pools),
    file: readTrades(flags.trades),
  }
  if (flags.json) printJson(given, gasPricesWei[0] ?? 0n)
  else printComparison(given, gasPricesWei)
} else {
  const markets = [...recordedMarkets(), ...generatedMarkets()]
  for (const market of markets)
    if (!flags.only || `${market.name} ${market.records.length}`.includes(flags.only))
      printComparison(market, gasPricesWei)
}
