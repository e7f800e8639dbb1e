import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { generateMarket, generateTrades } from './generateMarket.ts'
import { type PoolRecord, readPools, readTrades, type TradeFile } from './readPools.ts'

export type BenchMarket = {
  readonly name: string
  readonly records: readonly PoolRecord[]
  readonly file: TradeFile
}

/** The token that pays gas: named by the file, else the one with the most pools. */
export function baseOf({ records, file }: BenchMarket): string {
  const pools = new Map<string, number>()
  for (const token of records.flatMap(({ tokens }) => tokens))
    pools.set(token, (pools.get(token) ?? 0) + 1)
  const [most] = [...pools].sort(([, one], [, other]) => other - one)
  return file.base?.toLowerCase() ?? most?.[0] ?? ''
}

/** Those whose name and number of pools contain `only`: recorded ones first, where `data` or the machine has them. */
export function benchMarkets({
  data,
  only = '',
}: {
  readonly data?: string | undefined
  readonly only?: string | undefined
}): BenchMarket[] {
  const folder = data ?? process.env['BENCH_DATA_DIR'] ?? defaultData()
  return [...recordedMarkets(folder), ...generatedMarkets()].filter(({ name, records }) =>
    `${name} ${records.length}`.includes(only),
  )
}

/** The recordings lie beside the project where there are any. */
function defaultData(): string {
  return join(import.meta.dirname, '../../../../shared/data/pools')
}

function recordedMarkets(data: string): BenchMarket[] {
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

function generatedMarkets(): BenchMarket[] {
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
