import { parseArgs } from 'node:util'
import { chains } from '../chain/chains.ts'
import { createMarket } from '../routing/engine/market.ts'
import { searchLimits } from '../routing/searchRoute.ts'
import { type BenchMarket, baseOf, benchMarkets } from './routing/markets.ts'
import {
  compareTrade,
  type Measured,
  measureTrade,
  type Settings,
  warmUp,
} from './routing/measure.ts'
import { createPeer, fetchPeer } from './routing/peer.ts'
import { readPools, readTrades, toEnginePool } from './routing/readPools.ts'
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
    'peer-trades': { type: 'string', default: '25' },
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

function printJson(given: BenchMarket, gasPriceWei: bigint): void {
  const market = createMarket(given.records.map(toEnginePool))
  const settings = settingsFor(baseOf(given), gasPriceWei)
  warmUp(market, given.file.trades, settings)
  const answers = given.file.trades.map((trade) => toJson(measureTrade(market, trade, settings)))
  print(JSON.stringify(answers))
}

/** There the peer takes seconds, and is asked for `peer-trades` only. */
const bigMarket = 2_000

function printComparison(given: BenchMarket, gasPricesWei: readonly bigint[]): void {
  const pools = given.records.map(toEnginePool)
  const started = performance.now()
  const market = createMarket(pools)
  const indexMs = performance.now() - started
  const tines = flags.peer ? fetchPeer(print) : undefined
  const base = baseOf(given)
  const peer = tines && createPeer(tines, { records: given.records, pools, base })
  const isBig = given.records.length > bigMarket
  const trades =
    peer && isBig ? given.file.trades.slice(0, Number(flags['peer-trades'])) : given.file.trades
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
  for (const market of benchMarkets(flags)) printComparison(market, gasPricesWei)
}
