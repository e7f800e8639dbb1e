import { openAudited } from '../../fixtures/store/checkpointBooks.ts'
import { createHistory } from '../../fixtures/store/paymentHistory.ts'
import { startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proofs } from './payments.ts'

const s = suite('store/auditBooks')
const engines = await startStoreEngines()
s.after(async () => {
  for (const engine of engines) await engine.close()
})

for (const engine of engines)
  s(`${engine.name}: what was paid, credited and kept is one another's [teeth/audit]`, async () => {
    const { store, execute, look } = await openAudited(engine)
    const books = createHistory({ ...store, execute, close: async () => store.close() }, 'a')
    const { claim, spend, reorganise, txHash } = books
    for (const index of [0, 1]) await books.addKey(index)
    await claim(0, { tx: 0, proof: proofs.first, quotes: [10, 2] })
    await spend(0, 4)
    // The owner takes over what is left; the rest stays with who has spent it.
    await claim(1, { tx: 0, proof: proofs.payer, quotes: [10, 2] })
    await claim(1, { tx: 1, proof: proofs.payer, quotes: [5] })
    await reorganise(1)
    assert.equal(await look(), [])

    const tx = `1:${txHash(0)}`
    const plant = async (statement: string, mended: string) => {
      await execute(statement)
      const found = await look()
      await execute(mended)
      return found
    }
    const ofFirst = `WHERE tx_hash = '${txHash(0)}' AND log_index = 0`
    const setAmount = (amount: number) => `UPDATE payments SET amount = '${amount}' ${ofFirst}`
    assert.equal(await plant(setAmount(899), setAmount(1_000)), [
      `payment ${tx}: 12 credited, 10 paid`,
    ])
    assert.equal(await plant(setAmount(1_100), setAmount(1_000)), [
      `payment ${tx}: 12 credited, 13 paid`,
    ])
    const setQuotes = (change: string) => `UPDATE payments SET quotes = quotes ${change} ${ofFirst}`
    const byHolder = await plant(setQuotes('- 1'), setQuotes('+ 1'))
    assert.equal(byHolder, [`holder ${tx} a 1: 1 more in the ledger`])
    const setKept = (change: string) =>
      `UPDATE payment_shares SET kept = kept ${change} WHERE kept > 0`
    const byShare = await plant(setKept('+ 1'), setKept('- 1'))
    assert.equal(byShare, [`holder ${tx} a 0: -1 more in the ledger`])
    assert.equal(await look(), [])
    await execute('DELETE FROM payments')
    assert.equal(
      (await look()).filter((line) => line.startsWith('payment')),
      [`payment ${tx}: 12 credited, 0 paid`],
    )
    await store.close()
  })
s.run()
