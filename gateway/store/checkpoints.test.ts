import { createHash } from 'node:crypto'
import {
  addKey,
  charge,
  dayMs,
  fail,
  keepBooks,
  marginMs,
  openAudited,
  prune,
  rollUp,
  sign,
  startMs,
} from '../../fixtures/store/checkpointBooks.ts'
import { startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createCheckpointSigner } from './checkpointKey.ts'
import {
  digestRows,
  digestSums,
  firstDigest,
  linkAfter,
  linkDays,
  toSigned,
} from './checkpoints.ts'

const s = suite('checkpoints of the ledger')
const engines = await startStoreEngines()
s.after(async () => {
  for (const engine of engines) await engine.close()
})

s('a day is signed in words that anybody can make again, whatever the release', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const row = { id: 7, key_id: 'a', kind: 'charge', units: -2, ref: 'r', at_ms: 5 }
  const first = sha256(`${'0'.repeat(64)}[7,"a","charge",-2,"r",5]`)
  const digest = digestRows(firstDigest, [row, { ...row, id: 8 }])
  assert.is(digest, sha256(`${first}[8,"a","charge",-2,"r",5]`))
  const [few, many] = [
    { charged: 1, refunded: 0 },
    { charged: 4, refunded: 2 },
  ]
  const sumsDigest = digestSums(
    new Map([
      ['b', few],
      ['a', many],
    ]),
  )
  assert.is(sumsDigest, sha256('["a",4,2]\n["b",1,0]'))
  const range = { day: '2026-11-01', afterId: 6, throughId: 8, entries: 2, prunedId: 6 }
  const checkpoint = { ...range, digest, sumsDigest, publicKey: null, signature: null }
  const linked = { checkpoint, before: linkAfter(undefined) }
  const words = `["2026-11-01",6,8,2,"${digest}","${sumsDigest}","${'0'.repeat(64)}"]`
  assert.is(toSigned(linked), `forkyard ledger ${words}`)
  assert.is(linkAfter(linked), sha256(`forkyard ledger ${words}`))
})

