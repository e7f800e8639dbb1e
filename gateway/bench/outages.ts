import { type ProfileName, profiles } from '../../fixtures/nodes/profiles/profiles.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { printTable } from '../observe/printTable.ts'
import { measureOutage, type Outage } from './nodes/measureOutage.ts'

/**
 * The routing of a gateway behind each of the twelve endpoints that people have, on made-up chains of 2,000
 * pools: how soon it quotes and has loaded all, and how soon it is at the head after ten minutes without
 * its node.
 *
 * Usage: `npm run -s bench:outages -- [names of profiles, default all]`; `PROOF=short` for fewer pools.
 */
const { pools, patienceMs } = byLength({
  short: { pools: 300, patienceMs: 60_000 },
  long: { pools: 2_000, patienceMs: 180_000 },
})
const isName = (name: string): name is ProfileName => Object.hasOwn(profiles, name)
const named = process.argv.slice(2).filter(isName)
const waiting = (named.length > 0 ? named : Object.keys(profiles).filter(isName)).flatMap(
  (profile) => [8453, 42161].map((chainId) => ({ profile, chainId })),
)
/** They wait for their nodes most of the time. */
const atOnce = 4
const rows: Outage[] = []
async function runLane(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const row = await measureOutage({ ...next, pools, patienceMs })
    rows.push(row)
    process.stderr.write(`${JSON.stringify(row)}\n`)
  }
}
await Promise.all(Array.from({ length: atOnce }, runLane))

const secs = (ms: number | undefined) => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1))
printTable((text) => process.stdout.write(text), {
  head: ['profile', 'chain', 'first quote, s', 'all, s', 'pools', 'at head, s', 'reloads', 'wrong'],
  rows: rows.map((row) => [
    row.profile,
    String(row.chainId),
    secs(row.readyMs),
    secs(row.loadedMs),
    String(row.pools),
    secs(row.caughtUpMs),
    String(row.reloads),
    String(row.wrong),
  ]),
})
reportFigures('ten minutes without a node', {
  'profiles x chains': rows.length,
  'caught up without a reload': rows.filter(
    ({ caughtUpMs, reloads }) => caughtUpMs !== undefined && reloads === 0,
  ).length,
  'pools wrong': rows.reduce((sum, { wrong }) => sum + wrong, 0),
})
