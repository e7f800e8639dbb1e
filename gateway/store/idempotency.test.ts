import { type StoreEngine, startStoreEngines } from '../../fixtures/store/storeEngines.ts'
import { addKey } from '../../fixtures/store/testKey.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChargeParameters } from './ledger.ts'

type Named = NonNullable<ChargeParameters['idempotency']>
/** Under the name `i`, if no other is given. */
const heldBy = (holder?: string, { key = 'i', of = 'f' } = {}): Named => ({
  key,
  fingerprint: Buffer.from(of),
  holder,
})

function addTests(engine: StoreEngine) {
  const s = suite(`store/idempotency on ${engine.name}`)
  const { store } = engine
  s.after(engine.close)

  s('answers an Idempotency-Key once: stored answer, running, other body', async () => {
    const keyId = await addKey(store, 5)
    const charge = { keyId, units: 1, ref: 'r', atMs: 1_000, idempotency: heldBy() }
    assert.is((await store.ledger.charge(charge)).status, 'charged')
    assert.is((await store.ledger.charge(charge)).status, 'in_progress')
    await store.ledger.conclude({ ...charge, answer: { status: 200, body: '{}' } })
    assert.equal(await store.ledger.charge(charge), {
      status: 'answered',
      answer: { status: 200, body: '{}' },
    })
    const other = { ...charge, idempotency: heldBy(undefined, { of: 'g' }) }
    assert.is((await store.ledger.charge(other)).status, 'mismatch')
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })
  s('forgets an Idempotency-Key whose request failed', async () => {
    const keyId = await addKey(store, 5)
    const charge = { keyId, units: 1, ref: 'r', atMs: 1_000, idempotency: heldBy() }
    await store.ledger.charge(charge)
    await store.ledger.conclude({ ...charge, answer: undefined })
    assert.is((await store.ledger.charge(charge)).status, 'charged')
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })
  s('charges once for a request whose process died, however often its clock jumps', async () => {
    const keyId = await addKey(store, 5)
    const charge = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: heldBy() }
    await store.ledger.charge(charge)
    const later = { ...charge, atMs: 3_600_000 }
    assert.is((await store.ledger.charge(later)).status, 'charged')
    assert.is((await store.ledger.balance(keyId)).used, 2)
    await store.ledger.conclude({ ...later, answer: undefined })
    await store.ledger.conclude({ ...charge, answer: undefined })
    assert.is((await store.ledger.balance(keyId)).used, 0)
  })
  s('takes a request for dead a minute after it began, and not before [teeth/dead]', async () => {
    const keyId = await addKey(store, 5)
    async function charge(atMs: number) {
      const idempotency = heldBy(`${atMs}`)
      return (await store.ledger.charge({ keyId, units: 2, ref: 'r', atMs, idempotency })).status
    }
    assert.equal([await charge(1_000), await charge(60_999)], ['charged', 'in_progress'])
    // Whoever takes it over begins anew.
    assert.equal([await charge(61_000), await charge(120_999)], ['charged', 'in_progress'])
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
  s('gives back a failed request that was running when a clock jumped by a day', async () => {
    const keyId = await addKey(store, 5)
    const named = (key: string) => heldBy(key, { key })
    const running = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: named('running') }
    const next = { keyId, units: 1, ref: 'n', atMs: 25 * 3_600_000, idempotency: named('next') }
    assert.is((await store.ledger.charge(running)).status, 'charged')
    assert.is((await store.ledger.charge(next)).status, 'charged')
    await store.ledger.conclude({ ...running, atMs: next.atMs, answer: undefined })
    assert.is((await store.ledger.balance(keyId)).used, 1)
  })
  s('remembers an answer for a day', async () => {
    const keyId = await addKey(store, 5)
    const named = (key: string) => heldBy(key, { key })
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
      const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: heldBy('first') }
      const second = { ...first, atMs: 3_600_000, idempotency: heldBy('second') }
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
    const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: heldBy('first') }
    const second = { ...first, atMs: 3_600_000, idempotency: heldBy('second') }
    await store.ledger.charge(first)
    await store.ledger.charge(second)
    assert.ok(await store.ledger.conclude({ ...first, answer: { status: 200, body: 'late' } }))
    assert.ok(await store.ledger.conclude({ ...second, answer: undefined }))
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
  s('says that a late answer is not paid when its charge was given back meanwhile', async () => {
    const keyId = await addKey(store, 5)
    const first = { keyId, units: 2, ref: 'r', atMs: 1_000, idempotency: heldBy('first') }
    const second = { ...first, atMs: 3_600_000, idempotency: heldBy('second') }
    const answer = { status: 200, body: 'late' }
    await store.ledger.charge(first)
    await store.ledger.charge(second)
    await store.ledger.conclude({ ...second, answer: undefined })
    assert.not.ok(await store.ledger.conclude({ ...first, answer }))
    // Nor by the charge of another request under its name.
    await store.ledger.charge({ ...second, idempotency: heldBy('third', { of: 'g' }) })
    assert.not.ok(await store.ledger.conclude({ ...first, answer }))
    assert.is((await store.ledger.balance(keyId)).used, 2)
  })
  s.run()
}

for (const engine of await startStoreEngines()) addTests(engine)
