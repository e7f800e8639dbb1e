import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStoreEngines } from '../../fixtures/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { getChain } from '../chain/chains.ts'
import { fromHealth } from '../routing/wire/registry.ts'
import { openStore } from '../store/openStore.ts'
import { createWarnings, readReadiness } from './readiness.ts'

const s = suite('ops/readiness')
const base = getChain(8453)
if (!base) throw new Error('Base is built in')
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
  chains: [base],
  routing: { health: () => 'ok' },
  simulator: { status: () => ({ ready: true, blockNumber: 1n, ageMs: 0 }) },
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
    })
})

s('gives a reason for each part that does not', async () => {
  const unready = { ready: false, blockNumber: undefined, ageMs: 0 }
  const cases: readonly (readonly [Partial<Deps>, string])[] = [
    [{ simulator: { status: () => unready } }, `${base.name}: no simulation fork is ready`],
    [{ routing: { health: () => 'error' } }, 'routing is error'],
    [{ store: { isReachable: no, isWritable: no } }, 'the database does not answer'],
    [{ store: { isReachable: yes, isWritable: no } }, 'the database takes no writes'],
  ]
  for (const [change, reason] of cases)
    assert.equal(await readReadiness({ ...ready, ...change }), {
      ready: false,
      reasons: [reason],
      warnings: [],
    })
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

s('stays ready with a warning, and health is degraded by it', async () => {
  const warnings = ['the shared rate limits do not answer: each gateway limits by itself']
  const state = await readReadiness({ ...ready, warnings: () => warnings })
  assert.equal(state, { ready: true, reasons: [], warnings })
  const facts = { version: '0', uptimeMs: 0, leftOut: [], statuses: [] }
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
