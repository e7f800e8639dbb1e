import { randomMarket } from '../../fixtures/chains/market.ts'
import { printTable } from '../observe/printTable.ts'
import { createMarket, updateMarket } from '../routing/engine/market.ts'

/**
 * What a new pool, and one that goes, cost the event loop among many others. Fails above 5 ms (p50).
 *
 * Usage: `node gateway/bench/newPool.ts [pools, default 10000]`.
 */
const count = Number(process.argv[2] ?? 10_000)
const rounds = 60
const mostMs = 5

const tokens = Array.from({ length: 2_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
const pools = randomMarket(1, count + rounds, tokens)
/** The processor's time: what else the machine does is not the market's. */
function time(work: () => void): number {
  const from = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / 1_000
}
let market = createMarket([])
const builtMs = time(() => {
  market = createMarket(pools.slice(0, count))
})
const came: number[] = []
const went: number[] = []
for (const pool of pools.slice(count)) {
  came.push(
    time(() => {
      market = updateMarket(market, [pool])
    }),
  )
  went.push(
    time(() => {
      market = updateMarket(market, [], [pool.id])
    }),
  )
}
const at = (list: number[], part: number) =>
  list.toSorted((one, other) => one - other)[Math.floor(part * (list.length - 1))] ?? 0
const row = (name: string, list: number[]) => [
  name,
  ...[0.5, 0.95, 1].map((part) => at(list, part).toFixed(1)),
]
printTable((text) => void process.stdout.write(text), {
  head: [`${count} pools, ms`, 'p50', 'p95', 'max'],
  rows: [
    ['whole build', builtMs.toFixed(0), '', ''],
    row('one comes', came),
    row('one goes', went),
  ],
})
process.exitCode = at(came, 0.5) < mostMs && at(went, 0.5) < mostMs ? 0 : 1
