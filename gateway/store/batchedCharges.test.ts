import {
  createScriptedPool,
  failWith,
  type PoolAnswer,
  rowsOf,
} from '../../fixtures/store/scriptedPool.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createBatchedCharges } from './batchedCharges.ts'
import type { ChargeParameters, ChargeResult } from './ledger.ts'
import { attempts } from './postgresEngine.ts'

const s = suite('store/batchedCharges')
// What is waited for here keeps no process alive.
const alive = setInterval(() => undefined, 1_000)
s.after(() => clearInterval(alive))
const away = () => new Error('Connection terminated unexpectedly')
const rowOf = (keyId: string, total: number, used: number) => ({ key_id: keyId, total, used })
const insufficient: ChargeResult = {
  status: 'insufficient',
  balance: { total: 1, used: 1, remaining: 0 },
}

/** What a pool answers, and a ledger for what is judged one by one. */
function open(
  answers: readonly (PoolAnswer | Promise<PoolAnswer>)[],
  given: Parameters<typeof createBatchedCharges>[2] = {},
) {
  const scripted = createScriptedPool(...answers)
  const alone: ChargeParameters[] = []
  const concluded: object[] = []
  const results: (ChargeResult | Error)[] = []
  const lookups: (Error | undefined)[] = []
  const ledger = {
    async charge(parameters: ChargeParameters) {
      alone.push(parameters)
      const result = results.shift() ?? insufficient
      if (result instanceof Error) throw result
      return result
    },
    async conclude(parameters: ChargeParameters) {
      concluded.push(parameters)
      return true
    },
    async balance() {
      const failure = lookups.shift()
      if (failure) throw failure
      return { total: 20, used: 5, remaining: 15 }
    },
  }
  const charge = createBatchedCharges(scripted.pool, ledger, given)
  const ask = (keyId: string, units: number, more: Partial<ChargeParameters> = {}) =>
    charge({ keyId, units, ref: `${keyId} ${units}`, atMs: 7, ...more })
  /** How each of these ended. */
  const settle = async (...asked: readonly Promise<ChargeResult>[]) =>
    (await Promise.allSettled(asked)).map((ended) =>
      ended.status === 'rejected' ? String(ended.reason) : ended.value.status,
    )
  return { ...scripted, ask, settle, alone, concluded, results, lookups }
}

