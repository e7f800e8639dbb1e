import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { startAccessStand } from '../../fixtures/access/accessStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { endpoint } from '../http/endpoint.ts'
import { HttpError } from '../http/httpError.ts'
import { stream } from '../http/reply.ts'

/** Two gateways of one database, and plans that change while both serve. */
const s = suite('plans of keys')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-plans-'))
let gate = Promise.withResolvers<void>()
let entered = 0

const charged = { method: 'post', auth: 'key', cost: 1, output: Type.Object({}) } as const
const work = endpoint({
  ...charged,
  path: '/work',
  summary: 'works',
  input: Type.Object({ fails: Type.Optional(Type.Boolean()) }),
  handle: async ({ body }) => {
    if (body.fails) throw new HttpError(404, 'no_route', 'no route')
    return {}
  },
})
const slow = endpoint({
  ...charged,
  path: '/slow',
  summary: 'is under way until it is let go',
  handle: async () => {
    entered += 1
    await gate.promise
    return {}
  },
})
const follow = endpoint({
  ...charged,
  path: '/follow',
  summary: 'streams until it is let go',
  streams: true,
  handle: async () =>
    stream(async () => {
      entered += 1
      await gate.promise
    }),
})
const stands = await Promise.all(
  [1, 2].map(() =>
    startAccessStand({ path: join(dir, 'keys.db'), endpoints: [work, slow, follow] }),
  ),
)
const [one, two] = stands
if (!one || !two) throw new Error('two were started')
const { plans, ledger } = one.store
s.after(async () => {
  gate.resolve()
  await Promise.all(stands.map((stand) => stand.close()))
  rmSync(dir, { recursive: true })
})

const plan = { unitsPerSec: 50, burst: 200 }
async function addKey(name: string, quotes = 1_000) {
  const made = await one?.createKey(name, quotes)
  if (!made) throw new Error('it was started')
  const outcome = await plans.assign({ keyId: made.id, name })
  return { id: made.id, key: made.apiKey, outcome }
}
const patient = { deadlineMs: 30_000, everyMs: 50 }
const body = {}

s(
  'limits a key as its plan says, from the next request on, and others as before [24/plan-limits]',
  async () => {
    await plans.create({ ...plan, name: 'rated' })
    const { id, key } = await addKey('rated')
    const limitOf = async (stand = one, apiKey = key) =>
      (await stand.call('/work', { key: apiKey, body })).headers.get('x-ratelimit-limit')
    assert.equal([await limitOf(one), await limitOf(two)], ['200', '200'])
    await plans.change('rated', { burst: 16 })
    for (const stand of [one, two])
      await waitFor('the change is there', async () => (await limitOf(stand)) === '16', patient)
    const bare = await one.createKey('bare', 10)
    assert.is(await limitOf(one, bare.apiKey), '100000')
    await plans.assign({ keyId: id, name: undefined })
    assert.equal([await limitOf(one), await limitOf(two)], ['100000', '100000'])
  },
)

s('lets a plan ask its methods alone, and look at its quota [24/plan-methods]', async () => {
  await plans.create({ ...plan, name: 'worker', methods: ['POST /work'] })
  const { id, key } = await addKey('worker')
  const answers = await Promise.all(
    ['/work', '/slow', '/follow'].map((path) => one.call(path, { key, body })),
  )
  assert.equal(
    answers.map(({ status }) => status),
    [200, 403, 403],
  )
  assert.match(String(answers[1]?.body['error']), 'allows POST /work, not POST /slow')
  assert.is((await one.call('/auth/key-info', { key })).status, 200)
  assert.is((await ledger.balance(id)).used, 1)
})

s(
  'has no more requests and streams of a key under way than its plan has places [24/plan-places]',
  async () => {
    await plans.create({ ...plan, name: 'narrow', concurrent: 2, streams: 1 })
    const { id, key } = await addKey('narrow')
    entered = 0
    const open = [...Array(2).fill('/slow'), '/follow'].map((path: string) =>
      one.call(path, { key, body }).catch(() => undefined),
    )
    await waitFor('all are under way', () => entered === 3, patient)
    for (const [path, kind] of [
      ['/work', 'requests'],
      ['/follow', 'streams'],
    ] as const) {
      const refused = await one.call(path, { key, body })
      assert.equal([refused.status, refused.headers.get('retry-after')], [429, '1'])
      assert.match(String(refused.body['error']), kind)
    }
    // Another gateway has places of its own, and so has another key.
    assert.is((await two.call('/work', { key, body })).status, 200)
    assert.is((await one.call('/work', { key: (await addKey('narrow')).key, body })).status, 200)
    gate.resolve()
    await Promise.allSettled(open)
    gate = Promise.withResolvers()
    assert.is((await one.call('/work', { key, body })).status, 200)
    assert.is((await ledger.balance(id)).used, 5)
  },
)

s(
  'takes what a month has and no more through both gateways, and counts no failure [24/plan-month]',
  async () => {
    await plans.create({ ...plan, name: 'monthly', unitsPerMonth: 10 })
    const { id, key } = await addKey('monthly')
    const failed = await one.call('/work', { key, body: { fails: true } })
    assert.is(failed.status, 404)
    const asked = Array.from({ length: 30 }, (_, index) =>
      (index % 2 === 0 ? one : two).call('/work', { key, body }),
    )
    const answers = await Promise.all(asked)
    const capped = answers.filter(({ status }) => status === 429)
    assert.equal([answers.length - capped.length, capped.length], [10, 20])
    assert.match(String(capped[0]?.body['error']), "of the 10 quotes that the key's plan allows")
    const waitSecs = Number(capped[0]?.headers.get('retry-after'))
    assert.ok(waitSecs >= 1 && waitSecs <= 86_400)
    // The operator sells more, while both serve.
    await plans.change('monthly', { unitsPerMonth: 12 })
    const passes = async () => (await two.call('/work', { key, body })).status === 200
    await waitFor('the change is there', passes, patient)
    assert.equal([(await ledger.balance(id)).used, await ledger.audit()], [11, []])
  },
)

s(
  'goes on while plans change under its requests, and books what it answered [24/plan-races]',
  async () => {
    await plans.create({ ...plan, burst: 100_000, name: 'moving' })
    const { id, key } = await addKey('moving', 10_000)
    const changes = [
      () => plans.change('moving', { unitsPerMonth: 1 }),
      () => plans.assign({ keyId: id, name: undefined }),
      () => plans.remove('moving'),
      () => plans.create({ ...plan, burst: 100_000, name: 'moving', unitsPerMonth: 100_000 }),
      () => plans.assign({ keyId: id, name: 'moving' }),
      () => plans.change('moving', { unitsPerMonth: undefined, concurrent: 1 }),
      () => plans.change('moving', { concurrent: undefined }),
    ]
    const statuses: number[] = []
    for (const change of [...changes, ...changes]) {
      const asked = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : two).call('/work', { key, body: { fails: index % 5 === 0 } }),
      )
      const [, ...answers] = await Promise.all([change(), ...asked])
      statuses.push(...answers.map(({ status }) => status))
    }
    assert.equal(
      statuses.filter((status) => ![200, 404, 429].includes(status)),
      [],
    )
    const answered = statuses.filter((status) => status === 200).length
    assert.ok(answered > 0)
    assert.equal([(await ledger.balance(id)).used, await ledger.audit()], [answered, []])
  },
)
s.run()
