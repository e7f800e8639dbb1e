import { hourMs, openBook, startSettling } from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/settlementNewcomers on ${name}`)
  s.after(close)
  const { read, end } = openBook(store)

  s('a newcomer is who has never had a payment settled [teeth/newcomers]', async () => {
    const [pay, payKnown] = [
      await startSettling(store, 3, 'new 3'),
      await startSettling(store, 3, 'known 3'),
    ]
    await pay(3n, 1_000)
    await pay(4n, 1_000)
    await end(await payKnown(5n, 1_000), 'settled')
    await payKnown(6n, 1_000)
    const at = async (keyId: string, nowMs: number) =>
      (await read(3, { keyId, payer: undefined, payerCode: undefined }, nowMs)).newcomers
    assert.equal(await at('new 3', 2_000), { isOne: true, count: 2, spendWei: 70n })
    assert.equal(await at('known 3', 999 + hourMs), { isOne: false, count: 2, spendWei: 70n })
    assert.equal(await at('new 3', 1_000 + hourMs), { isOne: true, count: 0, spendWei: 0n })
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
