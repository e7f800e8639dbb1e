import {
  hashOf,
  hourMs,
  newSettlement,
  openBook,
  settlementSigner as signer,
  startSettling,
  txAt,
} from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { SettlementBook } from './settlements.ts'

const clean = { open: 0, failed: 0, lastFailedMs: undefined, settled: 0 }

/** What the book of a chain tells of who pays there, and which of its settlements it finds again. */
function addTests(engine: StoreEngine) {
  const s = suite(`the book of settlements on ${engine.name}`)
  s.after(engine.close)
  const { store } = engine
  const { settlements } = store
  const start = (chainId: number, keyId?: string) => startSettling(store, chainId, keyId)
  const { end } = openBook(store)

  s(
    'an authorization that is known is returned as it is, and nothing is signed [teeth/settlements-kept]',
    async () => {
      const asked = newSettlement({ chainId: 4, keyId: 'key 4', createdAtMs: 1_000 })
      const pay = await start(4)
      const first = await pay(1n, 1_000, asked)
      const again = await settlements.reserve<never>(asked, () => {
        throw new Error('it is signed again')
      })
      assert.equal(again, { settlement: first })
      assert.is(first.signerNonce, 7)
      assert.is((await pay(1n, 1_000)).signerNonce, 8)
    },
  )

  s('what is refused is kept nowhere [teeth/settlements-kept]', async () => {
    await start(5)
    const asked = newSettlement({ chainId: 5, keyId: 'key 5', createdAtMs: 1_000 })
    const refusal = { refusal: 'why' }
    assert.equal(await settlements.reserve(asked, () => refusal), refusal)
    assert.is(await settlements.find(asked), undefined)
    assert.is(await settlements.findKey(asked), undefined)
  })

  s(
    'finds settlements by authorization, signer, nonce and failure [teeth/settlements-found]',
    async () => {
      const pay = await start(6)
      const [first, second, third] = [
        await pay(1n, 1_000),
        await pay(1n, 1_000),
        await pay(1n, 1_000),
      ]
      assert.is(await settlements.findKey(second), 'key 6')
      assert.equal(await settlements.find(second), second)
      assert.equal([second.payerCode, second.reason], [undefined, undefined])
      assert.equal(await settlements.listSigners(6), [signer])
      assert.equal(await settlements.listSigners(66), [])
      assert.equal(await settlements.listOpen(6), [first, second, third])
      await end(second, 'failed', { nowMs: 5_000 })
      await end(third, 'settled')
      assert.equal(await settlements.listOpen(6), [first])
      const unmined = (chainNonce: number) =>
        settlements.listUnmined({
          chainId: 6,
          signer: `0x${signer.slice(2).toUpperCase()}`,
          chainNonce,
        })
      assert.equal(
        (await unmined(8)).map(({ id }) => id),
        [second.id, third.id],
      )
      const failedAt = async (nowMs: number) =>
        (await settlements.listFailed({ chainId: 6, nowMs, windowMs: hourMs })).map(({ id }) => id)
      assert.equal(await failedAt(4_999 + hourMs), [second.id])
      assert.equal(await failedAt(5_000 + hourMs), [])
    },
  )

  s('raises nothing that is not there [teeth/settlements-kept]', async () => {
    const pay = await start(7)
    const known = await pay(1n, 1_000)
    const unknown = { ...known, nonce: hashOf('unknown') }
    const times = { nowMs: 2_000, windowMs: hourMs }
    assert.is(await settlements.raise(unknown, times, () => txAt(9n)), unknown)
    assert.equal(await settlements.find(known), known)
  })

  s(
    'tells of all that is open but what is raised, and of the nonce that is next [teeth/settlements-kept]',
    async () => {
      const pay = await start(8)
      const [first] = [await pay(2n, 1_000), await pay(3n, 1_000)]
      let told: SettlementBook | undefined
      await settlements.raise(first, { nowMs: 2_000, windowMs: hourMs }, (book) => {
        told = book
        return undefined
      })
      assert.equal([told?.count, told?.spendWei, told?.nextNonce], [1, 30n, 9])
      assert.equal([told?.newcomers.isOne, told?.parties.key], [true, clean])
    },
  )
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
