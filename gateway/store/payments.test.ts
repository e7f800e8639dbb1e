import { createHistory, payer } from '../../fixtures/store/paymentHistory.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proofs } from './payments.ts'

const keyCount = 4

function addTests(engine: StoreEngine) {
  const s = suite(`payments on ${engine.name}`)
  s.after(engine.close)
  const { store } = engine
  let histories = 0
  async function start(keys = keyCount) {
    const history = createHistory(store, `history ${histories++}`)
    for (let index = 0; index < keys; index += 1) await history.addKey(index)
    return history
  }

  s('a credit that has been spent is not credited to the payer again', async () => {
    const { claim, spend, reorganise, balance } = await start()
    const first = { tx: 0, proof: proofs.first }
    const owner = { tx: 0, proof: proofs.payer }
    assert.is(await claim(0, first), 10)
    assert.ok(await spend(0, 10))
    assert.is(await claim(1, owner), undefined)
    assert.is((await balance(1)).total, 0)
    // It is still the first one's, and is taken back from there once.
    assert.is(await claim(0, first), 10)
    await reorganise(0)
    assert.equal([(await balance(0)).total, (await balance(1)).total], [0, 0])
  })

  s('nothing is taken over from a holder who is in debt [teeth/credit-in-debt]', async () => {
    const { claim, spend, reorganise, balance } = await start()
    for (const [tx, quotes] of [[10], [7]].entries())
      await claim(0, { tx, proof: proofs.first, quotes })
    await spend(0, 17)
    await reorganise(1)
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), undefined)
    assert.equal([(await balance(0)).total, (await balance(1)).total], [10, 0])
  })

  s('what its transaction binds to a key outranks all else', async () => {
    const { claim, balance } = await start()
    for (const [index, proof, got] of [
      [0, proofs.settled, 10],
      [1, proofs.payer, undefined],
      [1, proofs.bound, 10],
      [0, proofs.settled, undefined],
    ] as const)
      assert.is(await claim(index, { tx: 0, proof }), got)
    assert.equal([(await balance(0)).total, (await balance(1)).total], [0, 10])
  })

  s('one quote that is left moves, and the rest is taken back where it was spent', async () => {
    const { claim, spend, reorganise, balance } = await start()
    await claim(0, { tx: 0, proof: proofs.first })
    await spend(0, 9)
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), 1)
    await reorganise(0)
    assert.equal([(await balance(0)).total, (await balance(1)).total], [0, 0])
  })

  s('nothing is repaid to whom something else has brought above zero again', async () => {
    const { claim, spend, reorganise, balance } = await start()
    await claim(0, { tx: 0, proof: proofs.first })
    await spend(0, 6)
    await reorganise(0)
    await claim(0, { tx: 1, proof: proofs.payer, quotes: [7] })
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), 10)
    assert.equal([(await balance(0)).remaining, (await balance(1)).remaining], [1, 10])
  })

  s('a claim that sees another block first takes back what the old one paid', async () => {
    const { claim, moveUnseen, balance } = await start()
    await claim(0, { tx: 0, proof: proofs.first })
    moveUnseen(0)
    assert.is(await claim(0, { tx: 0, proof: proofs.first }), 10)
    moveUnseen(0)
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), 10)
    assert.equal([(await balance(0)).total, (await balance(1)).total], [0, 10])
  })

  s(
    'a payment repays nobody who had nothing of it, in whatever order they come again [claims/each-its-own]',
    async () => {
      for (const proof of [proofs.bound, proofs.settled, proofs.payer]) {
        const { claim, spend, reorganise, balance } = await start()
        const own = (index: number) =>
          claim(index, { tx: 0, proof, firstLog: index, source: `payer ${index}` })
        await own(0)
        await own(1)
        await spend(1, 10)
        await reorganise(0)
        assert.equal([await own(0), await own(1)], [10, 10])
        assert.equal([(await balance(0)).remaining, (await balance(1)).remaining], [10, 0])
      }
    },
  )

  s('of a payment that nobody said the source of, those are repaid who spent it', async () => {
    const { claim, spend, reorganise, balance } = await start()
    await claim(0, { tx: 0, proof: proofs.first })
    await spend(0, 6)
    await claim(1, { tx: 0, proof: proofs.payer })
    // As a gateway of an earlier release leaves it.
    await store.execute('DELETE FROM payment_parts')
    await reorganise(0)
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), 4)
    assert.equal([(await balance(0)).remaining, (await balance(1)).remaining], [0, 4])
  })

  s(
    'are found again by key, payer and transaction, the newest first [store/receipts]',
    async () => {
      const { claim, keyOf } = await start()
      await claim(0, { tx: 0, proof: proofs.payer, quotes: [3, 4] })
      await claim(1, { tx: 1, proof: proofs.payer })
      const list = (search: string, limit = 9) => store.receipts.listPayments({ search, limit })
      const [first, second, ...more] = await list(keyOf(0).toUpperCase())
      assert.equal([first?.quotes, second?.quotes, more], [3, 4, []])
      assert.equal([first?.amount, first?.state, first?.logIndex], [300n, 'credited', 0])
      assert.equal(await list(first?.txHash ?? ''), [first, second])
      assert.ok((await list(payer)).length >= 3)
      assert.is((await list('', 2)).length, 2)
      assert.equal(await list("' OR 1=1 --"), [])
    },
  )

  s('quota of all keys is what was credited and used [store/quota]', async () => {
    const before = await store.receipts.readQuota()
    const { claim, spend } = await start()
    await claim(0, { tx: 0, proof: proofs.payer })
    await spend(0, 4)
    const { credited, used } = await store.receipts.readQuota()
    assert.equal([credited - before.credited, used - before.used], [10, 4])
  })

  s(
    'payer and sender rank alike: the first of them keeps what is unspent too [claims/alike]',
    async () => {
      const { claim, balance } = await start()
      for (const [index, proof, other] of [
        [0, proofs.sender, proofs.payer],
        [1, proofs.payer, proofs.sender],
      ] as const) {
        assert.is(await claim(0, { tx: index, proof }), 10)
        assert.is(await claim(1, { tx: index, proof: other }), undefined)
      }
      assert.is((await balance(0)).remaining, 20)
    },
  )

  s(
    'of a first-come credit only what is unspent moves, and comes back after a reorg [claims/first-come]',
    async () => {
      const { claim, spend, balance, reorganise } = await start()
      const first = { tx: 0, proof: proofs.first }
      const owner = { tx: 0, proof: proofs.payer }
      await claim(0, first)
      await spend(0, 6)
      assert.is(await claim(1, owner), 4)
      assert.is(await claim(1, owner), 4)
      assert.is(await claim(0, first), undefined)
      const balances = async () => [(await balance(0)).remaining, (await balance(1)).remaining]
      assert.equal(await balances(), [0, 4])
      // As often as it happens: what is taken back once is not taken back with the next one.
      for (let times = 0; times < 2; times += 1) {
        await reorganise(0)
        assert.equal(await balances(), [-6, 0])
        assert.is(await claim(1, owner), 4)
        assert.equal(await balances(), [0, 4])
      }
    },
  )

  s('what was spent before a reorganisation is not paid out to another key after it', async () => {
    const { claim, spend, reorganise, balance } = await start()
    await claim(0, { tx: 0, proof: proofs.first })
    await spend(0, 10)
    await reorganise(0)
    assert.is(await claim(1, { tx: 0, proof: proofs.payer }), 0)
    assert.equal([(await balance(0)).remaining, (await balance(1)).total], [0, 0])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
