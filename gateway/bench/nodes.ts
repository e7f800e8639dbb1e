import { type ProfileName, profiles } from '../../fixtures/nodes/profiles/profiles.ts'
import { byLength, reportFigures } from '../../fixtures/proof.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { printTable } from '../observe/printTable.ts'
import { type Measured, measureProfile } from './nodes/measureProfile.ts'

/**
 * A production gateway behind each of the twelve endpoints that people have, both chains at once: how soon
 * it quotes, whether it goes on, and what it asks of them.
 *
 * Usage: `npm run -s bench:nodes -- [names of profiles, default all]`; `PROOF=short` for a short look.
 */
const { readyMs, followMs } = byLength({
  short: { readyMs: 15_000, followMs: 5_000 },
  long: { readyMs: 90_000, followMs: 60_000 },
})
const isName = (name: string): name is ProfileName => Object.hasOwn(profiles, name)
const named = process.argv.slice(2).filter(isName)
const names = named.length > 0 ? named : Object.keys(profiles).filter(isName)

const worlds = await Promise.all([8453, 42161].map((chainId) => startWorldChain({ chainId })))
const rows: Measured[] = []
for (const profile of names)
  rows.push(...(await measureProfile({ profile, worlds, readyMs, followMs })))
await Promise.all(worlds.map((world) => world.close()))
for (const { profile, lastWords } of rows)
  if (lastWords !== undefined) process.stderr.write(`${profile}: ${lastWords}\n`)

function tellReady({ readyMs: ms, lastWords }: Measured): string {
  if (ms !== undefined) return `${(ms / 1_000).toFixed(1)} s`
  return lastWords === undefined ? 'never' : 'ended'
}
const share = (value: number | undefined) =>
  value === undefined ? '-' : `${(100 * value).toFixed(1)} %`
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
printTable((text) => process.stdout.write(text), {
  head: ['profile', 'chain', 'first quote', 'then', 'requests', 'calls', 'up', 'down', 'refused'],
  rows: rows.map((row) => [
    row.profile,
    String(row.chainId),
    tellReady(row),
    share(row.servedShare),
    String(row.requests),
    String(row.calls),
    megabytes(row.upBytes),
    megabytes(row.downBytes),
    share(row.refusedShare),
  ]),
})
reportFigures('a gateway behind the nodes that people have', {
  'profiles x chains that quote': rows.filter(({ readyMs: ms }) => ms !== undefined).length,
  'profiles x chains tried': rows.length,
})
