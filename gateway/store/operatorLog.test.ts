import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore } from './openStore.ts'
import { carryOperatorLog, type OperatorEntry } from './operatorLog.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

const entryOf = (run: string, phase: OperatorEntry['phase'], atMs: number): OperatorEntry => ({
  run,
  operator: 'ada',
  command: 'backups make',
  subject: 'all',
  phase,
  detail: JSON.stringify({ run }),
  atMs,
})

function addTests({ name, store: { operatorLog }, close }: StoreEngine) {
  const s = suite(`store/operatorLog on ${name}`)
  s.after(close)

  s('lists what was done, the newest first and as it was written', async () => {
    const written = [entryOf('one', 'begun', 5), entryOf('one', 'done', 9)]
    for (const entry of written) await operatorLog.append(entry)
    assert.equal(await operatorLog.list(9), written.toReversed())
    assert.equal(await operatorLog.list(1), written.slice(1))
  })
  s('tells when a command was last done, whatever was begun or failed since', async () => {
    await operatorLog.append(entryOf('two', 'done', 20))
    // By a machine whose clock was behind.
    await operatorLog.append(entryOf('three', 'done', 15))
    await operatorLog.append(entryOf('four', 'begun', 30))
    await operatorLog.append(entryOf('four', 'failed', 31))
    assert.equal(await operatorLog.lastDone('backups make'), { atMs: 20, detail: '{"run":"two"}' })
    assert.is(await operatorLog.lastDone('backups test'), undefined)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const s = suite('store/operatorLog, carried over')

s('has each row once in the books that were restored, in the order they were written', async () => {
  const [old, restored] = [openStore({ path: ':memory:' }), openStore({ path: ':memory:' })]
  const rows = [entryOf('one', 'begun', 5), entryOf('one', 'done', 9), entryOf('two', 'done', 12)]
  for (const entry of rows) await old.operatorLog.append(entry)
  for (const entry of rows.slice(0, 1)) await restored.operatorLog.append(entry)
  const carried = { from: createSqliteEngine(old.db), to: createSqliteEngine(restored.db) }
  for (let time = 0; time < 2; time += 1) {
    await carryOperatorLog(carried)
    assert.equal(await restored.operatorLog.list(9), rows.toReversed())
  }
  for (const { close } of [old, restored]) close()
})
s.run()
