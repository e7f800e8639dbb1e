import { hashOf, hourMs, openBook, startSettling } from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'

const dayMs = 24 * hourMs
const clean = { open: 0, failed: 0, lastFailedMs: undefined, settled: 0 }

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/settlementParties on ${name}`)
  s.after(close)
  const { read, end } = openBook(store)

  s('counts by key, payer and code what is open, failed and paid [teeth/parties]', async () => {
    const pay = await startSettling(store, 1)
    const [payer, payerCode] = [
      '0x000000000000000000000000000000000000aAaA',
      hashOf('code'),
    ] as const
    await pay(1n, 1_000, { payer, payerCode })
    await end(await pay(1n, 1_000, { payer, payerCode }), 'failed', { nowMs: 2_000 })
    await end(await pay(1n, 1_000, { payer }), 'failed', { nowMs: 3_000 })
    await end(await pay(1n, 1_000), 'settled')
    const own = { keyId: 'key 1', payer, payerCode }
    assert.equal((await read(1, own, 4_000)).parties, {
      key: { open: 1, failed: 2, lastFailedMs: 3_000, settled: 1 },
      payer: { open: 1, failed: 2, lastFailedMs: 3_000, settled: 0 },
      code: { open: 1, failed: 1, lastFailedMs: 2_000, settled: 0 },
    })
    assert.is((await read(1, own, 4_000)).count, 4)
    // An account without code shares none with the others that have none.
    const plain = await read(1, { ...own, payerCode: undefined }, 4_000)
    assert.equal(plain.parties.code, clean)
    const nobody = await read(1, { keyId: 'key 0', payer: undefined, payerCode: undefined }, 4_000)
    assert.equal(nobody.parties, { key: clean, payer: clean, code: clean })
    // Who raises a price asks for nobody.
    const [open] = await store.settlements.listOpen(1)
    if (!open) throw new Error('none is open')
    let parties: unknown
    await store.settlements.raise(open, { nowMs: 4_000, windowMs: hourMs }, (book) => {
      parties = book.parties
      return undefined
    })
    assert.equal(parties, { key: clean, payer: clean, code: clean })
  })
  s('forgets after a day who failed and who paid [teeth/parties]', async () => {
    const pay = await startSettling(store, 2)
    const party = { keyId: 'key 2', payer: undefined, payerCode: undefined }
    await end(await pay(1n, 1_000), 'settled')
    await end(await pay(1n, 1_000), 'failed', { nowMs: 1_000 })
    const at = async (nowMs: number) => (await read(2, party, nowMs)).parties.key
    assert.equal(await at(999 + dayMs), { open: 0, failed: 1, lastFailedMs: 1_000, settled: 1 })
    assert.equal(await at(1_000 + dayMs), clean)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
