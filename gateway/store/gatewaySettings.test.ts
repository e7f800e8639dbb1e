import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/gatewaySettings on ${name}`)
  s.after(close)

  s('knows what others were given for two minutes after they said it [teeth/told]', async () => {
    const settings = (gateway: string, nowMs: number) =>
      store.gatewaySettings.tell({ gateway, settings: `of ${gateway}`, nowMs })
    assert.equal(await settings('a', 1_000), [])
    assert.equal(await settings('b', 121_000), ['of a'])
    assert.equal(await settings('c', 121_001), ['of b'])
    await store.gatewaySettings.forget('b')
    assert.equal(await settings('c', 121_001), [])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