s('takes of each key what its charges come to, and tells each its own balance', async () => {
  const { ask, sent, alone } = open([rowsOf(rowOf('a', 20, 9), rowOf('b', 5, 5))])
  const told = await Promise.all([ask('a', 2), ask('b', 1), ask('a', 3)])
  const balanceOf = (total: number, used: number) => ({
    status: 'charged',
    balance: { total, used, remaining: total - used },
  })
  assert.equal(told, [balanceOf(20, 6), balanceOf(5, 5), balanceOf(20, 9)])
  assert.equal([sent.length, alone, sent[0]?.name], [1, [], 'forkyard_debit_all'])
  const [keyIds, sums, ofKeys, units, refs, times] = sent[0]?.values ?? []
  assert.equal(
    [keyIds, sums],
    [
      ['a', 'b'],
      [5, 1],
    ],
  )
  assert.equal(
    [ofKeys, units, refs],
    [
      ['a', 'b', 'a'],
      [2, 1, 3],
      ['a 2', 'b 1', 'a 3'],
    ],
  )
  assert.equal(times, [null, null, null])
})
s("writes the caller's time where callers have the clock", async () => {
  const { ask, sent } = open([rowsOf(rowOf('a', 9, 1))], { time: 'caller' })
  await ask('a', 1)
  assert.equal(sent[0]?.values?.[5], [7])
})
s('judges one by one what a balance does not cover together', async () => {
  const { ask, settle, sent, alone, results } = open([rowsOf(rowOf('a', 9, 1)), rowsOf(), rowsOf()])
  const balance = { total: 3, used: 2, remaining: 1 }
  results.push({ status: 'charged', balance }, insufficient)
  const told = await settle(ask('a', 1), ask('b', 2), ask('b', 4))
  assert.equal(told, ['charged', 'charged', 'insufficient'])
  assert.equal(
    alone.map(({ keyId, units, ref }) => [keyId, units, ref]),
    [
      ['b', 2, 'b 2'],
      ['b', 4, 'b 4'],
    ],
  )
  // The names of what has charged go with the next statement; what charged nothing has left none.
  const [first, second] = alone.map(({ fence }) => fence)
  assert.type(first, 'string')
  assert.is.not(first, second)
  await ask('c', 1)
  const earlier = sent[1]?.values?.[7] as readonly string[]
  assert.equal(earlier.toSorted(), [sent[0]?.values?.[6], first].toSorted())
  await ask('c', 1)
  assert.equal(sent[2]?.values?.[7], [sent[1]?.values?.[6]])
})
s('sends nothing together of what has an Idempotency-Key or counts to a month', async () => {
  const { ask, sent, alone } = open([])
  const idempotency = { key: 'k', fingerprint: Buffer.from('f') }
  await Promise.all([ask('a', 1, { idempotency }), ask('a', 1, { unitsPerMonth: 0 })])
  assert.equal([sent, alone.length], [[], 2])
})
s('asks again where the database asks it to, and gives up after that', async () => {
  const deadlock = failWith('40P01')
  const again = open([deadlock, failWith('40001'), rowsOf(rowOf('a', 9, 1))])
  assert.equal(await again.settle(again.ask('a', 1)), ['charged'])
  assert.is(again.sent.length, 3)
  const never = open(Array.from({ length: attempts + 1 }, () => deadlock))
  assert.match((await never.settle(never.ask('a', 1)))[0] ?? '', 'does not answer')
  assert.is(never.sent.length, attempts)
})
s('refuses all that a statement was for which the database has refused', async () => {
  const { ask, settle, sent } = open([
    rowsOf(rowOf('a', 9, 1)),
    failWith('53100'),
    rowsOf(rowOf('a', 9, 2)),
  ])
  await ask('a', 1)
  for (const refusal of await settle(ask('a', 1), ask('b', 1)))
    assert.match(refusal, 'StoreUnavailable')
  assert.is(sent.length, 2)
  await ask('a', 1)
  // What was to be taken away by the refused one goes with this one; the refused one left nothing.
  assert.equal(sent[2]?.values?.[7], [sent[0]?.values?.[6]])
})
s('finds out who was charged by what ended unheard, and refuses the others', async () => {
  const given = { heldForMs: 100 }
  const { ask, settle, sent, lookups } = open([away(), rowsOf({ charged: 'a c' })], given)
  // What is known in time is told, however long its balance takes.
  lookups.push(away())
  const told = await settle(ask('a', 1), ask('b', 1), ask('c', 1))
  assert.equal(
    told.map((one) => one.split(':')[0]),
    ['charged', 'StoreUnavailable', 'charged'],
  )
  assert.equal(sent[1]?.values, [sent[0]?.values?.[6]])
  assert.is(sent.length, 2)
})
s('refuses all where it never was', async () => {
  for (const row of [rowsOf({ charged: null }), rowsOf()]) {
    const { ask, settle } = open([away(), row])
    assert.match((await settle(ask('a', 1)))[0] ?? '', 'StoreUnavailable')
  }
})
s('tells a balance of whoever was charged alone and unheard', async () => {
  const { ask, alone, results, sent } = open([away(), rowsOf({ charged: 'a' })])
  results.push(away())
  const idempotency = { key: 'k', fingerprint: Buffer.from('f') }
  assert.equal(await ask('a', 1, { idempotency }), {
    status: 'charged',
    balance: { total: 20, used: 5, remaining: 15 },
  })
  // The database is asked until it answers.
  assert.equal([sent.length, sent[1]?.values], [2, [alone[0]?.fence]])
})
s(
  'says that it does not know when that takes too long, and gives back what was taken',
  async () => {
    const end = Promise.withResolvers<PoolAnswer>()
    const { ask, settle, sent, concluded } = open([away(), end.promise], { heldForMs: 5 })
    const told = await settle(ask('a', 1), ask('b', 2), ask('c', 3))
    const unknown = 'ChargeUnknown: whether these were charged is not known yet: '
    assert.equal(told, Array(3).fill(`${unknown}a a 1, b b 2, c c 3`))
    assert.equal(concluded, [])
    end.resolve(rowsOf({ charged: 'a c' }))
    await waitFor('both are given back', () => concluded.length === 2)
    const fence = sent[0]?.values?.[6]
    const given = { atMs: 7, answer: undefined }
    assert.equal(concluded, [
      { keyId: 'a', units: 1, ref: 'a 1', ...given, fence: `${fence} 0` },
      { keyId: 'c', units: 3, ref: 'c 3', ...given, fence: `${fence} 2` },
    ])
  },
)
s.run()
