import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { keccak256, stringToBytes } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { addKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore } from './openStore.ts'

const dir = mkdtempSync(join(tmpdir(), 'forkyard-store-'))

const block = { chainId: 1, blockNumber: 5n, atMs: 1 } as const
const txHash = keccak256('0x01')
const pay = (logIndex: number, quotes: number, proof: 1 | 2 | 3 | 4 | 5) => ({
  logIndex,
  quotes,
  proof,
  payer: '0x0000000000000000000000000000000000000001' as const,
  amount: BigInt(quotes) * 100n,
  source: String(logIndex),
})

function addTests(engine: StoreEngine) {
  const s = suite(`store on ${engine.name}`)
  const { store } = engine
  s.after(engine.close)

  s(
    'shares one transaction among the writes of a turn, and refuses only the one at fault',
    async () => {
      const keyId = await addKey(store, 3)
      const writes = await Promise.allSettled([
        store.ledger.charge({ keyId, units: 1, ref: 'a', atMs: 2 }),
        store.ledger.grant({ keyId: 'nobody', units: 1, ref: 'b', atMs: 2 }),
        store.ledger.charge({ keyId, units: 1, ref: 'c', atMs: 2 }),
      ])
      assert.equal(
        writes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.is((await store.ledger.balance(keyId)).remaining, 1)
    },
  )
  s(
    'grants what is free once for a wallet, and remembers who was barred [18/free-once]',
    async () => {
      const wallet = '0x00000000000000000000000000000000000f4ee1' as const
      const add = async (id: string) => {
        await store.keys.insert({
          id,
          idHash: keccak256(stringToBytes(id)),
          secretHash: Buffer.from(id),
          start: 'x',
          label: '',
          wallet,
          scopes: ['quote'],
          createdAtMs: 1,
          freeQuotes: 7,
        })
        return (await store.ledger.balance(id)).remaining
      }
      assert.is(await add('free 1'), 7)
      await store.keys.revoke({ id: 'free 1', atMs: 2 })
      assert.is(await store.keys.findAbuse(wallet), undefined)
      assert.is(await add('free 2'), 0)
      await store.keys.revoke({ id: 'free 2', atMs: 3, abuse: 'burned gas' })
      assert.is(await store.keys.findAbuse(wallet), 'burned gas')
    },
  )
  s('credits a payment once, to the stronger proof', async () => {
    const [first, owner] = [await addKey(store, 0), await addKey(store, 0)]
    const at = { ...block, txHash, blockHash: keccak256('0x0a') }
    const credit = (keyId: string, proof: 1 | 3) =>
      store.payments.credit({ ...at, keyId, payments: [pay(0, 7, proof)] })
    assert.is(await credit(first, 1), 7)
    assert.is(await credit(first, 1), 7)
    assert.is((await store.ledger.balance(first)).remaining, 7)
    assert.is(await credit(owner, 3), 7)
    assert.is((await store.ledger.balance(first)).remaining, 0)
    assert.is((await store.ledger.balance(owner)).remaining, 7)
    assert.is(await credit(first, 1), undefined)
  })
  s(
    'takes a reorganised payment back, below zero if need be, and credits it again elsewhere [claims/below-zero]',
    async () => {
      const keyId = await addKey(store, 0)
      const hash = keccak256('0x02')
      const credit = (blockHash: `0x${string}`, logIndex: number) =>
        store.payments.credit({
          ...block,
          txHash: hash,
          blockHash,
          keyId,
          payments: [{ ...pay(logIndex, 7, 5), source: keyId }],
        })
      await credit(keccak256('0x0a'), 0)
      await store.ledger.charge({ keyId, units: 3, ref: 'r', atMs: 1 })
      await store.payments.orphan({
        chainId: 1,
        txHash: hash,
        blockHash: keccak256('0x0a'),
        headBlock: 9n,
        atMs: 1,
      })
      const lost = () => store.payments.listLost({ chainId: 1, limit: 9 })
      const payment = {
        chainId: 1,
        txHash: hash,
        keyId,
        blockNumber: 5n,
        lostAtBlock: 9n,
        held: new Map(),
      }
      assert.equal(await lost(), [{ ...payment, validBeforeSecs: undefined }])
      assert.equal(await store.ledger.balance(keyId), { total: 0, used: 3, remaining: -3 })
      assert.is(
        (await store.ledger.charge({ keyId, units: 1, ref: 'r', atMs: 1 })).status,
        'insufficient',
      )
      await credit(keccak256('0x0b'), 4)
      assert.is((await store.ledger.balance(keyId)).remaining, 4)
      assert.equal(await lost(), [])
      const other = await addKey(store, 0)
      const at = { ...block, txHash: hash, blockHash: keccak256('0x0b') }
      await store.payments.credit({ ...at, keyId: other, payments: [pay(5, 2, 5)] })
      await credit(keccak256('0x0c'), 1)
      assert.is((await store.ledger.balance(keyId)).remaining, 4)
      // What the same transaction paid for another key is not forgotten.
      const [left] = await lost()
      assert.equal(left, {
        chainId: 1,
        txHash: hash,
        keyId: other,
        blockNumber: 5n,
        lostAtBlock: 5n,
        held: new Map(),
        validBeforeSecs: undefined,
      })
      if (left) await store.payments.forget({ ...left, lostAtBlock: 4n })
      assert.is((await lost()).length, 1)
      if (left) await store.payments.forget(left)
      assert.equal(await lost(), [])
    },
  )
  s('finds every balance equal to the sum of its ledger', async () => {
    assert.equal(await store.ledger.audit(), [])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const files = suite('store in a SQLite file')
files.after(() => rmSync(dir, { recursive: true }))

files(
  'refuses a charge that the disk has no room for, and keeps what it acknowledged [store/durable]',
  async () => {
    const full = openStore({ path: join(dir, 'full.db') })
    const keyId = await addKey(full, 1_000_000)
    const pages = Number(full.db.pragma('page_count', { simple: true }))
    full.db.pragma(`max_page_count = ${pages + 3}`)
    let acked = 0
    const fill = async () => {
      for (;;) {
        await full.ledger.charge({ keyId, units: 1, ref: 'x'.repeat(200), atMs: 2 })
        acked++
      }
    }
    await fill().then(
      () => assert.unreachable(),
      (error: { code?: string }) => assert.is(error.code, 'SQLITE_FULL'),
    )
    assert.ok(acked > 10)
    assert.is((await full.ledger.balance(keyId)).used, acked)
    assert.equal(await full.ledger.audit(), [])
    full.close()
  },
)

files('keeps everything in its file, migrated once', async () => {
  const path = join(dir, 'a.db')
  const first = openStore({ path })
  const keyId = await addKey(first, 4)
  first.close()
  const second = openStore({ path })
  assert.is((await second.ledger.balance(keyId)).remaining, 4)
  assert.is(second.db.pragma('journal_mode', { simple: true }), 'wal')
  assert.is(second.db.pragma('synchronous', { simple: true }), 2)
  second.close()
})
files('waits for whoever opens the same new file at that moment', async () => {
  const path = join(dir, 'new.db')
  const other = new Worker(
    `const Database = require('better-sqlite3')
     const { parentPort, workerData } = require('node:worker_threads')
     const db = new Database(workerData)
     db.exec('BEGIN IMMEDIATE; CREATE TABLE other (id INTEGER)')
     parentPort.postMessage('begun')
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
     db.exec('COMMIT')
     db.close()`,
    { eval: true, workerData: path },
  )
  const ended = once(other, 'exit')
  await once(other, 'message')
  const store = openStore({ path })
  assert.is(store.db.pragma('journal_mode', { simple: true }), 'wal')
  store.close()
  assert.equal(await ended, [0])
})
files.run()
