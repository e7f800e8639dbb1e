import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import {
  type GatewaySettings,
  prepareGateway,
  runCommand,
} from '../fixtures/processes/gatewayProcess.ts'
import { byLength, reportFigures } from '../fixtures/proof.ts'
import { query, startPostgres } from '../fixtures/store/postgres.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import { waitFor } from '../simulator/testing/waitFor.ts'
import {
  countAnswered,
  readBooked,
  startCallers,
  tellCounts,
} from './lab/containers/testing/countCallers.ts'
import { startDoor, toUpstream } from './lab/containers/testing/startDoor.ts'
import { migrations } from './store/migrations.ts'

/**
 * An earlier source of this repository, from before the newest migration, on a database that the present one has
 * migrated, and back: the earlier gateway serves while the present one migrates, is started anew on the new schema,
 * and serves alone once the present one is stopped. On both engines, under load, counted at callers.
 *
 * Usage: `npm run -s proof:previous [commit or tag]`.
 */
const root = join(import.meta.dirname, '..')
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 }).trim()
const list = 'gateway/store/migrations.ts'
const countMigrations = (commit: string) =>
  git('show', `${commit}:${list}`).match(/^ {2}\{ id: \d+/gm)?.length ?? 0

/** The one before that which brought the list of migrations to its present length; of a shallow clone maybe none. */
function findPrevious(): string | undefined {
  const changes = git('log', '--format=%H', '--', list).split('\n')
  const newest = changes.filter((commit) => countMigrations(commit) === migrations.length).at(-1)
  const parent = newest && git('rev-list', '--parents', '--max-count=1', newest).split(' ')[1]
  return parent && countMigrations(parent) < migrations.length ? parent : undefined
}

const previous = process.argv[2] ?? findPrevious()
const pepper = 'a pepper of more than thirty-two characters'
const s = suite('the previous source on the present schema')
const ofEachKind = 2
/** Answers between one step and the next. */
const enough = byLength({ short: 100, long: 1_000 })
const patient = { deadlineMs: 120_000, everyMs: 50 }

/** Its files beside the packages of the present one. */
function takeSource(commit: string): string {
  const source = mkdtempSync(join(tmpdir(), 'forkyard-previous-'))
  const archive = execFileSync('git', ['-C', root, 'archive', commit], { maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', source], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  return source
}

/** What a release writes that takes something away, so that gateways which have not heard of it are refused. */
async function contract({ databasePath, databaseUrl }: GatewaySettings) {
  const id = migrations.length + 1
  const statement = `INSERT INTO migrations (id, name, version, needs) VALUES (${id}, 'what takes away', '9.9.9', ${id})`
  if (databaseUrl) return query(databaseUrl, statement)
  const db = new Database(databasePath)
  db.exec(statement)
  return db.close()
}

type Chain = Awaited<ReturnType<typeof startWorldChain>>

const quoteOf = ({ chainId, manifest }: Chain, count: number) => ({
  chain_id: chainId,
  token_in: manifest.tokens['WETH']?.address,
  token_out: manifest.tokens['USDC']?.address,
  amount_in: `${10 ** 15 + count}`,
})

async function prove(
  settings: GatewaySettings,
  { source, chain, engine }: { source: string; chain: Chain; engine: string },
) {
  const command = ['keys', 'create', 'test', '--quotes', '1000000']
  const created = await runCommand(settings, { source, args: command })
  const apiKey = /\bfy_[a-z]+_[0-9A-Za-z]+/.exec(created)?.[0] ?? ''
  const [earlier, present] = [
    await prepareGateway(settings, source),
    await prepareGateway(settings),
  ]
  const door = await startDoor({
    gatewayPort: earlier.port,
    change: toUpstream([earlier.port, present.port]),
  })
  if (!door) return
  const callers = { port: door.tls, apiKey }
  try {
    await earlier.start()
    const calling = startCallers(callers, {
      ofEachKind,
      bodyOf: (count) => quoteOf(chain, count),
    })
    const untilAnswered = () => {
      const at = calling.answered()
      return waitFor('callers are answered', () => calling.answered() > at + enough, patient)
    }
    await untilAnswered()
    // The present one migrates beside it.
    await present.start()
    await untilAnswered()
    assert.equal(await earlier.stop(), [0, null])
    await earlier.start()
    await untilAnswered()
    // The way back: the present one is gone.
    assert.equal(await present.stop(), [0, null])
    await untilAnswered()
    await present.start()
    await untilAnswered()
    const kinds = await calling.stop()
    const answered = countAnswered(kinds)
    assert.is(await readBooked(callers), answered)
    for (const { name, counts } of kinds) {
      const others = [...counts.keys()].filter((status) => status !== 200 && status !== 502)
      assert.equal(others, [], `${name}: ${tellCounts(counts)}`)
      // An earlier source may reset whoever waits to be taken in when it is stopped: one of each caller at most.
      assert.ok((counts.get(502) ?? 0) <= ofEachKind, `${name}: ${tellCounts(counts)}`)
    }
    // It ends with 1 where the books do not balance.
    await runCommand(settings, { args: ['audit'] })
    await runCommand(settings, { source, args: ['audit'] })
    reportFigures(`the previous source on the present schema, ${engine}`, {
      'earlier commit': git('rev-parse', '--short', previous ?? ''),
      'migrations it knows, of': `${countMigrations(previous ?? '')}, ${migrations.length}`,
      ...Object.fromEntries(kinds.map(({ name, counts }) => [name, tellCounts(counts)])),
      'answered, and booked': `${answered}, ${answered}`,
    })
    await earlier.stop()
    await contract(settings)
    // From before 26 November it says so and waits on PostgreSQL; the present one ends.
    earlier.begin()
    const isRefused = () => /what takes away.* was written by 9\.9\.9/.test(earlier.printed())
    await waitFor('it says who wrote the schema', isRefused, { ...patient, why: earlier.printed })
    assert.is(await readBooked(callers), answered)
  } finally {
    await Promise.all([earlier.stop(), present.stop()])
    await door.close()
  }
}

s(
  'serves beside the present gateway, alone on its schema, and is refused by what takes away',
  async () => {
    if (!previous) {
      process.stdout.write(
        'SKIPPED: this clone has no commit from before the newest migration (git fetch --unshallow)\n',
      )
      return
    }
    const source = takeSource(previous)
    const dir = mkdtempSync(join(tmpdir(), 'forkyard-previous-data-'))
    const [base, arbitrum, postgres] = await Promise.all([
      startWorldChain({ chainId: 8453 }),
      startWorldChain({ chainId: 42161 }),
      startPostgres(),
    ])
    const settings = {
      dir,
      pepper,
      databasePath: join(dir, 'forkyard.sqlite'),
      databaseUrl: undefined,
      baseRpcUrl: base.rpcUrl,
      arbitrumRpcUrl: arbitrum.rpcUrl,
    }
    try {
      await prove(settings, { source, chain: base, engine: 'SQLite' })
      if (!postgres) return
      const databaseUrl = await postgres.createDatabase()
      await prove({ ...settings, databaseUrl }, { source, chain: base, engine: 'PostgreSQL' })
    } finally {
      await Promise.all([base.close(), arbitrum.close(), postgres?.close()])
      for (const path of [source, dir]) rmSync(path, { recursive: true })
    }
  },
)
s.run()
