import { fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ProfileName, profiles } from '../../../../fixtures/nodes/profiles/profiles.ts'
import { byLength, reportFigures } from '../../../../fixtures/proof.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { printTable } from '../../../observe/printTable.ts'
import type { Followed } from './followMainnets.ts'

/**
 * `npm run -s proof:nodes -- [profile …] [--minutes 10] [--reorgs 8] [--pools 2000] [--at-once 4]`: gateways
 * on both chains, each with made-up chains of its own behind one profile of a node, with every fault. What is
 * followed at the end is what a fresh read gives, where no bloom tells of a lost log after a round of the
 * audit, and each quote was of one block. PROOF=short: some seconds of two profiles.
 */
const { values, positionals } = parseArgs({
  options: {
    minutes: { type: 'string', default: byLength({ short: '0.3', long: '10' }) },
    reorgs: { type: 'string' },
    pools: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '4' },
  },
  allowPositionals: true,
})
const runMs = Number(values.minutes) * 60_000
/** A short run has the first of them only: no chain has them one upon the other. */
const reorgs = values.reorgs ?? String(Math.ceil(runMs / 20_000))
const all = Object.keys(profiles) as ProfileName[]
const usual = byLength<readonly ProfileName[]>({ short: ['own-reth', 'ankr-public'], long: all })
const named = all.filter((name) => positionals.includes(name))
const wanted = named.length > 0 ? named : usual
const rows: Followed[] = []

/** What it said; nothing where its process ended before it had. */
async function follow(profile: ProfileName): Promise<readonly Followed[]> {
  const child = fork(join(import.meta.dirname, 'followServer.ts'), [
    profile,
    String(runMs),
    reorgs,
    values.pools,
  ])
  return new Promise((resolve) => {
    child.once('message', (told) => resolve(told as readonly Followed[]))
    child.once('exit', () => resolve([]))
  })
}

/** What came of each is told at once: the table comes when all are through. */
async function runLane(waiting: ProfileName[]): Promise<void> {
  for (let profile: ProfileName | undefined = waiting.shift(); profile; profile = waiting.shift())
    for (const row of await follow(profile)) {
      rows.push(row)
      process.stderr.write(`${JSON.stringify(row)}\n`)
    }
}
const waiting = [...wanted]
await Promise.all(Array.from({ length: Number(values['at-once']) }, () => runLane(waiting)))

const secs = (ms: number | undefined) => (ms === undefined ? 'never' : (ms / 1_000).toFixed(1))
printTable((text) => process.stdout.write(text), {
  head: [
    'profile',
    'chain',
    'ready s',
    'blocks',
    'reorgs',
    'faults',
    'pools',
    'different',
    'after an audit',
    'quotes',
    'answered',
    'of no block',
    'exceptions',
    'most lag s',
    'at the head s',
  ],
  rows: rows.map((row) => [
    row.profile,
    String(row.chainId),
    secs(row.readyMs),
    String(row.blocks),
    String(row.reorgs),
    String(row.faults),
    `${row.compared} of ${row.made}`,
    String(row.differences.length),
    String(row.leftAfterAudit.length),
    String(row.asked),
    String(row.answered),
    String(row.mixed.length),
    String(row.exceptions.length),
    secs(row.mostLagMs),
    secs(row.caughtUpMs),
  ]),
})
const sum = (count: (row: Followed) => number) => rows.reduce((total, row) => total + count(row), 0)
reportFigures(`following a made-up mainnet with faults for ${values.minutes} minutes`, {
  'profiles x chains': rows.length,
  blocks: sum(({ blocks }) => blocks),
  faults: sum(({ faults }) => faults),
  'pools compared': sum(({ compared }) => compared),
  different: sum(({ differences }) => differences.length),
  'different after a round of the audit': sum(({ leftAfterAudit }) => leftAfterAudit.length),
  'quotes answered': sum(({ answered }) => answered),
  'of no block': sum(({ mixed }) => mixed.length),
  exceptions: sum(({ exceptions }) => exceptions.length),
})

const s = suite('a made-up mainnet behind the nodes that people have')
for (const profile of wanted)
  s(`${profile} is followed through every fault`, () => {
    const own = rows.filter((row) => row.profile === profile)
    assert.is(own.length, 2, 'its process ended')
    for (const { chainId, readyMs, caughtUpMs, leftAfterAudit, mixed, exceptions } of own) {
      assert.ok(readyMs !== undefined, `${chainId} is never quoted`)
      assert.ok(caughtUpMs !== undefined, `${chainId} is behind`)
      const wrong = { leftAfterAudit, mixed, exceptions }
      assert.equal(wrong, { leftAfterAudit: [], mixed: [], exceptions: [] })
    }
  })
s.run()
