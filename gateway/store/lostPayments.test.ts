import { createHistory, payer } from '../../fixtures/store/paymentHistory.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { type LostPayment, type PaymentBlock, proofs } from './payments.ts'

/** What a reorganisation took back, and for whom it is looked for. */
function addTests(engine: StoreEngine) {
  const s = suite(`lost payments on ${engine.name}`)
  s.after(engine.close)
  const { store } = engine
  let histories = 0
  async function start() {
    const history = createHistory(store, `lost ${histories++}`)
    for (let index = 0; index < 2; index += 1) await history.addKey(index)
    return history
  }

  s(
    'what one key has lost stays looked for where another’s payment took its number [claims/moved-logs]',
    async () => {
      const { claim, reorganise, balance, keyOf, txHash } = await start()
      const lost = async () =>
        (await store.payments.listLost({ chainId: 1, limit: 999 }))
          .filter((one) => one.txHash === txHash(0))
          .map(({ keyId, held }) => [keyId, held.get(payer)])
      const own = (index: number, firstLog: number) =>
        claim(index, { tx: 0, proof: proofs.sender, firstLog, source: `payer ${index}` })
      for (let moved = 0; moved < 3; moved += 1) {
        assert.equal([await own(0, moved), await own(1, moved + 1)], [10, 10])
        assert.equal(await lost(), [])
        await reorganise(0)
        await own(0, moved + 1)
        assert.equal(await lost(), [[keyOf(1), proofs.sender]])
      }
      assert.equal([(await balance(0)).total, (await balance(1)).total], [10, 0])
    },
  )

  s(
    'a weaker claim that comes first leaves a stronger one looked for [claims/lost-stronger]',
    async () => {
      const { claim, spend, reorganise, balance, keyOf, txHash } = await start()
      const both = { tx: 0, quotes: [10, 10] }
      await claim(0, { ...both, proof: proofs.first })
      assert.ok(await spend(0, 10))
      assert.is(await claim(1, { ...both, proof: proofs.payer }), 10)
      await reorganise(0)
      await claim(0, { ...both, proof: proofs.first })
      const listed = await store.payments.listLost({ chainId: 1, limit: 99 })
      const looked = listed.filter((one) => one.txHash === txHash(0)).map(({ keyId }) => keyId)
      assert.equal(looked, [keyOf(1)])
      assert.is(await claim(1, { ...both, proof: proofs.payer }), 10)
      assert.equal([(await balance(0)).remaining, (await balance(1)).remaining], [0, 10])
    },
  )
  s('a payment of a single quote is lost like any other [teeth/lost-one]', async () => {
    const { claim, reorganise, keyOf, txHash, balance } = await start()
    const single = { tx: 0, proof: proofs.payer, quotes: [1] }
    assert.is(await claim(0, single), 1)
    await reorganise(0)
    const listed = await store.payments.listLost({ chainId: 1, limit: 999 })
    const looked = listed.filter((one) => one.txHash === txHash(0)).map(({ keyId }) => keyId)
    assert.equal([looked, (await balance(0)).total], [[keyOf(0)], 0])
    assert.is(await claim(0, single), 1)
    assert.is((await balance(0)).total, 1)
  })
  s('what has come again in part is still looked for [claims/lost-part]', async () => {
    const { claim, reorganise, keyOf, txHash } = await start()
    const settled = { tx: 0, proof: proofs.settled, source: 'settled' }
    const plain = { tx: 0, proof: proofs.payer, firstLog: 1 }
    const claimAll = async () => [await claim(0, settled), await claim(0, plain)]
    const isLooked = async () => {
      const listed = await store.payments.listLost({ chainId: 1, limit: 99 })
      return listed.some((one) => one.txHash === txHash(0) && one.keyId === keyOf(0))
    }
    await claimAll()
    await reorganise(0)
    await claim(0, settled)
    assert.ok(await isLooked())
    assert.equal(await claimAll(), [10, 10])
    assert.not.ok(await isLooked())
  })
  s('what is lost is no longer where it was found, or given up [teeth/lost-payments]', async () => {
    const { claim, reorganise, keyOf, txHash } = await start()
    const { listLost, forget } = store.payments
    const lost = async () =>
      (await listLost({ chainId: 1, limit: 999 })).filter((one) => one.txHash === txHash(0))
    const owner = { tx: 0, proof: proofs.sender }
    await claim(0, owner)
    await reorganise(0)
    const row = {
      chainId: 1,
      txHash: txHash(0),
      keyId: keyOf(0),
      blockNumber: 5n,
      lostAtBlock: 6n,
      held: new Map([[payer, proofs.sender]]),
      validBeforeSecs: undefined,
    }
    assert.equal(await lost(), [row])
    // In its new block its log has another number.
    await claim(0, { ...owner, firstLog: 1 })
    assert.equal(await lost(), [])
    await reorganise(0)
    await forget({ ...row, lostAtBlock: 5n })
    assert.is((await lost()).length, 1)
    await forget(row)
    assert.equal(await lost(), [])
  })

  s('is listed in parts, each behind the last of the one before [17/lost-pages]', async () => {
    const { claim, reorganise } = await start()
    for (let tx = 0; tx < 5; tx += 1) await claim(tx % 2, { tx, proof: proofs.sender })
    const { listLost, listOpen } = store.payments
    const openOf = (limit: number, after?: PaymentBlock) =>
      listOpen({ chainId: 1, maxBlock: 9n, limit, after })
    const lostOf = (limit: number, after?: LostPayment) => listLost({ chainId: 1, limit, after })
    async function inParts<item>(
      listOf: (limit: number, after?: item) => Promise<readonly item[]>,
    ) {
      const found: item[] = []
      for (let part = await listOf(2); part.length > 0; part = await listOf(2, found.at(-1)))
        found.push(...part)
      assert.equal(found, await listOf(999))
      assert.ok(found.length >= 5, `${found.length}`)
    }
    await inParts(openOf)
    for (let tx = 0; tx < 5; tx += 1) await reorganise(tx)
    await inParts(lostOf)
  })

  s(
    'nobody who came later is the first to ask for what is looked for [attack/lost-first]',
    async () => {
      const { claim, spend, reorganise, moveUnseen, balance } = await start()
      const first = { tx: 0, proof: proofs.first }
      await claim(0, first)
      assert.ok(await spend(0, 3))
      for (const move of [reorganise, moveUnseen]) {
        await move(0)
        assert.is(await claim(1, first), undefined)
        assert.is(await claim(0, first), 10)
        assert.equal([(await balance(0)).remaining, (await balance(1)).total], [7, 0])
      }
      await reorganise(0)
      for (const lost of await store.payments.listLost({ chainId: 1, limit: 99 }))
        await store.payments.forget(lost)
      // What was given up is anybody's again, but for what was spent of it.
      assert.is(await claim(1, first), 7)
    },
  )
  s(
    'what was lost at the same head once more is looked for again [attack/lost-twice]',
    async () => {
      const { claim, reorganise, keyOf, txHash } = await start()
      const settled = { tx: 0, proof: proofs.settled, source: 'settled' }
      await claim(0, { ...settled, source: 'settled' })
      await claim(0, { tx: 0, proof: proofs.payer, firstLog: 1 })
      await reorganise(0)
      assert.is(await claim(0, { ...settled, endsSearch: true }), 10)
      const isLooked = async () => {
        const listed = await store.payments.listLost({ chainId: 1, limit: 99 })
        return listed.some((one) => one.txHash === txHash(0) && one.keyId === keyOf(0))
      }
      assert.not.ok(await isLooked())
      await reorganise(0)
      assert.ok(await isLooked())
    },
  )
  s(
    'who was the first to ask stays so where another payment of its own took the number [attack/lost-held]',
    async () => {
      const { claim, reorganise, txHash } = await start()
      const settled = { tx: 0, proof: proofs.settled, source: 'settled' }
      await claim(0, settled)
      await claim(0, { tx: 0, proof: proofs.first, firstLog: 1 })
      await reorganise(0)
      await claim(0, { ...settled, firstLog: 1 })
      const listed = await store.payments.listLost({ chainId: 1, limit: 99 })
      const held = listed.filter((one) => one.txHash === txHash(0)).map((one) => one.held)
      assert.equal(held, [new Map([[payer, proofs.first]])])
    },
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
