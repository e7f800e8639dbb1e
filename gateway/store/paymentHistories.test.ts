import fc from 'fast-check'
import { createHistory } from '../../fixtures/store/paymentHistory.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { type Proof, proofs } from './payments.ts'

const keyCount = 4
const txQuotes = [[10], [7], [5, 3]]
/** One transaction with a payment for each key, bound to it, and the quotes of all. */
const boundTx = txQuotes.length
const boundQuotes = [4, 6, 2, 8]
const paidQuotes = 45
const tx = fc.nat(txQuotes.length - 1)
const anyTx = fc.nat(boundTx)
const key = fc.nat(keyCount - 1)
const weak = fc.constantFrom<Proof>(proofs.first, proofs.sender, proofs.payer, proofs.settled)
const step = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), key, tx, proof: weak }),
  fc.record({ do: fc.constant('claim one' as const), key, log: fc.nat(1), proof: weak }),
  fc.record({ do: fc.constant('claim bound' as const), key }),
  fc.record({ do: fc.constant('spend' as const), key, units: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('reorganise' as const), tx: anyTx, comesBack: fc.boolean() }),
)

function addTests(engine: StoreEngine) {
  const s = suite(`histories of payments on ${engine.name}`)
  s.after(engine.close)
  const { store } = engine
  let histories = 0
  async function start() {
    const history = createHistory(store, `history ${histories++}`)
    for (let index = 0; index < keyCount; index += 1) await history.addKey(index)
    return history
  }

  s(
    'I2 I3: no history of claims, spending and reorganisations answers more than was paid [claims/no-history-pays-twice]',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
          const history = await start()
          const { claim, spend, reorganise, balance, creditOf, moves } = history
          /** A payment of its payer, at its place in the transaction. */
          const claimLog = (index: number, at: { tx: number; log: number; proof: Proof }) =>
            claim(index, {
              ...at,
              quotes: [(at.tx === boundTx ? boundQuotes : txQuotes[at.tx])?.[at.log] ?? 0],
              firstLog: moves(at.tx) + at.log,
              source: `payer ${at.log}`,
            })
          const claimBound = (index: number) =>
            claimLog(index, { tx: boundTx, log: index, proof: proofs.bound })
          async function claimAll(index: number, at: { tx: number; proof: Proof }) {
            for (const log of (txQuotes[at.tx] ?? []).keys()) await claimLog(index, { ...at, log })
          }
          for (const one of steps) {
            if (one.do === 'claim') await claimAll(one.key, one)
            if (one.do === 'claim one') await claimLog(one.key, { ...one, tx: 2 })
            if (one.do === 'claim bound') await claimBound(one.key)
            if (one.do === 'spend') await spend(one.key, one.units)
            if (one.do === 'reorganise') await reorganise(one.tx, one.comesBack)
          }
          // Faults end: every payment is in the chain, and somebody has claimed it.
          for (const tx of txQuotes.keys()) await claimAll(tx, { tx, proof: proofs.settled })
          for (const index of boundQuotes.keys()) await claimBound(index)
          const keys = Array.from({ length: keyCount }, (_, at) => at)
          const balances = await Promise.all(keys.map(balance))
          const total = balances.reduce((sum, each) => sum + each.total, 0)
          const used = balances.reduce((sum, each) => sum + each.used, 0)
          assert.is(total, paidQuotes, 'credited is what was paid')
          assert.ok(used <= paidQuotes, `${used} answered of ${paidQuotes} paid`)
          assert.equal(
            await Promise.all(keys.map((index) => creditOf(index, boundTx))),
            boundQuotes,
            'what is bound to a key is its own',
          )
          assert.ok(
            balances.every(({ remaining }) => remaining >= 0),
            'nobody is below zero once all that was paid is there again',
          )
          assert.equal(await store.ledger.audit(), [])
        }),
        { numRuns: engine.name === 'SQLite' ? 200 : 15 },
      ),
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
