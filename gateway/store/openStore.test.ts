import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { keccak256, stringToBytes } from 'viem'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore, type Store } from './openStore.ts'

const dir = mkdtempSync(join(tmpdir(), 'forkyard-store-'))
let count = 0

async function addKey(store: Store, quotes: number): Promise<string> {
  const id = `key_${++count}`
  await store.keys.insert(testKey(id))
  if (quotes > 0) await store.ledger.grant({ keyId: id, units: quotes, ref: 'test', atMs: 1 })
  return id
}

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

  s('lets exactly 10 of 40 parallel charges pass on a balance of 10', async () => {
    const keyId = await addKey(store, 10)
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.ledger.charge({ keyId, units: 1, ref: `r${index}`, atMs: 2 }),
      ),
    )
    assert.is(results.filter(({ status }) => status === 'charged').length, 10)
    assert.equal(await store.ledger.balance(keyId), { total: 10, used: 10, remaining: 0 })
  })
  s('charges 16 units all or nothing [store/all-or-nothing]', async () => {
    const keyId = await addKey(store, 15)
    const result = await store.ledger.charge({ keyId, units: 16, ref: 'r', atMs: 2 })
    assert.is(result.status, 'insufficient')
    assert.is((await store.ledger.balance(keyId)).remaining, 15)
  })
  s('gives a charge back and keeps both entries [store/given-back]', async () => {
    const keyId = await addKey(store, 5)
    const charge = { keyId, units: 2, ref: 'r', atMs: 2 }
    await store.ledger.charge(charge)
    await store.ledger.conclude({ ...charge, answer: undefined })
    assert.equal(await store.ledger.balance(keyId), { total: 5, used: 0, remaining: 5 })
    const entries = await store.ledger.entries(keyId, 10)
    assert.equal(
      entries.map(({ kind, units }) => [kind, units]),
      [
        ['refund', 2],
        ['charge', -2],
        ['grant', 5],
      ],
    )
  })
  s('leaves one row for all refunds of a minute, and the books even', async () => {
    const keyId = await addKey(store, 5)
    for (let at = 0; at < 500; at++) {
      const charge = { keyId, units: 2, ref: `r${at}`, atMs: 1_000_000 + at }
      await store.ledger.charge(charge)
      await store.ledger.conclude({ ...charge, answer: undefined })
    }
    assert.equal(await store.ledger.balance(keyId), { total: 5, used: 0, remaining: 5 })
    const kinds = async () =>
      (await store.ledger.entries(keyId, 1_000)).map(({ kind, ref }) => [kind, ref])
    assert.equal(await kinds(), [
      ['refund', 'r0'],
      ['charge', 'r0'],
      ['grant', 'test'],
    ])
    // A charge that stands stays, and the next minute has a row of its own.
    const kept = { keyId, units: 1, ref: 'kept', atMs: 1_059_000 }
    await store.ledger.charge(kept)
    await store.ledger.conclude({ ...kept, answer: { status: 200, body: '' } })
    const next = { keyId, units: 2, ref: 'next', atMs: 1_060_000 }
    await store.ledger.charge(next)
    await store.ledger.conclude({ ...next, answer: undefined })
    assert.equal((await kinds()).slice(0, 3), [
      ['refund', 'next'],
      ['charge', 'next'],
      ['charge', 'kept'],
    ])
    assert.equal(await store.ledger.audit(), [])
  })
  s('gives nothing to a key that there is not [store/no-key]', async () => {
    const grant = { keyId: 'nobody', units: 5, ref: 'r', atMs: 1 }
    const failed = await store.ledger.grant(grant).catch((cause: Error) => cause.message)
    assert.is(failed, 'there is no key nobody')
    assert.equal(await store.ledger.entries('nobody', 9), [])
  })
  s('has nothing to conclude of what was answered without an Idempotency-Key', async () => {
    const keyId = await addKey(store, 5)
    const charge = { keyId, units: 2, ref: 'r', atMs: 1 }
    await store.ledger.charge(charge)
    assert.is(await store.ledger.conclude({ ...charge, answer: { status: 200, body: '' } }), true)
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
  s('keeps the ledger append-only', async () => {
    await addKey(store, 1)
    for (const statement of ['UPDATE ledger SET units = 99', 'DELETE FROM ledger'])
      await engine.store.execute(statement).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, /append-only/),
      )
  })
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
  s('answers an Idempotency-Key once: stored answer, running, other body', async () => {
    const keyId = await addKey(store, 5)
    const idempotency = { key: 'i', fingerprint: Buffer.from('f') }
    const charge = { keyId, units: 1, ref: 'r', atMs: 1_000, idempotency }
    assert.is((await store.ledger.charge(charge)).status, 'charged')
    assert.is((await store.ledger.charge(charge)).status, 'in_progress')
    await store.ledger.conclude({ ...charge, answer: { status: 200, body: '{}' } })
    assert.equal(await store.ledger.charge(charge), {
      status: 'answered',
      answer: { status: 200, body: '{}' },
    })
    const other = { ...charge, idempotency: { ...idempotency, fingerprint: Buffer.from('g') } }
    assert.is((await store.ledger.charge(other)).status, 'mismatch')
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })
  s('forgets an Idempotency-Key whose request failed', async () => {
    const keyId = await addKey(store, 5)
    const idempotency = { key: 'i', fingerprint: Buffer.from('f') }
    const charge = { keyId, units: 1, ref: 'r', atMs: 1_000, idempotency }
    await store.ledger.charge(charge)
    await store.ledger.conclude({ ...charge, answer: undefined })
    assert.is((await store.ledger.charge(charge)).status, 'charged')
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })

  s('charges once for a request whose process died, however often its clock jumps', async () => {
    const keyId = await addKey(store, 5)
    const idempotency = { key: 'i', fingerprint: Buffer.from('f') }
    const charge = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency }
    await store.ledger.charge(charge)
    const later = { ...charge, atMs: 3_600_000 }
    assert.is((await store.ledger.charge(later)).status, 'charged')
    assert.is((await store.ledger.balance(keyId)).used, 2)
    await store.ledger.conclude({ ...later, answer: undefined })
    await store.ledger.conclude({ ...charge, answer: undefined })
    assert.is((await store.ledger.balance(keyId)).used, 0)
  })
  s('gives back a failed request that was running when a clock jumped by a day', async () => {
    const keyId = await addKey(store, 5)
    const named = (key: string) => ({ key, fingerprint: Buffer.from('f'), holder: key })
    const running = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: named('running') }
    const next = { keyId, units: 1, ref: 'n', atMs: 25 * 3_600_000, idempotency: named('next') }
    assert.is((await store.ledger.charge(running)).status, 'charged')
    assert.is((await store.ledger.charge(next)).status, 'charged')
    await store.ledger.conclude({ ...running, atMs: next.atMs, answer: undefined })
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })
  s('remembers an answer for a day', async () => {
    const keyId = await addKey(store, 5)
    const named = (key: string) => ({ key, fingerprint: Buffer.from('f'), holder: key })
    const first = { keyId, units: 1, ref: 'a', atMs: 1_000, idempotency: named('first') }
    await store.ledger.charge(first)
    await store.ledger.conclude({ ...first, answer: { status: 200, body: '{}' } })
    const dayMs = 24 * 3_600_000
    const at = async (key: string, atMs: number) =>
      (await store.ledger.charge({ ...first, atMs, idempotency: named(key) })).status
    assert.is(await at('second', dayMs + 1_000), 'charged')
    assert.is(await at('first', dayMs + 1_000), 'answered')
    assert.is(await at('third', dayMs + 1_001), 'charged')
    assert.is(await at('first', dayMs + 1_001), 'charged')
  })
  s(
    'gives nothing back for a late first request that another has taken over [18/fenced]',
    async () => {
      const keyId = await addKey(store, 5)
      const named = (holder: string) => ({ key: 'i', fingerprint: Buffer.from('f'), holder })
      const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: named('first') }
      const second = { ...first, atMs: 3_600_000, idempotency: named('second') }
      assert.is((await store.ledger.charge(first)).status, 'charged')
      assert.is((await store.ledger.charge(second)).status, 'charged')
      await store.ledger.conclude({ ...first, answer: undefined })
      assert.is((await store.ledger.balance(keyId)).used, 2)
      assert.ok(await store.ledger.conclude({ ...first, answer: { status: 200, body: 'late' } }))
      assert.ok(await store.ledger.conclude({ ...second, answer: { status: 200, body: 'second' } }))
      const again = await store.ledger.charge({ ...second, atMs: 3_600_001 })
      assert.is(again.status === 'answered' && again.answer.body, 'late')
    },
  )
  s('keeps the charge of what a late first request answers when the second fails', async () => {
    const keyId = await addKey(store, 5)
    const named = (holder: string) => ({ key: 'i', fingerprint: Buffer.from('f'), holder })
    const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: named('first') }
    const second = { ...first, atMs: 3_600_000, idempotency: named('second') }
    await store.ledger.charge(first)
    await store.ledger.charge(second)
    assert.ok(await store.ledger.conclude({ ...first, answer: { status: 200, body: 'late' } }))
    await store.ledger.conclude({ ...second, answer: undefined })
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
  s('says that a late answer is not paid when its charge was given back meanwhile', async () => {
    const keyId = await addKey(store, 5)
    const named = (holder: string, of = 'f') => ({ key: 'i', fingerprint: Buffer.from(of), holder })
    const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: named('first') }
    const second = { ...first, atMs: 3_600_000, idempotency: named('second') }
    const answer = { status: 200, body: 'late' }
    await store.ledger.charge(first)
    await store.ledger.charge(second)
    await store.ledger.conclude({ ...second, answer: undefined })
    assert.not.ok(await store.ledger.conclude({ ...first, answer }))
    // Nor by the charge of another request under its name.
    await store.ledger.charge({ ...second, idempotency: named('third', 'g') })
    assert.not.ok(await store.ledger.conclude({ ...first, answer }))
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
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
