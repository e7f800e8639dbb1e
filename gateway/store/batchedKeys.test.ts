import { createScriptedPool, failWith, rowsOf } from '../../fixtures/store/scriptedPool.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createBatchedKeys } from './batchedKeys.ts'

const s = suite('store/batchedKeys')
const [one, two, none] = ['one', 'two', 'none'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]
const rowOf = (id: string, secretHash: Buffer) => ({
  id,
  id_hash: `0x${id}`,
  start: 'fy_',
  label: 'of mine',
  wallet: null,
  wallet_chain_id: null,
  scopes: 'quote relay',
  created_at_ms: 5,
  revoked_at_ms: null,
  plan: null,
  secret_hash: secretHash,
})

s('looks up in one statement whose keys those are that come together', async () => {
  const { pool, sent } = createScriptedPool(rowsOf(rowOf('b', two), rowOf('a', one)))
  const find = createBatchedKeys(pool, { time: 'database' })
  const found = await Promise.all([find(one, 7), find(none, 9), find(two, 8), find(one, 1)])
  assert.equal(
    found.map((key) => key?.id),
    ['a', undefined, 'b', 'a'],
  )
  assert.equal(found[0], {
    id: 'a',
    idHash: '0xa',
    start: 'fy_',
    label: 'of mine',
    wallet: undefined,
    walletChainId: undefined,
    scopes: ['quote', 'relay'],
    createdAtMs: 5,
    revokedAtMs: undefined,
    plan: undefined,
  })
  // Each hash once; the time is the database's own.
  assert.equal(
    sent.map(({ name, values }) => [name, values]),
    [['forkyard_find_keys', [[one, none, two], null]]],
  )
})
s("takes the latest caller's time where callers have the clock", async () => {
  const { pool, sent } = createScriptedPool()
  const find = createBatchedKeys(pool, { time: 'caller' })
  await Promise.all([find(one, 7), find(two, 9), find(none, 8)])
  assert.is(sent[0]?.values?.[1], 9)
})
s('tells all who asked that the database is away, and asks anew for the next', async () => {
  const { pool } = createScriptedPool(failWith('08006'), rowsOf(rowOf('a', one)))
  const find = createBatchedKeys(pool, { time: 'database' })
  const refused = await Promise.allSettled([find(one, 7), find(two, 7)])
  assert.equal(
    refused.map((ended) => ended.status === 'rejected' && (ended.reason as Error).name),
    ['StoreUnavailable', 'StoreUnavailable'],
  )
  assert.is((await find(one, 8))?.id, 'a')
})
s.run()