for (const engine of engines) {
  const { name } = engine

  s(`${name}: signs days that are over, and no other [24/checkpoints]`, async () => {
    const { store, look } = await openAudited(engine)
    const { nowMs } = await keepBooks(store)
    assert.is(await rollUp(store, startMs + 0.5 * dayMs + marginMs - 1), 0)
    await rollUp(store, nowMs)
    const checkpoints = await store.checkpoints.list()
    assert.equal(
      checkpoints.map(({ day, entries, signature }) => [day, entries, signature !== null]),
      [
        ['2026-11-01', 4, true],
        // A refund and the charge that it gives back, for each key.
        ['2026-11-02', 4, true],
      ],
    )
    assert.is(checkpoints[1]?.afterId, checkpoints[0]?.throughId)
    assert.is(await rollUp(store, nowMs), 0)
    assert.equal(await look(), [])
    assert.equal(await look([]), ['checkpoint 2026-11-02: signed under another pepper'])
    await store.close()
  })

  s(
    `${name}: is the same in steps of any size, by gateways at once [24/checkpoint-steps]`,
    async () => {
      const [one, other] = [await openAudited(engine), await openAudited(engine)]
      for (const { store } of [one, other]) await keepBooks(store)
      const nowMs = startMs + 5 * dayMs
      await rollUp(one.store, nowMs)
      await Promise.all([rollUp(other.store, nowMs, 1), rollUp(other.store, nowMs, 2)])
      const days = linkDays(await one.store.checkpoints.list())
      assert.equal(
        days.map(({ before }) => before),
        [firstDigest, linkAfter(days[0]), linkAfter(days[1])],
      )
      assert.equal(days, linkDays(await other.store.checkpoints.list()))
      assert.equal(await other.look(), [])
      for (const { store } of [one, other]) await store.close()
    },
  )

  s(`${name}: audits a day that is taken in by half, and one of a single row`, async () => {
    const { store, execute, look } = await openAudited(engine)
    const keyId = await addKey(store, 'one')
    const overMs = startMs + 0.5 * dayMs + marginMs
    assert.equal([await rollUp(store, overMs - 1), await rollUp(store, overMs)], [0, 2])
    assert.equal(await look(), [])
    for (const ref of ['first', 'second']) await charge(store, { keyId, ref, atMs: overMs })
    await store.checkpoints.advance({ nowMs: overMs + dayMs, marginMs, most: 1, sign })
    assert.equal(await look(), [])
    await execute("UPDATE ledger_sums SET charged = 9 WHERE day = '2026-11-02'")
    assert.match((await look())[1] ?? '', "2026-11-02: its keys' sums are not those of its rows")
    await store.close()
  })

  s(
    `${name}: lets go of old charges and refunds alone; every balance holds [24/detail-days]`,
    async () => {
      const { store, look } = await openAudited(engine)
      const { keys, nowMs } = await keepBooks(store)
      const [keyId = ''] = keys
      const before = await Promise.all(keys.map((key) => store.ledger.balance(key)))
      await rollUp(store, nowMs)
      await prune(store, '2026-11-02')
      const kinds = async (key = keyId) =>
        (await store.ledger.entries(key, 9)).map(({ kind }) => kind)
      assert.equal(await kinds(), ['charge', 'refund', 'charge', 'grant'])
      assert.equal(await Promise.all(keys.map((key) => store.ledger.balance(key))), before)
      assert.equal(await look(), [])
      // Signed days go to their end, those that are not signed stay.
      await prune(store, '2027-01-01')
      // The last row that a checkpoint holds is the other one's.
      assert.equal(
        [await kinds(), await kinds(keys[1])],
        [
          ['charge', 'grant'],
          ['charge', 'refund', 'grant'],
        ],
      )
      assert.equal(await look(), [])
      assert.equal(await store.ledger.audit(), [])
      await store.close()
    },
  )

  s(
    `${name}: gives back what a checkpoint holds with a row of its own [24/late-refund]`,
    async () => {
      const { store, look } = await openAudited(engine)
      const keyId = await addKey(store, 'one')
      const [first, late] = ['first', 'late'].map((ref) => ({ keyId, ref, atMs: startMs }))
      if (!first || !late) throw new Error('nothing to ask')
      for (const request of [first, late]) await charge(store, request)
      await fail(store, first)
      await rollUp(store, startMs + dayMs)
      // Within a minute of another refund, which would take the charge's row away.
      await fail(store, { ...late, atMs: startMs + 1_000 })
      assert.is((await store.ledger.balance(keyId)).used, 0)
      assert.equal(await look(), [])
      await store.close()
    },
  )

  s(
    `${name}: gives no later row the number of one that a checkpoint holds [24/checkpoint-numbers]`,
    async () => {
      const { store, look } = await openAudited(engine)
      const { keys, nowMs } = await keepBooks(store)
      const laterMs = nowMs + dayMs
      await rollUp(store, laterMs)
      await prune(store, '2027-01-01')
      const [keyId = ''] = keys
      // The second one's charge is the newest row of all, and goes.
      for (const ref of ['first', 'second']) {
        await charge(store, { keyId, ref, atMs: laterMs })
        await fail(store, { keyId, ref, atMs: laterMs })
      }
      await charge(store, { keyId, ref: 'third', atMs: laterMs })
      assert.equal(await look(), [])
      await rollUp(store, laterMs + 2 * dayMs)
      await prune(store, '2027-01-01')
      assert.equal(await look(), [])
      assert.equal(await store.ledger.audit(), [])
      await store.close()
    },
  )

  s(`${name}: lets go of no day that has other rows than were signed`, async () => {
    const { store, execute, look } = await openAudited(engine)
    const { nowMs } = await keepBooks(store)
    await rollUp(store, nowMs)
    await execute("DELETE FROM ledger WHERE ref = 'two 0'")
    const refused = await prune(store, '2027-01-01').catch(({ name, message }: Error) => [
      name,
      message,
    ])
    assert.equal(refused, ['LedgerChanged', '2026-11-01 has 3 rows of 4'])
    assert.equal(
      (await store.ledger.entries('one', 9)).map(({ ref }) => ref),
      ['one 2', 'one 1', 'one 1', 'one 0', 'free'],
    )
    assert.is((await look()).length, 1)
    await store.close()
  })

  s(
    `${name}: is the same in steps of any size where clocks were ahead, and goes on [24/clock-ahead]`,
    async () => {
      const aheadMs = startMs + 400 * dayMs
      const times = [0, 1, 2].map((day) => startMs + day * dayMs)
      const books: unknown[] = []
      for (const most of [1, 500]) {
        const { store, look } = await openAudited(engine)
        const keyId = await addKey(store, 'one')
        const note = async (ref: string, atMs: number) => {
          await charge(store, { keyId, ref, atMs })
        }
        for (const [day, atMs] of times.entries()) {
          for (const nth of [0, 1, 2]) await note(`ahead ${day} ${nth}`, aheadMs)
          await note(`day ${day}`, atMs)
          // A machine that is a little late, about midnight.
          await note(`next ${day}`, atMs + dayMs / 2)
          await note(`late ${day}`, atMs + dayMs / 2 - 1)
          await rollUp(store, atMs, most)
        }
        await rollUp(store, startMs + 9 * dayMs, most)
        await note('ahead at last', aheadMs)
        await note('day 9', startMs + 9 * dayMs)
        await rollUp(store, startMs + 11 * dayMs, most)
        const checkpoints = await store.checkpoints.list()
        books.push(checkpoints)
        assert.is(checkpoints.at(-1)?.signature !== null, true)
        assert.is(
          checkpoints.reduce((sum, { entries }) => sum + entries, 0),
          21,
        )
        assert.equal(await look(), [])
        await store.close()
      }
      assert.equal(books[0], books[1])
    },
  )

  s(
    `${name}: finds a day whose rows are gone that was signed anew by somebody else, or not at all [24/checkpoint-chain]`,
    async () => {
      const { store, execute, look } = await openAudited(engine)
      const { nowMs } = await keepBooks(store)
      await rollUp(store, nowMs)
      await prune(store, '2026-11-02')
      const [linked] = linkDays(await store.checkpoints.list())
      if (!linked) throw new Error('no day is signed')
      const { checkpoint } = linked
      const kept = { charged: 2, refunded: 0 }
      const sums = new Map([
        ['one', { charged: 2, refunded: 1 }],
        ['two', kept],
      ])
      const sumsDigest = digestSums(sums)
      const forge = createCheckpointSigner('another pepper of the same length')
      const { publicKey, signature } = forge(
        toSigned({ ...linked, checkpoint: { ...checkpoint, sumsDigest } }),
      )
      await execute(
        `UPDATE ledger_sums SET refunded = 1 WHERE day = '${checkpoint.day}' AND key_id = 'one';
         UPDATE balances SET used = used - 1 WHERE key_id = 'one';
         UPDATE ledger_checkpoints SET sums_digest = '${sumsDigest}', public_key = '${publicKey}',
           signature = '${signature}' WHERE day = '${checkpoint.day}'`,
      )
      assert.equal(await look(), [
        'checkpoint 2026-11-02: its signature is not of what it and the days before it say',
      ])
      await execute(
        `UPDATE ledger_checkpoints SET sums_digest = '${checkpoint.sumsDigest}', signature = NULL
         WHERE day = '${checkpoint.day}'`,
      )
      assert.equal(await look(), [
        'checkpoint 2026-11-01: its rows have gone, and it is not signed',
        'checkpoint 2026-11-02: follows a day that is not signed',
      ])
      await store.close()
    },
  )

  s(`${name}: takes a time for one ahead of now beyond its margin, and not before`, async () => {
    const overMs = startMs + 0.5 * dayMs + marginMs
    const { store, look } = await openAudited(engine)
    const keyId = await addKey(store, 'one')
    await charge(store, { keyId, ref: 'ahead', atMs: overMs + marginMs + 1 })
    await charge(store, { keyId, ref: 'of the next day', atMs: overMs + marginMs })
    await rollUp(store, overMs)
    const [day, next] = await store.checkpoints.list()
    assert.equal([day?.day, day?.entries, next], ['2026-11-01', 2, undefined])
    assert.equal(await look(), [])
    await store.close()
    // Nor is the first row's day another than its own.
    const { store: other } = await openAudited(engine)
    await other.keys.insert(testKey('two'))
    await other.ledger.grant({ keyId: 'two', units: 9, ref: 'g', atMs: overMs + marginMs })
    await charge(other, { keyId: 'two', ref: 'earlier', atMs: startMs })
    assert.is(await rollUp(other, overMs), 0)
    await other.close()
  })

  s(
    `${name}: takes nothing into a signed day when a clock is set back [24/checkpoint-clock]`,
    async () => {
      const { store, look } = await openAudited(engine)
      const { nowMs, keys } = await keepBooks(store)
      await rollUp(store, nowMs)
      for (const keyId of keys) await charge(store, { keyId, ref: 'back', atMs: startMs })
      await rollUp(store, nowMs + 3 * dayMs)
      const days = (await store.checkpoints.list()).map(({ day, entries }) => [day, entries])
      assert.equal(days.at(-1), ['2026-11-03', 4])
      assert.equal(await look(), [])
      await store.close()
    },
  )

  s(
    `${name}: finds rows, sums and checkpoints that were changed [24/checkpoint-tampered]`,
    async () => {
      const changes = [
        [
          "UPDATE ledger_sums SET refunded = refunded + 1 WHERE key_id = 'one' AND day = '2026-11-01'",
          ['balance one', "2026-11-01: its keys' sums are not"],
        ],
        // As somebody would who wants it to balance.
        [
          "UPDATE ledger_sums SET refunded = refunded + 1 WHERE key_id = 'one' AND day = '2026-11-01'; UPDATE balances SET used = used - 1 WHERE key_id = 'one'",
          ["2026-11-01: its keys' sums are not"],
        ],
        ["DELETE FROM ledger WHERE ref = 'two 0'", ['2026-11-01: 3 rows of 4']],
        // The day after it is signed over it, and says so no second time.
        [
          "UPDATE ledger_checkpoints SET entries = 5 WHERE day = '2026-11-01'",
          ['2026-11-01: 4 rows of 5', '2026-11-01: its signature is not'],
        ],
        [
          "UPDATE ledger_checkpoints SET entries = 5 WHERE day = '2026-11-02'",
          ['2026-11-02: 4 rows of 5', '2026-11-02: its signature is not'],
        ],
        [
          "DELETE FROM ledger_sums WHERE day = '2026-11-01'; DELETE FROM ledger_checkpoints WHERE day = '2026-11-01'",
          [
            'balance one',
            'balance two',
            '2026-11-02: does not follow',
            '2026-11-02: its signature is not',
          ],
        ],
      ] as const
      for (const [statement, expected] of changes) {
        const { store, execute, look } = await openAudited(engine)
        const { nowMs } = await keepBooks(store)
        await rollUp(store, nowMs)
        await execute(statement)
        const found = await look()
        assert.is(found.length, expected.length, found.join('\n'))
        for (const [at, part] of expected.entries()) assert.match(found[at] ?? '', part)
        await store.close()
      }
    },
  )
}
s.run()
