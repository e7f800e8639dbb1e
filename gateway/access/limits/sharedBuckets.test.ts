import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { startAccessStand } from '../../../fixtures/access/accessStand.ts'
import { type Redis, startRedis } from '../../../fixtures/store/redis.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { endpoint } from '../../http/endpoint.ts'
import { createWarnings } from '../../ops/readiness.ts'
import { openSharedBuckets, type SharedBuckets, type SharedBucketsEvent } from './sharedBuckets.ts'
import { chooseRateLimit } from './sharedRateLimit.ts'

/** Limits that several gateways share on a real Redis; each `open` here stands for a gateway. */
const s = suite('access/sharedBuckets')
const patient = { deadlineMs: 60_000, everyMs: 20 }

s('tries one that is away four times a second, no more often [teeth/shared-away]', async () => {
  const cameAtMs: number[] = []
  const server = createServer((socket) => {
    cameAtMs.push(performance.now())
    socket.destroy()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `redis://127.0.0.1:${port}`
  const buckets = await openSharedBuckets({ url, observe: () => undefined })
  await waitFor('it is tried four times', () => cameAtMs.length >= 4, patient)
  await buckets.close()
  server.close()
  // The first when it is opened, the second at once, as what attends to it begins.
  const [secondMs = 0, fourthMs = 0] = [cameAtMs[1], cameAtMs[3]]
  assert.ok(fourthMs - secondMs > 490, `${fourthMs - secondMs} ms`)
})

const redis = await startRedis()
const countOpen = () =>
  process.getActiveResourcesInfo().filter((name) => /Timeout|Pipe|Socket/.test(name)).length
const openAtFirst = countOpen()
if (redis) addTests(redis)
else s('needs Redis, which is not installed', () => undefined)

function addTests({ url, password, kill, start, signal, close }: Redis) {
  const opened: SharedBuckets[] = []
  const events: SharedBucketsEvent[] = []
  /** Once an hour: nothing refills while a test runs. */
  const slow = { unitsPerSec: 1 / 3600, burst: 100, name: 'test' }
  s.after(async () => {
    await Promise.all(opened.map((buckets) => buckets.close()))
    await close()
  })
  async function open(
    answerWithinMs = 10_000,
    observe = (event: SharedBucketsEvent) => void events.push(event),
  ) {
    const buckets = await openSharedBuckets({ url, answerWithinMs, observe })
    opened.push(buckets)
    return buckets
  }
  const openTwo = async (answerWithinMs?: number) => [
    await open(answerWithinMs),
    await open(answerWithinMs),
  ]

  s('two gateways let one burst pass between them, whoever is asked', async () => {
    const [one, two] = (await openTwo()).map((buckets) => chooseRateLimit({ buckets }, slow))
    if (!one || !two) throw new Error('two were opened')
    const asked = Array.from({ length: 150 }, (_, index) => (index % 3 === 0 ? one : two)('k', 1))
    const states = await Promise.all(asked)
    assert.is(states.filter(({ allowed }) => allowed).length, 100)
    assert.is(Math.min(...states.map(({ remaining }) => remaining)), 0)
    const refused = await two('k', 1)
    assert.equal([refused.allowed, refused.remaining], [false, 0])
    assert.ok(refused.retryAfterSecs > 3_500 && refused.retryAfterSecs <= 3_600)
    assert.ok((await one('other', 100)).allowed)
    assert.is(refused.headers?.['ratelimit-policy'], '"default";q=100;w=360000')
  })

  s('weighs, and counts a refused request as nothing', async () => {
    const take = chooseRateLimit({ buckets: await open() }, slow)
    assert.is((await take('weighed', 16)).remaining, 84)
    assert.is((await take('weighed', 85)).remaining, 84)
    assert.ok((await take('weighed', 84)).allowed)
  })

  s('fills again at the rate, in the time of Redis', async () => {
    const limit = { unitsPerSec: 20, burst: 5, name: 'fast' }
    const take = chooseRateLimit({ buckets: await open() }, limit)
    assert.ok((await take('k', 5)).allowed)
    const passed = async () => (await take('k', 5)).allowed
    await waitFor('the burst is there again', passed, patient)
  })

  s(
    'goes on by itself, from where it stood, when Redis dies, and comes back by itself',
    async () => {
      const [buckets, other] = await openTwo()
      if (!buckets || !other) throw new Error('two were opened')
      const [take, takeOther] = [buckets, other].map((each) =>
        chooseRateLimit({ buckets: each }, { ...slow, name: 'dying' }),
      )
      const { warnings } = createWarnings({ buckets })
      assert.is((await take?.('k', 60))?.remaining, 40)
      assert.equal(warnings(), [])
      await kill()
      const alone = await take?.('k', 30)
      assert.equal([alone?.allowed, alone?.remaining], [true, 10])
      assert.not.ok((await take?.('k', 11))?.allowed)
      assert.not.ok(buckets.isConnected())
      assert.match(warnings().join(), 'each gateway limits by itself')
      await start()
      await waitFor('both are back', () => buckets.isConnected() && other.isConnected(), patient)
      assert.equal(warnings(), [])
      assert.is((await take?.('k', 100))?.remaining, 0)
      assert.not.ok((await takeOther?.('k', 1))?.allowed)
    },
  )

  s(
    'waits no longer than it may for a Redis that hangs, and notices without being asked',
    async () => {
      const [asked, idle] = await openTwo(100)
      if (!asked || !idle) throw new Error('two were opened')
      const take = chooseRateLimit({ buckets: asked }, { ...slow, name: 'hanging' })
      await take('k', 1)
      signal('SIGSTOP')
      assert.ok((await take('k', 1)).allowed)
      await waitFor('it is lost', () => !asked.isConnected() && !idle.isConnected(), patient)
      assert.equal(events.at(-1), { event: 'lost', reason: 'TooSlow' })
      assert.ok((await take('k', 1)).allowed)
      signal('SIGCONT')
      await waitFor('both are back', () => asked.isConnected() && idle.isConnected(), patient)
    },
  )

  s(
    'starts without Redis, takes it up when it is there, and ends with it [teeth/shared-start]',
    async () => {
      await kill()
      const told: SharedBucketsEvent[] = []
      const buckets = await open(10_000, (event) => void told.push(event))
      const take = chooseRateLimit({ buckets }, { ...slow, name: 'late' })
      assert.is((await take('k', 1)).remaining, 99)
      assert.not.ok(buckets.isConnected())
      assert.equal(told, [{ event: 'lost', reason: 'Error' }])
      await start()
      await waitFor('it is there', () => buckets.isConnected(), patient)
      assert.is((await take('k', 1)).remaining, 99)
      await buckets.close()
      assert.not.ok(buckets.isConnected())
      assert.is(await buckets.take({ bucket: 'k', costUs: 1, capacityUs: 1 }), undefined)
      assert.equal(told.slice(1), [{ event: 'connected' }])
    },
  )

  s('limits a key once over two gateways that share keys, and says so on each answer', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'forkyard-shared-'))
    const work = endpoint({
      ...({ method: 'post', path: '/work', summary: 'works', auth: 'key', cost: 1 } as const),
      output: Type.Object({ done: Type.Boolean() }),
      handle: async () => ({ done: true }),
    })
    const stands = await Promise.all(
      (await openTwo()).map((buckets) =>
        startAccessStand({
          path: join(dir, 'keys.db'),
          endpoints: [work],
          buckets,
          change: { keyLimit: { unitsPerSec: 1 / 3600, burst: 10 } },
        }),
      ),
    )
    const { apiKey } = (await stands[0]?.createKey('shared', 100)) ?? {}
    const answers = []
    for (let count = 0; count < 12; count += 1) {
      const stand = stands[count % 2]
      answers.push(await stand?.call('/work', { body: {}, ...(apiKey ? { key: apiKey } : {}) }))
    }
    const statuses = answers.map((answer) => answer?.status)
    assert.equal(statuses, [...Array(10).fill(200), 429, 429])
    const left = answers.map((answer) => Number(answer?.headers.get('x-ratelimit-remaining')))
    assert.equal(left, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0])
    await Promise.all(stands.map((stand) => stand.close()))
    rmSync(dir, { recursive: true })
  })

  s('leaves no timer and no connection behind [teeth/shared-left]', async () => {
    const buckets = await open(60_000)
    const asked = { bucket: 'left', costUs: 1, capacityUs: 100 }
    await Promise.all(Array.from({ length: 20 }, () => buckets.take(asked)))
    await Promise.all(opened.map((each) => each.close()))
    assert.not.ok(buckets.isConnected())
    // Beside them is what waits here itself.
    const isLeft = () => countOpen() > openAtFirst + 1
    await waitFor('all is closed', () => !isLeft(), { deadlineMs: 20_000 })
  })

  s('tells nothing of its address or password', () => {
    assert.ok(events.some(({ event }) => event === 'lost'))
    for (const secret of [password, url, 'redis.sock'])
      assert.not.ok(JSON.stringify(events).includes(secret))
  })
}
s.run()
