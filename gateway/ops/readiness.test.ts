import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createService } from '../http/service.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { fromHealth } from '../routing/wire/registry.ts'
import { openStore } from '../store/openStore.ts'
import { createReadiness, createWarnings, readReadiness } from './readiness.ts'
import { opsEndpoints } from './routes.ts'

const s = suite('ops/readiness')
const engines = await startStoreEngines()
const dir = mkdtempSync(join(tmpdir(), 'forkyard-readiness-'))
const path = join(dir, 'forkyard.sqlite')
const file = openStore({ path })
s.after(async () => {
  file.close()
  for (const engine of engines) await engine.close()
  rmSync(dir, { recursive: true })
})

type Deps = Parameters<typeof readReadiness>[0]
const ready: Deps = {
  routing: { health: () => 'ok', status: () => [{ troubles: [] }] },
  store: file,
  warnings: () => [],
}
const yes = async () => true
const no = async () => false

s('is ready when every part does its work', async () => {
  for (const { store } of engines)
    assert.equal(await readReadiness({ ...ready, store }), {
      ready: true,
      reasons: [],
      warnings: [],
      takesWrites: true,
    })
})

s('is not where nothing can be served, and says why', async () => {
  const cases: readonly (readonly [Partial<Deps>, string])[] = [
    [{ routing: { ...ready.routing, health: () => 'error' } }, 'no chain can be quoted'],
    [{ store: { isReachable: no, isWritable: no } }, 'the database does not answer'],
    [{ store: { isReachable: yes, isWritable: no } }, 'the database takes no writes'],
  ]
  for (const [change, reason] of cases)
    assert.equal(await readReadiness({ ...ready, ...change }), {
      ready: false,
      reasons: [reason],
      warnings: [],
      takesWrites: change.store === undefined,
    })
})

s('stays ready for the other chains where one is in trouble, and warns of it', async () => {
  const trouble = 'arbitrum: no simulation fork is ready'
  const status = () => [{ troubles: [] }, { troubles: [trouble] }]
  const state = await readReadiness({ ...ready, routing: { health: () => 'degraded', status } })
  assert.equal([state.ready, state.reasons, state.warnings], [true, [], [trouble]])
})

s('tells operators how it is from its first moment to its last, and Prometheus too', async () => {
  const readiness = createReadiness()
  const metrics = createMetrics()
  metrics.showReadiness(readiness.read)
  const endpoints = opsEndpoints({ metrics, readiness, labManifestPath: join(dir, 'none.json') })
  const log = createLog({ level: 'silent', secrets: [] })
  const service = createService({ name: 'ops', endpoints, log, checkOutput: true })
  const { url, close } = await service.listen()
  const ask = async (path: string) => {
    const response = await fetch(url + path)
    return [response.status, await response.text()] as const
  }
  const statuses = async () => {
    const paths = ['/livez', '/startupz', '/readyz']
    return (await Promise.all(paths.map(ask))).map(([status]) => status)
  }
  const gauges = async () => {
    const [, text] = await ask('/metrics')
    const names = ['ready', 'warnings', 'database_takes_writes']
    return names.map((name) => new RegExp(`^forkyard_${name} (\\d)$`, 'm').exec(text)?.[1])
  }
  assert.equal(
    [await statuses(), await gauges()],
    [
      [200, 503, 503],
      ['0', '0', '1'],
    ],
  )
  readiness.lacksDatabase()
  assert.match((await ask('/readyz'))[1], 'the database does not answer')
  assert.equal(await gauges(), ['0', '0', '0'])
  readiness.serves({ ...ready, warnings: () => ['one', 'two'] })
  assert.equal(
    [await statuses(), await gauges()],
    [
      [200, 200, 200],
      ['1', '2', '1'],
    ],
  )
  readiness.serves({ ...ready, store: { isReachable: yes, isWritable: no } })
  assert.equal(
    [await statuses(), await gauges()],
    [
      [200, 200, 503],
      ['0', '0', '0'],
    ],
  )
  readiness.drains()
  assert.equal(await statuses(), [200, 200, 503])
  assert.match((await ask('/readyz'))[1], 'shutting down')
  assert.is((await ask('/lab/manifest'))[0], 503)
  await close()
})

s('asks the database for a write that reaches the disk', async () => {
  const { mtimeMs, size } = statSync(`${path}-wal`)
  assert.ok(await file.isWritable())
  const after = statSync(`${path}-wal`)
  assert.ok(after.size > size || after.mtimeMs > mtimeMs)
  file.db.pragma('query_only = ON')
  assert.equal((await readReadiness(ready)).reasons, ['the database takes no writes'])
  file.db.pragma('query_only = OFF')
  assert.ok((await readReadiness(ready)).ready)
})

s('does not wait for a database that hangs', async () => {
  const hangs = () => new Promise<boolean>(() => undefined)
  const store = { isReachable: hangs, isWritable: hangs }
  assert.equal((await readReadiness({ ...ready, store })).reasons, ['the database does not answer'])
})

s('stays ready with a warning, and health is degraded by it [ops/degraded]', async () => {
  const warnings = ['the shared rate limits do not answer: each gateway limits by itself']
  const state = await readReadiness({ ...ready, warnings: () => warnings })
  assert.equal([state.ready, state.reasons, state.warnings], [true, [], warnings])
  const facts = {
    version: '0',
    uptimeMs: 0,
    leftOut: [],
    leftOutPools: [],
    statuses: [],
    rssBytes: 1e8,
  }
  assert.is(fromHealth({ ...facts, status: 'ok', warnings: [] }).status, 'ok')
  const warned = fromHealth({ ...facts, status: 'ok', warnings })
  assert.equal([warned.status, warned.warnings], ['degraded', warnings])
  assert.is(fromHealth({ ...facts, status: 'error', warnings }).status, 'error')
})

s('remembers a refused charge until one is taken, and for ten seconds at most', () => {
  let nowMs = 0
  const { warnings, observeCharge } = createWarnings({ buckets: undefined }, { now: () => nowMs })
  assert.equal(warnings(), [])
  observeCharge('refused')
  assert.equal(warnings(), ['the database has refused the last charge'])
  observeCharge('taken')
  assert.equal(warnings(), [])
  observeCharge('refused')
  nowMs = 10_000
  assert.equal(warnings(), [])
})
s.run()
