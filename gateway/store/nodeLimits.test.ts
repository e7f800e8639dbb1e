import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

function addTests(engine: StoreEngine) {
  const s = suite(`limits of nodes on ${engine.name}`)
  const { nodeLimits } = engine.store
  s.after(engine.close)

  s('returns what was written last, unless it is too old', async () => {
    await nodeLimits.write('one', { limits: '{"batchCalls":64}', atMs: 1_000 })
    await nodeLimits.write('one', { limits: '{"batchCalls":3}', atMs: 2_000 })
    assert.is(await nodeLimits.read('one', 2_000), '{"batchCalls":3}')
    assert.is(await nodeLimits.read('one', 2_001), undefined)
    assert.is(await nodeLimits.read('two', 0), undefined)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
