import { assert, suite } from '../../fixtures/test.ts'
import { createCheckpointSigner } from '../store/checkpointKey.ts'
import { openStore } from '../store/openStore.ts'
import { keepCheckpoints } from './keepCheckpoints.ts'

const dayMs = 86_400_000
const startMs = Date.parse('2026-11-01T12:00:00Z')
const sign = createCheckpointSigner('pepper')
const never = 2 ** 30

const s = suite('keepCheckpoints')

/** A key that has asked once a day for five days; the time is the sixth. */
async function openBooks() {
  const store = openStore({ path: ':memory:' })
  const keyId = 'one'
  const rest = { start: 'x', label: '', wallet: undefined, scopes: ['quote'], createdAtMs: startMs }
  await store.keys.insert({ id: keyId, idHash: '0x01', secretHash: Buffer.from('a'), ...rest })
  await store.ledger.grant({ keyId, units: 9, ref: 'free', atMs: startMs })
  for (const day of [0, 1, 2, 3, 4])
    await store.ledger.charge({ keyId, units: 1, ref: `${day}`, atMs: startMs + day * dayMs })
  return { store, now: () => startMs + 5 * dayMs }
}

async function runOnce(detailDays: number) {
  const { store, now } = await openBooks()
  const log = { warn: () => assert.unreachable() }
  const jobs = keepCheckpoints({ store, now, sign, detailDays, log }, { everyMs: never })
  await jobs.runOnce()
  await jobs.close()
  const kept = (await store.ledger.entries('one', 99)).map(({ ref }) => ref)
  const days = await store.checkpoints.list()
  const audited = await store.ledger.audit()
  store.close()
  return { kept, days: days.length, audited }
}

s(
  'signs every day that is over, and keeps details for as long as is set [24/detail-setting]',
  async () => {
    const all = ['4', '3', '2', '1', '0', 'free']
    assert.equal(await runOnce(0), { kept: all, days: 5, audited: [] })
    assert.equal(await runOnce(3), { kept: ['4', '3', '2', 'free'], days: 5, audited: [] })
  },
)

s('says that the database is away, and goes on with the same rows', async () => {
  const { store, now } = await openBooks()
  const said: unknown[] = []
  const { checkpoints } = store
  let isAway = true
  const away = {
    ...checkpoints,
    advance: (request: Parameters<typeof checkpoints.advance>[0]) =>
      isAway ? Promise.reject(new TypeError('away')) : checkpoints.advance(request),
  }
  const log = { warn: (facts: object) => void said.push(facts) }
  const deps = { store: { checkpoints: away }, now, sign, detailDays: 0, log }
  const jobs = keepCheckpoints(deps, { everyMs: never })
  await jobs.runOnce()
  assert.equal(said, [{ reason: 'TypeError' }])
  isAway = false
  await jobs.runOnce()
  assert.is((await checkpoints.list()).length, 5)
  await jobs.close()
  store.close()
})
s('begins by itself, and takes no step once it is closed [teeth/checkpoint-closed]', async () => {
  const { store, now } = await openBooks()
  let steps = 0
  let isDue = () => {}
  const second = new Promise<void>((resolve) => {
    isDue = resolve
  })
  const advance = async () => {
    steps += 1
    if (steps === 2) isDue()
    return true
  }
  const log = { warn: (facts: object) => assert.unreachable(JSON.stringify(facts)) }
  const deps = { store: { checkpoints: { ...store.checkpoints, advance } }, now, sign, log }
  const jobs = keepCheckpoints({ ...deps, detailDays: 0 }, { everyMs: never })
  await second
  await jobs.close()
  const taken = steps
  await new Promise(setImmediate)
  store.close()
  assert.is(steps, taken)
})
s('is closed once the step that it takes is over [teeth/checkpoint-closed]', async () => {
  const { store, now } = await openBooks()
  const { promise, resolve } = Promise.withResolvers<void>()
  const ended: string[] = []
  const advance = async () => {
    await promise
    ended.push('step')
    return false
  }
  const log = { warn: (facts: object) => assert.unreachable(JSON.stringify(facts)) }
  const deps = { store: { checkpoints: { ...store.checkpoints, advance } }, now, sign, log }
  const jobs = keepCheckpoints({ ...deps, detailDays: 0 }, { everyMs: never })
  const closed = jobs.close().then(() => ended.push('closed'))
  await new Promise(setImmediate)
  resolve()
  await closed
  store.close()
  assert.equal(ended, ['step', 'closed'])
})
s('gives others a turn between its steps [teeth/checkpoint-turns]', async () => {
  const { store, now } = await openBooks()
  let [steps, turns] = [0, 0]
  const advance = async () => {
    steps += 1
    setImmediate(() => {
      turns += 1
    })
    assert.is(turns, steps - 1)
    return steps < 20
  }
  const log = { warn: (facts: object) => assert.unreachable(JSON.stringify(facts)) }
  const deps = { store: { checkpoints: { ...store.checkpoints, advance } }, now, sign, log }
  const jobs = keepCheckpoints({ ...deps, detailDays: 0 }, { everyMs: never })
  await jobs.runOnce()
  await jobs.close()
  store.close()
  assert.is(steps, 20)
})
s.run()
