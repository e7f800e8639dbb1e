import pg from 'pg'
import {
  addKey,
  charge,
  dayMs,
  fail,
  marginMs,
  openAudited,
  rollUp,
  sign,
  startMs,
} from '../../fixtures/store/checkpointBooks.ts'
import { query } from '../../fixtures/store/postgres.ts'
import { openAt, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { Engine } from './engine.ts'
import { openStore } from './openStore.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

/** What a day waits for: those who may still be writing to it. */
const s = suite('checkpoints beside writers')
const engines = await startStoreEngines()
s.after(async () => {
  for (const engine of engines) await engine.close()
})

/** An engine whose database says who is writing, as SQLite never does. */
const withWriters = (engine: Engine, list: () => readonly string[]): Engine => ({
  ...engine,
  write: (program) =>
    engine.write(function* () {
      const inner = program()
      let step = inner.next()
      while (!step.done) {
        const isAsked = step.value.kind === 'writers'
        const rows = list().map((writer) => ({ writer }))
        step = inner.next(isAsked ? { rows, changes: 0 } : yield step.value)
      }
      return step.value
    }),
})

s('a day is taken in once all have ended who wrote when its last row was seen', async () => {
  const store = openStore({ path: ':memory:' })
  let writers = ['one', 'two']
  const engine = withWriters(createSqliteEngine(store.db), () => writers)
  const checkpoints = createCheckpoints(engine)
  const keyId = await addKey(store, 'one')
  const request = { nowMs: startMs + dayMs, marginMs, most: 500, sign }
  const advance = () => checkpoints.advance(request)
  assert.is(await advance(), false)
  writers = ['two', 'three']
  await charge(store, { keyId, ref: 'meanwhile', atMs: startMs })
  assert.is(await advance(), false)
  // Who began later writes behind the row that was seen; what came behind it is of others to wait for.
  writers = ['three']
  assert.is(await advance(), false)
  assert.equal(await checkpoints.list(), [])
  writers = []
  assert.is(await advance(), true)
  const [taken] = await checkpoints.list()
  assert.equal([taken?.entries, taken?.signature], [2, null])
  assert.is(await advance(), true)
  const [signed] = await checkpoints.list()
  assert.equal([signed?.entries, signed?.signature !== null], [2, true])
  assert.is(await advance(), false)
  store.close()
})

/** Whether somebody waits for such a lock. */
const isWaited = (address: string, lock: string) => async () => {
  const waiting = `SELECT 1 FROM pg_locks WHERE ${lock} AND NOT granted`
  return (await query(address, waiting)).length > 0
}

const [, postgres] = engines
if (postgres) {
  s(
    'PostgreSQL: a day is what it will be when all who write to it have ended, however long they slept [24/checkpoint-asleep]',
    async () => {
      const { store, look, address } = await openAudited(postgres)
      for (const id of ['one', 'two', 'three']) await addKey(store, id)
      const keyId = 'one'
      const [merged, goes] = ['merged', 'goes'].map((ref) => ({
        keyId,
        ref,
        units: 2,
        atMs: startMs,
      }))
      if (!merged || !goes) throw new Error('nothing to ask')
      const counted = { ...goes, unitsPerMonth: 99, answer: undefined }
      for (const request of [merged, counted]) await store.ledger.charge(request)
      await fail(store, merged)
      // Their machine sleeps for a day amid a refund that leaves no row, and a charge.
      const [other, refunding] = [new pg.Client(address), new pg.Client(address)]
      for (const client of [other, refunding]) await client.connect()
      await refunding.query('BEGIN; LOCK TABLE monthly_use IN EXCLUSIVE MODE')
      const refund = store.ledger.conclude({ ...counted, month: '2026-11' })
      await waitFor(
        'the refund has taken its row',
        isWaited(address, "relation = 'monthly_use'::regclass"),
      )
      await other.query(`BEGIN;
        UPDATE balances SET used = used + 2 WHERE key_id = 'three';
        INSERT INTO ledger (key_id, kind, units, ref, at_ms)
        VALUES ('three', 'charge', -2, 'comes', ${startMs})`)
      await charge(store, { keyId: 'two', ref: 'stays', atMs: startMs })
      const request = { nowMs: startMs + dayMs, marginMs, most: 500, sign }
      const early = store.checkpoints.advance(request)
      await waitFor('the step waits for the refund', isWaited(address, "locktype = 'advisory'"))
      await refunding.query('COMMIT')
      await refund
      assert.is(await early, false)
      await other.query('COMMIT')
      for (const client of [other, refunding]) await client.end()
      await store.checkpoints.advance(request)
      const refs = async () => {
        const [day] = await store.checkpoints.list()
        const rows = await store.checkpoints.rows({
          ...(day ?? { afterId: 0, throughId: 0 }),
          most: 9,
        })
        assert.is(day?.entries, rows.length)
        return rows.map(({ ref }) => ref)
      }
      assert.equal(await refs(), ['free', 'free', 'free', 'merged', 'merged', 'comes', 'stays'])
      assert.equal(await look(), [])
      await store.close()
    },
  )

  s(
    'PostgreSQL: a step waits for nobody who writes to the ledger, and nobody for it [24/checkpoint-no-queue]',
    async () => {
      const { store, look, address } = await openAudited(postgres)
      const keyId = await addKey(store, 'one')
      const other = new pg.Client(address)
      await other.connect()
      await other.query("BEGIN; UPDATE balances SET used = used + 2 WHERE key_id = 'one'")
      const waiting = charge(store, { keyId, ref: 'waits', atMs: startMs })
      await waitFor('the charge waits', isWaited(address, "locktype = 'transactionid'"))
      const request = { nowMs: startMs + dayMs, marginMs, most: 9, sign }
      assert.is(await store.checkpoints.advance(request), false)
      await other.query(`INSERT INTO ledger (key_id, kind, units, ref, at_ms)
        VALUES ('one', 'charge', -2, 'other', ${startMs}); COMMIT`)
      await other.end()
      await waiting
      await rollUp(store, startMs + dayMs)
      const [day] = await store.checkpoints.list()
      assert.equal([day?.entries, day?.signature !== null], [3, true])
      assert.equal(await look(), [])
      await store.close()
    },
  )

  s(
    'PostgreSQL: a late refund takes no row from a step that is taking it in [24/refund-beside-step]',
    async () => {
      const { store, look, address } = await openAudited(postgres)
      const keyId = await addKey(store, 'one')
      const lateMs = startMs + dayMs
      const requests = ['first', 'late'].map((ref) => ({ keyId, ref, atMs: startMs }))
      for (const request of requests) await charge(store, request)
      const [first, late] = requests.map((request) => ({ ...request, atMs: lateMs }))
      if (!first || !late) throw new Error('nothing to ask')
      await fail(store, first)
      const other = new pg.Client({ connectionString: address })
      await other.connect()
      // The step has read its rows, and has yet to add them up.
      await other.query('BEGIN; LOCK TABLE ledger_sums IN EXCLUSIVE MODE')
      const step = store.checkpoints.advance({ nowMs: lateMs, marginMs, most: 500, sign })
      await waitFor('the step waits', isWaited(address, "relation = 'ledger_sums'::regclass"))
      await fail(store, late)
      await other.query('COMMIT')
      await other.end()
      await step
      await rollUp(store, lateMs)
      assert.is((await store.ledger.balance(keyId)).used, 0)
      assert.equal(await look(), [])
      await store.close()
    },
  )

  s("PostgreSQL: a gateway's clock that is ahead lets go of nothing", async () => {
    const { store, address } = await openAudited(postgres)
    const nowMs = Date.now()
    const keyId = await addKey(store, 'one', nowMs - 4 * dayMs)
    for (const days of [4, 3])
      await charge(store, { keyId, ref: `${days} days ago`, atMs: nowMs - days * dayMs })
    await rollUp(store, nowMs)
    const shared = await openAt(address)
    const ahead = { nowMs: nowMs + 400 * dayMs, most: 500 }
    assert.is(await shared.checkpoints.prune({ ...ahead, detailDays: 30 }), false)
    assert.is(await shared.checkpoints.prune({ ...ahead, detailDays: 2 }), true)
    await shared.close()
    await store.close()
  })
}
s.run()
