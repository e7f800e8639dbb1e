import { createScriptedPool, failWith, rowsOf } from '../../fixtures/store/scriptedPool.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { closeFence, dropOldFences } from './chargeFences.ts'
import { openStore } from './openStore.ts'

const s = suite('store/chargeFences')
const { keys, ledger, close } = openStore({ path: ':memory:' })
s.after(() => close())

/** A charge of two units by that name, of a key that has nine. */
async function begin(keyId: string, fence: string) {
  await keys.insert({ ...testKey(keyId), quotes: 9 })
  const charge = { keyId, units: 2, ref: 'r', atMs: 1_000, fence }
  assert.is((await ledger.charge(charge)).status, 'charged')
  return { charge, used: async () => (await ledger.balance(keyId)).used }
}

s('lets a name charge once', async () => {
  const { charge, used } = await begin('once', 'charge')
  const [late] = await Promise.allSettled([ledger.charge(charge)])
  assert.equal([late.status, await used()], ['rejected', 2])
  assert.is((await ledger.charge({ ...charge, fence: 'another' })).status, 'charged')
  assert.is(await used(), 4)
})
s('gives back once by a name, however often it is asked to', async () => {
  const { charge, used } = await begin('back', 'to give back')
  await ledger.charge({ ...charge, fence: 'stays' })
  for (const fence of ['back', 'back', 'to give back']) {
    assert.is(await ledger.conclude({ ...charge, fence, answer: undefined }), true)
    assert.is(await used(), 2)
  }
})
s('knows whom a transaction has charged once the database says so', async () => {
  const answers = [
    failWith('08006'),
    rowsOf({ charged: 'a b' }),
    rowsOf({ charged: null }),
    rowsOf(),
  ]
  const { pool, sent } = createScriptedPool(...answers)
  const alive = setInterval(() => undefined, 1_000)
  const startedAtMs = performance.now()
  assert.equal(await closeFence(pool, 'one'), ['a', 'b'])
  // A moment lies between two questions.
  assert.ok(performance.now() - startedAtMs > 240)
  assert.equal([await closeFence(pool, 'two'), await closeFence(pool, 'three')], [[], []])
  clearInterval(alive)
  assert.equal(
    sent.map(({ values }) => values),
    [['one'], ['one'], ['two'], ['three']],
  )
})
s('keeps the names of a day, since who asks for one may be late', () => {
  assert.match(dropOldFences, / - 86400000$/)
})
s.run()
