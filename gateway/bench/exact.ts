import { parseArgs } from 'node:util'
import { printTable } from '../observe/printTable.ts'
import { createMarket } from '../routing/engine/market.ts'
import { loadSolver } from './exact/loadSolver.ts'
import { type Proof, proveTrade } from './exact/proveTrade.ts'
import { type BenchMarket, baseOf, benchMarkets } from './routing/markets.ts'
import { toEnginePool } from './routing/readPools.ts'
import { percentile } from './routing/report.ts'

/**
 * How much of the gap that the search tells is real, where each step costs its gas: of a sample of trades from each
 * market, a bound by mixed-integer programming, and what of the better routes it finds a plan really brings.
 *
 * Usage: `npm run -s bench:exact -- [--trades 40] [--seconds 20] [--only NAME] [--data DIR] [--verbose]`.
 */
const { values: flags } = parseArgs({
  options: {
    trades: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '20' },
    'gas-price-wei': { type: 'string', default: '10000000000' },
    only: { type: 'string' },
    data: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const count = Number(flags.trades)
const seconds = Number(flags.seconds)
const gasPriceWei = BigInt(flags['gas-price-wei'])

/** As many as asked for, evenly over all. */
function sample<member>(members: readonly member[]): readonly member[] {
  const most = Math.min(count, members.length)
  return Array.from({ length: most }, (_, n) => {
    return members[Math.floor((n * members.length) / most)] as member
  })
}

async function proveMarket(given: BenchMarket): Promise<readonly Proof[]> {
  const market = createMarket(given.records.map(toEnginePool))
  const base = baseOf(given)
  const proofs: Proof[] = []
  for (const trade of sample(given.file.trades)) {
    // A solver gives none of its memory back.
    const highs = await loadSolver()
    const proof = proveTrade(highs, market, { trade, base, gasPriceWei, seconds })
    if (flags.verbose) process.stdout.write(`${JSON.stringify({ ...trade, ...proof })}\n`)
    if (proof) proofs.push(proof)
  }
  return proofs
}

/** Differences under this are ties. */
const tieBps = 0.1

function row(name: string, proofs: readonly Proof[]): readonly string[] {
  const at = (values: readonly number[]) =>
    [0.5, 0.95, 1].map((part) => percentile(values, part).toFixed(2)).join(' / ')
  const better = proofs.filter(({ betterBps }) => betterBps > tieBps)
  return [
    name,
    String(proofs.length),
    at(proofs.map(({ gapBps }) => gapBps)),
    at(proofs.map(({ provenBps }) => provenBps)),
    `${better.length}, ${Math.max(0, ...better.map(({ betterBps }) => betterBps)).toFixed(2)}`,
    at(proofs.map(({ ms }) => ms / 1_000)),
  ]
}

const all: Proof[] = []
const rows: (readonly string[])[] = []
for (const given of benchMarkets(flags)) {
  const proofs = await proveMarket(given)
  all.push(...proofs)
  rows.push(row(`${given.name}, ${given.records.length} pools`, proofs))
}
const spread = 'p50 / p95 / most'
printTable((text) => process.stdout.write(text), {
  head: [
    'set',
    'trades',
    `gap told, ${spread} bps`,
    `proven, ${spread} bps`,
    `bettered by over ${tieBps} bps, most`,
    `s, ${spread}`,
  ],
  rows: [...rows, row('all', all)],
})
