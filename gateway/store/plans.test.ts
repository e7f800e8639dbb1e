import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { testKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChargeParameters } from './ledger.ts'
import { endOfMonthMs, type Plan } from './plans.ts'

const november = Date.UTC(2026, 10, 30, 23, 59, 59)
const december = Date.UTC(2026, 11, 1)
const small: Plan = { name: 'small', unitsPerSec: 1, burst: 16 }

function addTests({ name, store, close }: StoreEngine) {
  const { plans, keys, ledger } = store
  const s = suite(`store/plans on ${name}`)
  s.after(close)

  let count = 0
  async function addKey(plan?: string) {
    const id = `key ${count++}`
    await keys.insert({ ...testKey(id), quotes: 100, plan })
    return id
  }
  let refs = 0
  const asked = (keyId: string, unitsPerMonth?: number, atMs = november): ChargeParameters => ({
    keyId,
    units: 1,
    ref: `request ${refs++}`,
    atMs,
    unitsPerMonth,
  })
  async function chargeMany(keyId: string, times: number, most?: number, atMs?: number) {
    const charges = Array.from({ length: times }, () => ledger.charge(asked(keyId, most, atMs)))
    const results = await Promise.all(charges)
    return results.filter(({ status }) => status === 'charged').length
  }

  s('keeps what a plan says, and changes what is given alone', async () => {
    const whole = {
      ...small,
      concurrent: 2,
      streams: 0,
      unitsPerMonth: 5,
      methods: ['GET /a', 'POST /b'],
    }
    assert.is(await plans.create(whole), true)
    assert.is(await plans.create(small), false)
    assert.equal(await plans.find('small'), whole)
    await plans.change('small', { burst: 20, methods: undefined })
    assert.equal(await plans.find('small'), { ...whole, burst: 20, methods: undefined })
    assert.is(await plans.change('small', {}), true)
    assert.is(await plans.change('gone', { burst: 20 }), false)
    assert.is(await plans.find('gone'), undefined)
    assert.equal(
      (await plans.list()).map((plan) => plan.name),
      ['small'],
    )
  })

  s('a bound that is not given is none, and plans are told by name [teeth/plans]', async () => {
    await plans.create({ ...small, name: 'a' })
    const none = { concurrent: undefined, streams: undefined, unitsPerMonth: undefined }
    const [first, ...others] = await plans.list()
    assert.equal(first, { ...small, ...none, name: 'a', methods: undefined })
    assert.equal(
      others.map((plan) => plan.name),
      ['small'],
    )
  })

  s(
    'counts the valid keys of a plan, and is left to none by taking it away [teeth/plans]',
    async () => {
      await plans.create({ ...small, name: 'counted' })
      assert.is(await plans.countKeys('counted'), 0)
      const [id, revoked] = [await addKey('counted'), await addKey()]
      await plans.assign({ keyId: revoked, name: 'counted' })
      assert.is(await plans.countKeys('counted'), 2)
      await keys.revoke({ id: revoked, atMs: 2 })
      assert.is(await plans.countKeys('counted'), 1)
      assert.is(await plans.remove('counted'), 1)
      assert.is(await plans.assign({ keyId: id, name: undefined }), 'assigned')
      assert.is((await keys.find(id))?.plan, undefined)
      assert.is(await plans.remove('counted'), 0)
      assert.is(await plans.remove('counted'), undefined)
    },
  )

  s('keeps a plan that a valid key has, whoever is faster [24/plan-in-use]', async () => {
    const [id, revoked] = [await addKey(), await addKey('small')]
    await keys.revoke({ id: revoked, atMs: 2 })
    const [outcome, left] = await Promise.all([
      plans.assign({ keyId: id, name: 'small' }),
      plans.remove('small'),
    ])
    const plan = (await keys.findBySecretHash(Buffer.from(id), 3))?.plan
    if (outcome === 'assigned') assert.equal([plan, left], ['small', 1])
    else assert.equal([outcome, plan, left], ['no plan', undefined, 0])
    await plans.assign({ keyId: id, name: undefined })
    assert.ok([0, undefined].includes(await plans.remove('small')))
    assert.is(await plans.assign({ keyId: id, name: 'small' }), 'no plan')
    assert.is(await plans.assign({ keyId: revoked, name: undefined }), 'no key')
    assert.ok((await addKey('small').catch((error: Error) => error)) instanceof Error)
  })

  s(
    'takes no more than a month may have, of as many as come at once [24/monthly-cap]',
    async () => {
      const id = await addKey()
      assert.is(await chargeMany(id, 30, 10), 10)
      assert.is((await ledger.balance(id)).used, 10)
      const capped = await ledger.charge(asked(id, 10))
      assert.equal(capped.status === 'capped' && endOfMonthMs(capped.atMs), december)
      // A plan that allows more, or no longer counts, does so at once; the next month begins anew.
      assert.is(await chargeMany(id, 30, 15), 5)
      assert.is(await chargeMany(id, 30, 15, december), 15)
      assert.is(await chargeMany(id, 20), 20)
      assert.is((await ledger.balance(id)).remaining, 50)
      assert.equal(await ledger.audit(), [])
    },
  )

  s('gives a month back what was given back, and never more [24/monthly-refund]', async () => {
    const id = await addKey()
    const parameters = asked(id, 1)
    const first = await ledger.charge(parameters)
    assert.is(first.status, 'charged')
    const month = first.status === 'charged' ? first.month : undefined
    const failed = { ...parameters, atMs: december, month, answer: undefined }
    // December's is not touched by what November has paid.
    assert.is(await chargeMany(id, 2, 1, december), 1)
    await ledger.conclude(failed)
    assert.is(await chargeMany(id, 2, 1, december), 0)
    assert.is(await chargeMany(id, 2, 1), 1)
    // A charge that counted to no month gives none anything.
    const uncounted = asked(id)
    await ledger.charge(uncounted)
    await ledger.conclude({ ...uncounted, answer: undefined })
    assert.is(await chargeMany(id, 2, 1), 0)
    assert.equal(await ledger.audit(), [])
  })

  s('says that the quota is used up before it says so of the month', async () => {
    const id = await addKey()
    const all = { ...asked(id, 1000), units: 100 }
    assert.is((await ledger.charge(all)).status, 'charged')
    assert.is((await ledger.charge(asked(id, 100))).status, 'insufficient')
    assert.equal(await ledger.audit(), [])
  })

  s('holds no absurd value, whoever writes it [24/plan-checks]', async () => {
    for (const wrong of [
      { ...small, unitsPerSec: 0 },
      { ...small, burst: -1 },
      { ...small, concurrent: 0 },
      { ...small, streams: -1 },
      { ...small, unitsPerMonth: 0 },
      { ...small, methods: [] },
      { ...small, name: 'default' },
    ])
      assert.ok(
        (await plans.create(wrong).catch((error: Error) => error)) instanceof Error,
        JSON.stringify(wrong),
      )
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
