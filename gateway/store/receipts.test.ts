import { getAddress } from 'viem'
import { hashOf, startSettling } from '../../fixtures/store/settle.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { proofs } from './payments.ts'
import type { StoredSettlement } from './settlements.ts'

const address = getAddress('0x000000000000000000000000000000000000aaaa')

function addTests({ name, store, close }: StoreEngine) {
  const s = suite(`store/receipts on ${name}`)
  s.after(close)
  const { receipts, payments, settlements, ledger, keys } = store

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
  s('finds settlements by key, payer and transaction [store/settlement-receipts]', async () => {
    const settle = await startSettling(store, 2)
    const [failed, sent] = [await settle(1n, 1_000), await settle(2n, 2_000)]
    const { id, txHash } = failed
    await settlements.finish({ id, txHash, state: 'failed', reason: 'why', nowMs: 3_000 })
    const toReceipt = ({ asset, payer, signerNonce, ...rest }: StoredSettlement) => ({
      id: rest.id,
      chainId: 2,
      asset: getAddress(asset),
      payer: getAddress(payer),
      keyId: 'key 2',
      txHash: rest.txHash,
      signerNonce,
    })
    const all = [
      { ...toReceipt(sent), state: 'sent', reason: undefined, createdAtMs: 2_000 },
      { ...toReceipt(failed), state: 'failed', reason: 'why', createdAtMs: 1_000 },
    ] as const
    const find = (search: string, limit = 9) => receipts.listSettlements({ search, limit })
    assert.equal(await find('KEY 2'), all)
    assert.equal(await find('key 2', 1), all.slice(0, 1))
    for (const search of [getAddress(failed.payer), txHash])
      assert.equal(await find(search), all.slice(1))
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
