import { getAddress } from 'viem'
import { hashOf, startSettling } from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proofs } from './payments.ts'

const address = getAddress('0x000000000000000000000000000000000000aaaa')

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`challenges, receipts and what counts for how long on ${name}`)
  s.after(close)
  const { challenges, receipts, payments, ledger, keys } = store
  const challengeOf = (nonce: string, expiresAtMs: number) => ({
    nonce,
    address,
    chainId: 1,
    message: `sign ${nonce}`,
    expiresAtMs,
  })
  const add = (nonce: string, nowMs: number, expiresAtMs: number) =>
    challenges.insert({ nowMs }, (atMs) => ({
      ...challengeOf(nonce, expiresAtMs),
      message: `${atMs}`,
    }))

  s('keeps a challenge until it expires, and lets it be used once [teeth/challenges]', async () => {
    const kept = await add('a', 5, 100)
    assert.equal(kept, { ...challengeOf('a', 100), message: '5' })
    assert.equal(await challenges.find({ nonce: 'a', nowMs: 99 }), kept)
    assert.is(await challenges.find({ nonce: 'a', nowMs: 100 }), undefined)
    assert.is(await challenges.find({ nonce: 'b', nowMs: 5 }), undefined)
    assert.equal([await challenges.use('a'), await challenges.use('a')], [true, false])
    assert.is(await challenges.find({ nonce: 'a', nowMs: 5 }), undefined)
  })
  s('forgets those that have expired when another comes [teeth/challenges]', async () => {
    await add('old', 5, 50)
    await add('next', 50, 90)
    assert.is((await challenges.find({ nonce: 'old', nowMs: 5 }))?.nonce, 'old')
    await add('last', 51, 90)
    assert.is(await challenges.find({ nonce: 'old', nowMs: 5 }), undefined)
  })
  s('sums what was ever paid, by chain and what became of it [teeth/receipts-sums]', async () => {
    const none = { credited: 0, used: 0 }
    assert.equal(await receipts.readQuota(), none)
    assert.equal(await receipts.readSums(), { quota: none, payments: [], settlements: [] })
    await keys.insert(testKey('payer'))
    const block = { chainId: 1, blockNumber: 5n, blockHash: hashOf('block') }
    const pay = (txHash: `0x${string}`, quotes: number) =>
      payments.credit({
        ...block,
        txHash,
        keyId: 'payer',
        atMs: 9,
        payments: [
          {
            logIndex: 3,
            payer: address,
            amount: 700n,
            quotes,
            proof: proofs.payer,
            source: address,
          },
        ],
      })
    await pay(hashOf('one'), 7)
    await pay(hashOf('two'), 5)
    assert.equal(await payments.listOpen({ chainId: 1, maxBlock: 4n, limit: 9 }), [])
    const [open] = await payments.listOpen({ chainId: 1, maxBlock: 5n, limit: 1 })
    assert.equal(open, { ...block, txHash: open?.txHash })
    await payments.finish({ ...block, txHash: hashOf('one'), blockHash: hashOf('other') })
    await payments.finish({ ...block, txHash: hashOf('two') })
    await ledger.charge({ keyId: 'payer', units: 2, ref: 'r', atMs: 10 })
    const settle = await startSettling(store, 1, 'settling')
    await settle(1n, 1_000)
    assert.equal(await receipts.readSums(), {
      quota: { credited: 12, used: 2 },
      payments: [
        { chainId: 1, state: 'credited', count: 1, units: 7 },
        { chainId: 1, state: 'final', count: 1, units: 5 },
      ],
      settlements: [{ chainId: 1, state: 'sent', count: 1, units: 0 }],
    })
    const [receipt] = await receipts.listPayments({ search: hashOf('one'), limit: 9 })
    const { blockNumber } = block
    const rest = {
      chainId: 1,
      logIndex: 3,
      blockNumber,
      keyId: 'payer',
      state: 'credited' as const,
    }
    const paid = { payer: address, amount: 700n, quotes: 7, atMs: 9 }
    assert.equal(receipt, { ...rest, ...paid, txHash: hashOf('one') })
  })
  s('knows what others were given for two minutes after they said it [teeth/told]', async () => {
    const settings = (gateway: string, nowMs: number) =>
      store.gatewaySettings.tell({ gateway, settings: `of ${gateway}`, nowMs })
    assert.equal(await settings('a', 1_000), [])
    assert.equal(await settings('b', 121_000), ['of a'])
    assert.equal(await settings('c', 121_001), ['of b'])
    await store.gatewaySettings.forget('b')
    assert.equal(await settings('c', 121_001), [])
    async function caps(gateway: string, nowMs: number, maxPerHour: number) {
      const given = { maxPerHour, maxSpendPerHourWei: 9n }
      return (await store.relay.tellCaps({ chainId: 7, gateway, nowMs, ...given })).maxPerHour
    }
    assert.is(await caps('a', 1_000, 3), 3)
    assert.is(await caps('b', 121_000, 5), 3)
    assert.is(await caps('b', 121_001, 5), 5)
  })
  s('takes a request for dead a minute after it began, and not before [teeth/dead]', async () => {
    const keyId = 'dead'
    await keys.insert(testKey(keyId))
    await ledger.grant({ keyId, units: 5, ref: 'g', atMs: 1 })
    async function charge(atMs: number) {
      const idempotency = { key: 'i', fingerprint: Buffer.from('f'), holder: `${atMs}` }
      return (await ledger.charge({ keyId, units: 2, ref: 'r', atMs, idempotency })).status
    }
    assert.equal([await charge(1_000), await charge(60_999)], ['charged', 'in_progress'])
    // Whoever takes it over begins anew.
    assert.equal([await charge(61_000), await charge(120_999)], ['charged', 'in_progress'])
    assert.is((await ledger.balance(keyId)).used, 2)
  })
  s('has one row for the refunds of a minute, to the millisecond [teeth/one-row]', async () => {
    const keyId = 'refunded'
    await keys.insert(testKey(keyId))
    await ledger.grant({ keyId, units: 5, ref: 'g', atMs: 1 })
    async function refund(atMs: number) {
      const charge = { keyId, units: 2, ref: `at ${atMs}`, atMs }
      await ledger.charge(charge)
      await ledger.conclude({ ...charge, answer: undefined })
      return (await ledger.entries(keyId, 9)).filter(({ kind }) => kind === 'refund').length
    }
    const rows = [await refund(1_000), await refund(60_999), await refund(61_000)]
    assert.equal(rows, [1, 1, 2])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
