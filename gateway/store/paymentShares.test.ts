import { addKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { openStore } from './openStore.ts'
import { openShares } from './paymentShares.ts'
import type { Program } from './program.ts'
import { createSqliteEngine } from './sqliteEngine.ts'

type Shares = ReturnType<typeof openShares> extends Program<infer value> ? value : never
type Asked = Partial<Parameters<typeof openShares>[1]>

const s = suite('store/paymentShares')
const store = openStore({ path: ':memory:' })
const { db, ledger } = store
const engine = createSqliteEngine(db)
s.after(() => store.close())
let count = 0

/** A transaction of its own: who has what of it, in one transaction of the books after the other. */
function pay() {
  count += 1
  const paid = { chainId: 1, txHash: `tx ${count}` }
  const list = (columns: string, table: string) =>
    db
      .prepare(`SELECT ${columns} FROM ${table} WHERE tx_hash = ? ORDER BY ${columns}`)
      .raw()
      .all(paid.txHash)
  return {
    share: <value>(work: (shares: Shares) => Program<value>, asked: Asked = {}) =>
      engine.write(function* () {
        return yield* work(yield* openShares(paid, { rows: [], ...asked }))
      }),
    sums: () => list('key_id, kept, owed', 'payment_shares'),
    parts: () => list('key_id, source, held, owed', 'payment_parts'),
    writeSums: (keyId: string, kept: number, owed: number) =>
      db
        .prepare('INSERT INTO payment_shares VALUES (1, ?, ?, ?, ?)')
        .run(paid.txHash, keyId, kept, owed),
    writePart: (keyId: string, source: string, held: number, owed: number) =>
      db
        .prepare('INSERT INTO payment_parts VALUES (1, ?, ?, ?, ?, ?)')
        .run(paid.txHash, keyId, source, held, owed),
  }
}
const holds = (key_id: string, quotes: number) => ({ key_id, quotes, state: 'credited' })

s('a holder has what its payment gave, and is owed nothing', async () => {
  const { share, sums, parts } = pay()
  const key = await addKey(store, 0)
  await share(({ give }) => give(key, { source: 'x', units: 10 }), { keyId: key })
  assert.equal([parts(), sums()], [[[key, 'x', 10, 0]], []])
  await share(
    function* ({ keyIds, owed, isOwed }) {
      yield* []
      assert.equal([keyIds, owed(key, 'x'), isOwed(key)], [[key], 0, false])
    },
    { rows: [holds(key, 10)] },
  )
  const another = await addKey(store, 0)
  // Who asks has nothing yet, and loses nothing.
  assert.is(await share(({ lose }) => lose(another), { keyId: another }), 0)
  assert.equal(sums(), [])
})
s('what is taken back is owed, by its source alone, until that pays again', async () => {
  const { share, sums, parts } = pay()
  const key = await addKey(store, 0)
  await share(({ give }) => give(key, { source: 'x', units: 10 }), { keyId: key })
  assert.is(await share(({ lose }) => lose(key), { rows: [holds(key, 10)] }), 0)
  assert.equal([parts(), sums()], [[[key, 'x', 0, 10]], [[key, 0, 10]]])
  await share(function* ({ owed, isOwed, give }) {
    assert.equal([owed(key, 'x'), owed(key, 'y'), isOwed(key)], [10, 0, true])
    yield* give(key, { source: 'x', units: 9 })
    assert.equal([owed(key, 'x'), isOwed(key)], [1, true])
  })
  assert.equal([parts(), sums()], [[[key, 'x', 9, 1]], [[key, 0, 1]]])
  await share(({ give }) => give(key, { source: 'x', units: 3 }), { rows: [holds(key, 9)] })
  assert.equal([parts(), sums()], [[[key, 'x', 12, 0]], [[key, 0, 0]]])
})
s('who is repaid beside the holder keeps that, and may lose it again', async () => {
  const { share, sums, parts } = pay()
  const key = await addKey(store, 0)
  await share(({ give }) => give(key, { source: 'x', units: 10 }), { keyId: key })
  await share(({ lose }) => lose(key), { rows: [holds(key, 10)] })
  await share(({ repay }) => repay(key, { source: 'x', units: 0 }))
  assert.equal(sums(), [[key, 0, 10]])
  for (const units of [1, 5]) await share(({ repay }) => repay(key, { source: 'x', units }))
  assert.equal([parts(), sums()], [[[key, 'x', 6, 4]], [[key, 6, 4]]])
  assert.is(await share(({ lose }) => lose(key)), 6)
  assert.equal([parts(), sums()], [[[key, 'x', 0, 10]], [[key, 0, 10]]])
})
s('who hands a payment over keeps what was spent of it', async () => {
  const { share, sums, parts } = pay()
  const key = await addKey(store, 0)
  await share(({ give }) => give(key, { source: 'x', units: 10 }), { keyId: key })
  const handed = { source: 'x', units: 4, quotes: 10 }
  await share(({ handOver }) => handOver(key, handed), { rows: [holds(key, 10)] })
  assert.equal([parts(), sums()], [[[key, 'x', 6, 0]], [[key, 6, 0]]])
  assert.is(await share(({ lose }) => lose(key)), 6)
  assert.equal([parts(), sums()], [[[key, 'x', 0, 6]], [[key, 0, 6]]])
})
s('of a source that has paid all it owes nobody is owed anything', async () => {
  const { share, sums, parts, writeSums, writePart } = pay()
  const keys = [await addKey(store, 0), await addKey(store, 0)].toSorted()
  for (const key of keys) {
    writeSums(key, 0, 6)
    writePart(key, 'x', 0, 5)
    writePart(key, 'y', 0, 1)
  }
  await share(({ settle }) => settle('x'))
  const rest = keys.flatMap((key) => [
    [key, 'x', 0, 0],
    [key, 'y', 0, 1],
  ])
  assert.equal([parts(), sums()], [rest, keys.map((key) => [key, 0, 1])])
})
s('what an earlier release has written of no source any source may repay', async () => {
  const { share, sums, parts, writeSums } = pay()
  const key = await addKey(store, 0)
  writeSums(key, 3, 5)
  await share(function* ({ owed, repay }) {
    assert.equal([owed(key, 'x'), owed(key, 'y')], [5, 5])
    yield* repay(key, { source: 'x', units: 2 })
    assert.equal([owed(key, 'x'), owed(key, 'y')], [3, 3])
  })
  assert.equal([parts(), sums()], [[[key, 'x', 2, 0]], [[key, 5, 3]]])
  // What it has less of comes off that, too.
  const handed = { source: 'y', units: 2, quotes: 2 }
  const lost = await share(function* ({ handOver, lose }) {
    yield* handOver(key, handed)
    return yield* lose(key)
  })
  assert.is(lost, 5)
  const left = [
    [key, 'x', 0, 2],
    [key, 'y', 0, 0],
  ]
  assert.equal([parts(), sums()], [left, [[key, 0, 6]]])
})
s('what an earlier release has taken away since is of no source any more', async () => {
  const { share, parts, writeSums, writePart } = pay()
  const key = await addKey(store, 0)
  writePart(key, 'x', 10, 9)
  writePart(key, 'y', 10, 9)
  writeSums(key, 2, 13)
  await share(
    function* ({ owed, lose }) {
      assert.equal([owed(key, 'x'), owed(key, 'y'), owed(key, 'z')], [9, 4, 0])
      yield* lose(key)
    },
    { rows: [holds(key, 11)] },
  )
  // Thirteen were left: ten of the one, three of the other.
  assert.equal(parts(), [
    [key, 'x', 0, 19],
    [key, 'y', 0, 7],
  ])
})
s('names in order who has or had of it, and who asks', async () => {
  const { share, writeSums } = pay()
  const keys = await Promise.all(Array.from({ length: 4 }, () => addKey(store, 0)))
  const [first = '', second = '', third = '', fourth = ''] = keys.toSorted()
  writeSums(second, 1, 0)
  const rows = [holds(third, 1), { ...holds(first, 1), state: 'orphaned' }]
  const named = await share(
    function* ({ keyIds }) {
      yield* []
      return keyIds
    },
    { rows, keyId: fourth },
  )
  assert.equal(named, [first, second, third, fourth])
})
s('says what is left of each as it moves, and books no move of nothing', async () => {
  const { share } = pay()
  const key = await addKey(store, 9)
  await ledger.charge({ keyId: key, units: 2, ref: 'r', atMs: 1 })
  const moved = { keyId: key, ref: 'r', atMs: 1 }
  const left = await share(
    function* (shares) {
      const seen = [shares.left(key), shares.left('nobody')]
      for (const [kind, units] of [
        ['claim', 5],
        ['clawback', -3],
        ['claim', 0],
      ] as const) {
        yield* shares.move({ ...moved, kind, units })
        seen.push(shares.left(key))
      }
      return seen
    },
    { keyId: key },
  )
  assert.equal(left, [7, 0, 12, 9, 9])
  const entries = await ledger.entries(key, 9)
  assert.equal(
    entries.map(({ kind, units }) => [kind, units]),
    [
      ['clawback', -3],
      ['claim', 5],
      ['charge', -2],
      ['grant', 9],
    ],
  )
})
s.run()
