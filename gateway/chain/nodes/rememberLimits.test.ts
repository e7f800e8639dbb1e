import { assert, suite } from '../../../fixtures/test.ts'
import { openStore } from '../../store/openStore.ts'
import { createLimits } from './limits.ts'
import { rememberLimits } from './rememberLimits.ts'

const s = suite('limits kept between runs')
const store = openStore({ path: ':memory:' })
s.after(store.close)
const book = store.nodeLimits
const day = 24 * 3_600_000

const run = (url: string) => ({ url, limits: createLimits({ now: () => 0 }) })
const load = { calls: 64, bytes: 1_000_000, gas: 0 }

s(
  'a restart begins with what the endpoint was found to take, for a week [nodes/remembered]',
  async () => {
    const first = run('https://node.example/v2/secret-key')
    const learning = await rememberLimits([first], { book, now: () => 0 })
    first.limits.refused({ kind: 'batch_too_large', limit: 3 }, load)
    first.limits.refused({ kind: 'body_too_large' }, load)
    for (let time = 0; time < 2; time += 1) first.limits.refusedHash()
    await learning.close()
    const second = run('https://node.example/v2/secret-key')
    await (await rememberLimits([second], { book, now: () => 6 * day })).close()
    assert.is(second.limits.batchCalls(), 3)
    const { bodyBytes, namesByNumber } = second.limits.read()
    assert.equal([bodyBytes, namesByNumber], [500_000, 1])
    for (const [url, atMs] of [
      ['https://node.example/v2/secret-key', 8 * day],
      ['https://node.example/v2/another-key', 0],
    ] as const) {
      const other = run(url)
      await (await rememberLimits([other], { book, now: () => atMs })).close()
      assert.is(other.limits.batchCalls(), 64)
    }
    const rows = store.db.prepare('SELECT * FROM node_limits').all()
    assert.is(rows.length, 1)
    assert.not.match(JSON.stringify(rows), /secret|example/)
  },
)

s(
  'what was guessed grows on in the next run, and what was named stands for a minute of it [nodes/regrow-remembered]',
  async () => {
    const clock = { ms: 0 }
    const restart = async () => {
      const limits = createLimits({ now: () => clock.ms })
      return { limits, kept: await rememberLimits([{ url: 'http://grown', limits }], { book }) }
    }
    const first = await restart()
    first.limits.refused({ kind: 'batch_too_large', limit: 3 }, load)
    first.limits.refused({ kind: 'range_too_wide' }, { ...load, blocks: 246_912 })
    await first.kept.close()
    const second = await restart()
    assert.equal([second.limits.batchCalls(), second.limits.read().logBlocks], [3, 120_000])
    clock.ms += 60_000
    assert.is(second.limits.batchCalls(), 3)
    clock.ms += 540_000
    assert.equal([second.limits.batchCalls(), second.limits.read().logBlocks], [64, undefined])
    await second.kept.close()
    const third = await restart()
    assert.equal([third.limits.batchCalls(), third.limits.read().guessed], [64, []])
    await third.kept.close()
  },
)

s(
  'a rate that was guessed is looked for on in the next run, one that was found is not [nodes/rate-remembered]',
  async () => {
    const clock = { ms: 0 }
    const rate = { kind: 'rate_limited' } as const
    const restart = async () => {
      const limits = createLimits({ now: () => clock.ms })
      return { limits, kept: await rememberLimits([{ url: 'http://paced', limits }], { book }) }
    }
    /** What it is after a second in which all was asked for that it lets through. */
    function grow(limits: ReturnType<typeof createLimits>) {
      clock.ms += 1_000
      limits.pay(64)
      limits.took(64)
      return limits.read().callsPerSecond
    }
    const first = await restart()
    for (let refusal = 0; refusal < 2; refusal += 1) {
      first.limits.took(4)
      first.limits.refused(rate, load)
      clock.ms += 1_000
    }
    assert.is(first.limits.read().callsPerSecond, 8)
    await first.kept.close()
    const second = await restart()
    assert.is(Number(grow(second.limits)?.toFixed(3)), 8.8)
    second.limits.refused(rate, load)
    await second.kept.close()
    const third = await restart()
    const found = third.limits.read().callsPerSecond
    assert.is(grow(third.limits), found)
    await third.kept.close()
  },
)

s('learns on where the book is out of reach or holds anything', async () => {
  for (const text of ['null', '[', '{"batchCalls":"many","bodyBytes":-1}']) {
    const broken = { read: async () => text, write: () => Promise.reject(new Error('disk full')) }
    const endpoint = run('http://127.0.0.1:1')
    const learning = await rememberLimits([endpoint], { book: broken })
    endpoint.limits.refused({ kind: 'batch_too_large', limit: 5 }, load)
    await learning.close()
    assert.is(endpoint.limits.batchCalls(), 5)
  }
})
s.run()
