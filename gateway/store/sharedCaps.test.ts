import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/sharedCaps on ${name}`)
  s.after(close)

  s('holds the caps of others for two minutes after they told them [teeth/told-caps]', async () => {
    async function caps(gateway: string, nowMs: number, maxPerHour: number) {
      const given = { maxPerHour, maxSpendPerHourWei: 9n }
      return (await store.relay.tellCaps({ chainId: 7, gateway, nowMs, ...given })).maxPerHour
    }
    assert.is(await caps('a', 1_000, 3), 3)
    assert.is(await caps('b', 121_000, 5), 3)
    assert.is(await caps('b', 121_001, 5), 5)
  })
  s('holds the lowest of each cap, of its chain and of what it counts alone', async () => {
    const tell = (
      counted: 'relay' | 'settlements',
      chainId: number,
      ...caps: readonly number[]
    ) => {
      const [maxPerHour = 0, spend = 0] = caps
      const own = { maxPerHour, maxSpendPerHourWei: BigInt(spend) }
      return store[counted].tellCaps({ chainId, gateway: `${caps}`, nowMs: 1_000, ...own })
    }
    assert.equal(await tell('relay', 8, 3, 9), { maxPerHour: 3, maxSpendPerHourWei: 9n })
    assert.equal(await tell('relay', 8, 5, 4), { maxPerHour: 3, maxSpendPerHourWei: 4n })
    assert.equal(await tell('relay', 8, 9, 8), { maxPerHour: 3, maxSpendPerHourWei: 4n })
    assert.equal(await tell('settlements', 8, 7, 6), { maxPerHour: 7, maxSpendPerHourWei: 6n })
    assert.equal(await tell('relay', 9, 6, 7), { maxPerHour: 6, maxSpendPerHourWei: 7n })
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
