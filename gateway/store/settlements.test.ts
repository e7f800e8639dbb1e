import {
  hashOf,
  settlementSigner as signer,
  startSettling,
  txAt,
  hourMs as windowMs,
} from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proofs } from './payments.ts'
import type { SettlementBook } from './settlements.ts'

function addTests(engine: StoreEngine) {
  const book = suite(`settlements on ${engine.name}`)
  book.after(engine.close)
  const { store } = engine
  /** Each test has a chain, hence a book, of its own. */
  const startBook = (chainId: number) => startSettling(store, chainId)

  book('a raise is told what all others cost, and counts in the hour it is signed in', async () => {
    const pay = await startBook(1)
    const early = await pay(100n, 1_000)
    await pay(7n, 3_000_000)
    const books: SettlementBook[] = []
    const look = (nowMs: number) =>
      store.settlements.raise(early, { nowMs, windowMs }, (read) => {
        books.push(read)
        return undefined
      })
    assert.is((await look(3_500_000)).txHash, early.txHash)
    const raised = await store.settlements.raise(early, { nowMs: 3_500_000, windowMs }, () =>
      txAt(200n),
    )
    assert.equal([raised.txHash, raised.signedAtMs], [txAt(200n).txHash, 3_500_000])
    assert.equal([raised.signerNonce, raised.nonce], [early.signerNonce, early.nonce])
    // Another one sees the raised price, an hour after the first signature as well.
    const last = await pay(1n, 4_000_000)
    await store.settlements.raise(last, { nowMs: 4_000_000, windowMs }, (read) => {
      books.push(read)
      return undefined
    })
    assert.equal(
      books.map(({ count, spendWei }) => [count, spendWei]),
      [
        [1, 70n],
        [2, 2_070n],
      ],
    )
  })

  book(
    'a book in which nobody has written has the time of who asks [store/empty-book]',
    async () => {
      const party = { keyId: 'nobody', payer: undefined, payerCode: undefined }
      const asked = { chainId: 77, signer, chainNonce: 3, windowMs, party }
      const read = (nowMs: number) => store.settlements.readBook({ ...asked, nowMs })
      const { nowMs, count, nextNonce } = await read(5_000)
      assert.equal([nowMs, count, nextNonce], [5_000, 0, 3])
      await (await startBook(77))(1n, 9_000)
      const written = await read(5_000)
      assert.equal([written.nowMs, written.count, written.nextNonce], [9_000, 1, 8])
    },
  )

  book(
    'is open again where its payment is taken back, and no other is [teeth/reopened]',
    async () => {
      const chainId = 41
      const pay = await startBook(chainId)
      const [settlement, other] = [await pay(1n, 1_000), await pay(1n, 2_000)]
      const blockHash = hashOf('its block')
      const credit = ({ txHash, payer }: typeof settlement, hash: typeof blockHash) =>
        store.payments.credit({
          chainId,
          txHash,
          blockNumber: 5n,
          blockHash: hash,
          keyId: `key ${chainId}`,
          payments: [
            { logIndex: 0, payer, amount: 1n, quotes: 1, proof: proofs.settled, source: payer },
          ],
          atMs: 1,
        })
      for (const one of [settlement, other]) {
        await credit(one, blockHash)
        await store.settlements.finish({ id: one.id, state: 'settled', txHash: one.txHash })
      }
      const orphan = (hash: typeof blockHash) =>
        store.payments.orphan({
          chainId,
          txHash: settlement.txHash,
          blockHash: hash,
          headBlock: 6n,
          atMs: 3_000,
        })
      const stateOf = async (one: typeof settlement) => (await store.settlements.find(one))?.state
      await orphan(hashOf('another block'))
      assert.equal([await stateOf(settlement), await stateOf(other)], ['settled', 'settled'])
      await orphan(blockHash)
      assert.equal([await stateOf(settlement), await stateOf(other)], ['sent', 'settled'])
      // A claim that sees another block takes it back as well.
      await credit(other, hashOf('its next block'))
      assert.equal([await stateOf(settlement), await stateOf(other)], ['sent', 'sent'])
    },
  )

  book('of two processes that raise the same settlement the first one counts', async () => {
    const pay = await startBook(2)
    const seen = await pay(100n, 1_000)
    const times = { nowMs: 70_000, windowMs }
    const both = await Promise.all([
      store.settlements.raise(seen, times, () => txAt(113n, hashOf('one'))),
      store.settlements.raise(seen, times, () => txAt(113n, hashOf('other'))),
    ])
    assert.is(both[0].txHash, both[1].txHash)
    const [kept] = await store.settlements.listOpen(2)
    assert.is(kept?.txHash, both[0].txHash)
  })
  book('bytes raised after a payment was settled leave the hash that settled it', async () => {
    const pay = await startBook(3)
    const seen = await pay(100n, 1_000)
    await store.settlements.finish({ id: seen.id, state: 'settled', txHash: seen.txHash })
    const times = { nowMs: 70_000, windowMs }
    await store.settlements.raise(seen, times, () => txAt(113n, hashOf('late')))
    const kept = await store.settlements.find(seen)
    assert.equal([kept?.txHash, kept?.rawTx], [seen.txHash, hashOf('late')])
  })
  book('the end of a settlement that succeeded sets no clock', async () => {
    const pay = await startBook(5)
    const { id, txHash } = await pay(100n, 1_000)
    await store.settlements.finish({ id, state: 'settled', txHash, nowMs: 90_000_000 })
    assert.is(await store.clock.readClock(5), 1_000)
  })
  book(
    'the lowest caps of those heard of late stand in the book, and deployments have their own',
    async () => {
      const pay = await startBook(4)
      const seen = await pay(1n, 1_000)
      const tell = (gateway: string, maxPerHour: number, nowMs: number) =>
        store.settlements.tellCaps({
          chainId: 4,
          gateway,
          maxPerHour,
          maxSpendPerHourWei: BigInt(1_000 - maxPerHour),
          nowMs,
        })
      await store.relay.tellCaps({
        chainId: 4,
        gateway: 'relay',
        maxPerHour: 1,
        maxSpendPerHourWei: 1n,
        nowMs: 1_000,
      })
      assert.equal(await tell('high', 9, 1_000), { maxPerHour: 9, maxSpendPerHourWei: 991n })
      assert.equal(await tell('low', 3, 1_000), { maxPerHour: 3, maxSpendPerHourWei: 991n })
      let held: SettlementBook['lowestCaps']
      await store.settlements.raise(seen, { nowMs: 2_000, windowMs }, ({ lowestCaps }) => {
        held = lowestCaps
        return undefined
      })
      assert.equal(held, { maxPerHour: 3, maxSpendPerHourWei: 991n })
      assert.equal(await tell('high', 9, 122_000), { maxPerHour: 9, maxSpendPerHourWei: 991n })
    },
  )
  book.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
