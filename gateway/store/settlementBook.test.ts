import {
  hashOf,
  hourMs,
  newSettlement,
  settlementSigner as signer,
  startSettling,
  txAt,
} from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Party } from './settlementParties.ts'
import type { SettlementBook, StoredSettlement } from './settlements.ts'

const dayMs = 24 * hourMs
const clean = { open: 0, failed: 0, lastFailedMs: undefined, settled: 0 }

/** What the book of a chain tells of who pays there, and which of its settlements it finds again. */
function addTests(engine: StoreEngine) {
  const s = suite(`the book of settlements on ${engine.name}`)
  s.after(engine.close)
  const { store } = engine
  const { settlements } = store
  const start = (chainId: number, keyId?: string) => startSettling(store, chainId, keyId)
  const read = (chainId: number, party: Party, nowMs: number) =>
    settlements.readBook({ chainId, signer, chainNonce: 7, nowMs, windowMs: hourMs, party })
  const end = (
    { id, txHash }: StoredSettlement,
    state: 'settled' | 'failed',
    given?: { readonly nowMs: number },
  ) => settlements.finish({ id, state, txHash, ...given })

  s('counts by key, payer and code what is open, failed and paid [teeth/parties]', async () => {
    const pay = await start(1)
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
  })

  s('forgets after a day who failed and who paid [teeth/parties]', async () => {
    const pay = await start(2)
    const party = { keyId: 'key 2', payer: undefined, payerCode: undefined }
    await end(await pay(1n, 1_000), 'settled')
    await end(await pay(1n, 1_000), 'failed', { nowMs: 1_000 })
    const at = async (nowMs: number) => (await read(2, party, nowMs)).parties.key
    assert.equal(await at(999 + dayMs), { open: 0, failed: 1, lastFailedMs: 1_000, settled: 1 })
    assert.equal(await at(1_000 + dayMs), clean)
  })

  s('a newcomer is who has never had a payment settled [teeth/newcomers]', async () => {
    const [pay, payKnown] = [await start(3, 'new 3'), await start(3, 'known 3')]
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
