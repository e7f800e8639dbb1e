import { createScriptedPool, nothing, rowsOf } from '../../fixtures/store/scriptedPool.ts'
import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { addKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createLedger, lockBalances } from './ledger.ts'
import { openStore } from './openStore.ts'
import { createPostgresEngine } from './postgresEngine.ts'

function addTests(engine: StoreEngine) {
  const s = suite(`store/ledger on ${engine.name}`)
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
    assert.is(await store.ledger.conclude({ ...charge, answer: undefined }), true)
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
  s('has one row for the refunds of a minute, to the millisecond [teeth/one-row]', async () => {
    const keyId = await addKey(store, 5)
    async function refund(atMs: number) {
      const charge = { keyId, units: 2, ref: `at ${atMs}`, atMs }
      await store.ledger.charge(charge)
      await store.ledger.conclude({ ...charge, answer: undefined })
      return (await store.ledger.entries(keyId, 9)).filter(({ kind }) => kind === 'refund').length
    }
    const rows = [await refund(1_000), await refund(60_999), await refund(61_000)]
    assert.equal(rows, [1, 1, 2])
  })
  s('gives nothing to a key that there is not [store/no-key]', async () => {
    const grant = { keyId: 'nobody', units: 5, ref: 'r', atMs: 1 }
    const failed = await store.ledger.grant(grant).catch((cause: Error) => cause.message)
    assert.is(failed, 'there is no key nobody')
    assert.equal(await store.ledger.entries('nobody', 9), [])
    assert.equal(await store.ledger.balance('nobody'), { total: 0, used: 0, remaining: 0 })
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
  s('says what is left after a grant, and names whose entries do not come to that', async () => {
    const keyId = await addKey(store, 5)
    await store.ledger.charge({ keyId, units: 2, ref: 'r', atMs: 2 })
    const grant = { keyId, units: 4, ref: 'more', atMs: 3 }
    assert.equal(await store.ledger.grant(grant), { total: 9, used: 2, remaining: 7 })
    assert.equal(await store.ledger.audit(), [])
    await store.execute(`UPDATE balances SET total = total + 1 WHERE key_id = '${keyId}'`)
    assert.equal(await store.ledger.audit(), [keyId])
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)

const s = suite('store/ledger by itself')

s('locks the balances of several keys in one order, each once', () => {
  const program = lockBalances(['b', 'a', 'b'])
  const asked: unknown[] = []
  let step = program.next()
  while (!step.done) {
    if (step.value.kind !== 'query') throw new Error(step.value.kind)
    const { text, values } = step.value
    asked.push([text.postgres.endsWith(' FOR NO KEY UPDATE'), ...values])
    step = program.next({ rows: [{ total: 10 * asked.length, used: 1 }], changes: 1 })
  }
  assert.equal(asked, [
    [true, 'a'],
    [true, 'b'],
  ])
  assert.equal(step.value, [
    ['a', { total: 10, used: 1, remaining: 9 }],
    ['b', { total: 20, used: 1, remaining: 19 }],
  ])
})
s('has the name of whoever takes over what has died', async () => {
  const store = openStore({ path: ':memory:' })
  const keyId = await addKey(store, 9)
  const asked = (atMs: number, fence: string) => {
    const idempotency = { key: 'i', fingerprint: Buffer.from('f'), holder: fence }
    return { keyId, units: 2, ref: 'r', atMs, fence, idempotency }
  }
  for (const charge of [asked(2_000, 'first'), asked(62_000, 'second')])
    assert.is((await store.ledger.charge(charge)).status, 'charged')
  // Both are taken: nothing is given back by either.
  const failed = { keyId, units: 2, ref: 'r', atMs: 1, answer: undefined }
  for (const fence of ['first', 'second'])
    assert.is(await store.ledger.conclude({ ...failed, fence }), true)
  assert.is((await store.ledger.balance(keyId)).used, 2)
  store.close()
})
s('takes over nothing that has ended while it looked: its answer is the one', async () => {
  const fingerprint = Buffer.from('f')
  const row = { fingerprint, status: null, body: null, at_ms: 0 }
  const ended = { ...row, status: 200, body: 'late' }
  const asked = { keyId: 'a', units: 2, ref: 'r', atMs: 60_000 }
  const charge = (...after: readonly object[]) => {
    const changed = { rows: [], rowCount: 0 }
    const { pool } = createScriptedPool(nothing, nothing, rowsOf(row), changed, rowsOf(...after))
    const { charge } = createLedger(createPostgresEngine(pool, { time: 'caller' }))
    return charge({ ...asked, idempotency: { key: 'i', fingerprint } })
  }
  const answer = { status: 200, body: 'late' }
  assert.equal(await charge(ended), { status: 'answered', answer })
  // Its charge was given back: this one needs its own.
  assert.is((await charge()).status, 'insufficient')
})
s.run()
