import Table from 'cli-table3'
import { readBill } from './model/bill.ts'
import { readCosts } from './model/costs.ts'
import { bench, measured } from './model/measured.ts'
import { fleetHeld, readMemory } from './model/memory.ts'
import { type Fleet, type FleetFigures, runFleet } from './model/runFleet.ts'

/**
 * `npm run -s model`: plays fleets of gateways from what one gateway alone takes, first those that bench:scale
 * has measured, then larger ones. docs/scale.md says what follows from them.
 */
const costs = readCosts(measured.one)
const print = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) => {
  const table = new Table({ head: [...head], style: { head: [], border: [] } })
  for (const row of rows) table.push([...row])
  process.stdout.write(`${table.toString()}\n`)
}

print(
  ['what one gateway takes', 'ms'],
  Object.entries(costs).map(([name, ms]) => [name, ms.toFixed(3)]),
)
print(
  ['gateways on one machine', 'measured req/s', 'of the model', 'off by'],
  measured.stacks.map(({ gateways, rps }) => {
    const { rps: modelled } = runFleet(costs, { fleet: bench(gateways), forMs: 20_000 })
    const off = `${((modelled / rps - 1) * 100).toFixed(0)} %`
    return [gateways, rps, modelled.toFixed(0), off]
  }),
)

/** Each on a machine of its own, at a load that leaves room for peaks. */
const most = 0.7
const cores = 4
type Cell = {
  readonly gateways: number
  readonly perSecond: number
  readonly figures: FleetFigures
}

/** Gateways on one database: what they answer a second while the busiest part works `most` of its time. */
function load(gateways: number, { chains, sharing }: Pick<Fleet, 'chains' | 'sharing'>): Cell {
  const play = (perSecond: number): Cell => {
    const fleet: Fleet = {
      gateways,
      machines: 'apart',
      cores,
      databases: 1,
      chains,
      // Base has one every 2 s, Arbitrum four a second, most of them with nothing that is asked about.
      blockEveryMs: 1_000,
      questions: 1_000,
      popularity: 'zipf',
      sharing,
      load: { kind: 'open', perSecond },
    }
    return { gateways, perSecond, figures: runFleet(costs, { fleet, forMs: 3_000 }) }
  }
  let [few, many] = [play(gateways), gateways * 2_000]
  while (many / few.perSecond > 1.05) {
    const next = play(Math.sqrt(few.perSecond * many))
    const { gatewayShare, databaseShare } = next.figures
    if (Math.max(gatewayShare, databaseShare / cores) > most) many = next.perSecond
    else few = next
  }
  return few
}

const cells = (['in turn', 'by question'] as const).flatMap((sharing) =>
  [2, 10].map((chains) => ({
    chains,
    sharing,
    sizes: [1, 4, 16].map((gateways) => load(gateways, { chains, sharing })),
  })),
)
const percent = (share: number) => `${(share * 100).toFixed(0)} %`
print(
  [
    'chains',
    'asked',
    'gateways on a database',
    'quotes/s',
    'p50 ms',
    'p99 ms',
    'gateway',
    'database',
    'searched',
  ],
  cells.flatMap(({ chains, sharing, sizes }) =>
    sizes.map(({ gateways, perSecond, figures }) => [
      chains,
      sharing,
      gateways,
      perSecond.toFixed(0),
      figures.p50Ms.toFixed(1),
      figures.p99Ms.toFixed(1),
      percent(figures.gatewayShare),
      percent(figures.databaseShare / cores),
      percent(figures.searched),
    ]),
  ),
)
print(
  [
    'quotes/s',
    'chains',
    'asked',
    'gateways',
    'databases',
    'memory of gateways, GB',
    'ledger and log, GB a day',
    'nodes, USD a month',
  ],
  [1_000, 10_000, 100_000].flatMap((perSecond) =>
    cells.flatMap(({ chains, sharing, sizes }) => {
      // The largest that still answers nine tenths of what its gateways would alone.
      const alone = sizes[0]?.perSecond ?? 0
      const cell = sizes.findLast((each) => each.perSecond >= 0.9 * alone * each.gateways)
      if (!cell) return []
      const gateways = Math.ceil((perSecond / cell.perSecond) * cell.gateways)
      const databases = Math.ceil(gateways / cell.gateways)
      const bill = readBill({ perSecond, chains, databases })
      const { residentMb } = readMemory({ ...fleetHeld, chains })
      const memory = Math.round((gateways * residentMb) / 1_000)
      const grows = `${bill.ledgerGbPerDay} and ${bill.logGbPerDay}`
      const { nodesUsdPerMonth } = bill
      return [[perSecond, chains, sharing, gateways, databases, memory, grows, nodesUsdPerMonth]]
    }),
  ),
)
