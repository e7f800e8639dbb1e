import { mock } from 'node:test'
import { Type } from 'typebox'
import { startAccessStand } from '../../fixtures/access/accessStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from '../http/endpoint.ts'
import { type HttpError, httpError } from '../http/httpError.ts'
import { createService } from '../http/service.ts'
import { StoreUnavailable } from '../store/storeUnavailable.ts'
import { createAccess, refusalAfterMs } from './access.ts'
import { createApiKey } from './apiKey.ts'
import { isStoreError } from './isStoreError.ts'
import { revokeKey } from './issueKeys.ts'
import { accessEndpoints } from './wire/routes.ts'

const s = suite('access/refusals')
const charged = (path: string, cost: number) =>
  endpoint({
    method: 'post',
    path,
    summary: 'Something that costs',
    input: Type.Object({ n: Type.Optional(Type.Integer()) }),
    output: Type.Object({}),
    auth: 'key',
    cost,
    handle: async () => ({}),
  })
const byParts = endpoint({
  method: 'post',
  path: '/batch',
  summary: 'Something that costs by its parts',
  input: Type.Object({ parts: Type.Integer(), isRefused: Type.Optional(Type.Boolean()) }),
  output: Type.Object({}),
  auth: 'key',
  cost: ({ body }) => body.parts,
  handle: async ({ body }) => {
    if (body.isRefused) throw httpError('noRoute')
    return {}
  },
})
const stand = await startAccessStand({
  endpoints: [charged('/work', 1), charged('/exact', 16), byParts],
  change: { keyLimit: { unitsPerSec: 1000, burst: 5000 } },
})
s.after(() => stand.close())
const { deps, store } = stand
const { config, log } = deps
const asked = {
  cost: 1,
  method: 'POST',
  path: '/work',
  search: '',
  headers: {},
  rawBody: '',
  requestId: 'r',
}

s('answers 401 alike for a missing, unknown, mistyped and revoked key [access/401]', async () => {
  const { id, apiKey } = await stand.createKey('gone')
  await revokeKey(deps, { id })
  const headers = { 'x-request-id': 'same' }
  const bodies = await Promise.all(
    ['', 'nonsense', apiKey, `${apiKey.slice(0, -1)}_`, `${apiKey}, ${apiKey}`].map(
      async (key) => (await stand.call('/work', { key, body: {}, headers })).text,
    ),
  )
  bodies.push((await stand.call('/work', { body: {}, headers })).text)
  assert.is(new Set(bodies).size, 1)
  assert.is(JSON.parse(bodies[0] ?? '').code, 'unauthorized')
})
s('answers 401 at the same instant, whatever is wrong with the key [access/401-time]', async () => {
  const unknown = createApiKey({ prefix: config.keyPrefix }).key
  const { id, apiKey: revoked } = await stand.createKey('timed')
  await revokeKey(deps, { id })
  const typo = `${unknown.slice(0, -1)}${unknown.endsWith('a') ? 'b' : 'a'}`
  // A bound from below holds on a busy machine, too: nothing that was found out sooner is told sooner.
  for (const key of [undefined, '', 'nonsense', unknown, typo, revoked]) {
    const access = createAccess(deps)
    const headers = key === undefined ? {} : { 'x-api-key': key }
    const timers = mock.method(globalThis, 'setTimeout')
    const cameAt = performance.now()
    assert.is(await access.identify({ headers, ip: '10.0.0.1' }), undefined)
    const tookMs = performance.now() - cameAt
    timers.mock.restore()
    assert.ok(timers.mock.callCount() > 0, 'it only spun')
    assert.ok(tookMs >= refusalAfterMs, `${key} was refused after ${tookMs} ms`)
  }
})
s(
  'lets the time of a lookup be part of the time of a 401, not come on top [access/401-lookup]',
  async () => {
    const unknown = createApiKey({ prefix: config.keyPrefix }).key
    const pauses: number[] = []
    const slow: typeof store.keys.findBySecretHash = async (...secret) => {
      const found = await store.keys.findBySecretHash(...secret)
      const until = performance.now() + refusalAfterMs
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
      return found
    }
    const asked = { ...store, keys: { ...store.keys, findBySecretHash: slow } }
    const access = createAccess(
      { ...deps, store: asked },
      { pause: async (ms) => void pauses.push(ms) },
    )
    await access.identify({ headers: { 'x-api-key': unknown }, ip: '10.0.0.1' })
    assert.equal(pauses, [1])
  },
)
s('finds a mistyped, malformed or missing key without a lookup', async () => {
  const { apiKey } = await stand.createKey('looked up')
  let lookups = 0
  const findBySecretHash: typeof store.keys.findBySecretHash = (...secret) => {
    lookups++
    return store.keys.findBySecretHash(...secret)
  }
  const counting = { ...store, keys: { ...store.keys, findBySecretHash } }
  const access = createAccess({ ...deps, store: counting })
  const identify = (key?: string, payment?: string) =>
    access.identify({
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(payment !== undefined && { 'payment-signature': payment }),
      },
      ip: '10.0.0.1',
    })
  const swapped = apiKey.replace(/(.)(.)$/, '$2$1')
  for (const key of [undefined, '', 'nonsense', apiKey.slice(1), `${apiKey}a`])
    assert.is(await identify(key), undefined)
  if (swapped !== apiKey) assert.is(await identify(swapped), undefined)
  const refusal = await identify(apiKey, '%%%').catch((error: HttpError) => error)
  assert.is((refusal as HttpError).status, 400)
  assert.is(lookups, 0)
  assert.ok(await identify(apiKey))
  assert.is(lookups, 1)
})
s(
  'tells the state of both limits on every keyed answer, errors included [access/limit-headers]',
  async () => {
    const { apiKey: key } = await stand.createKey('headers', 1)
    const answers = [
      await stand.call('/work', { key, body: {} }),
      await stand.call('/work', { key, body: {} }),
      await stand.call('/work', { key, body: { n: 'x' } }),
      await stand.call('/auth/key-info', { key }),
    ]
    assert.equal(
      answers.map(({ status }) => status),
      [200, 402, 400, 200],
    )
    for (const { headers } of answers) {
      assert.is(headers.get('x-ratelimit-limit'), '5000')
      assert.match(headers.get('x-ratelimit-remaining') ?? '', /^\d+$/)
      assert.match(headers.get('x-ratelimit-reset') ?? '', /^\d+$/)
      assert.is(headers.get('ratelimit-policy'), '"default";q=5000;w=5')
      assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/)
    }
  },
)
s(
  'weighs an endpoint of 16 units as 16 in the limit and in the quota [access/weight]',
  async () => {
    const { apiKey: key } = await stand.createKey('exact', 20)
    const { status, headers } = await stand.call('/exact', { key, body: {} })
    assert.is(status, 200)
    assert.is(headers.get('x-ratelimit-remaining'), String(5000 - 16))
    assert.is((await stand.call('/exact', { key, body: {} })).status, 402)
    assert.is((await stand.call('/work', { key, body: {} })).status, 200)
  },
)
s(
  'lets a request pass that weighs more than the whole burst, where the bucket is full [access/above-burst]',
  async () => {
    const { apiKey } = await stand.createKey('batch', 400)
    const limited = { ...deps, config: { ...config, keyLimit: { unitsPerSec: 1e-6, burst: 16 } } }
    const access = createAccess(limited)
    const service = createService({ name: 'limited', endpoints: [byParts], access, log })
    const { url, close } = await service.listen()
    const answers: (readonly [number, string | null, string | null])[] = []
    for (const parts of [200, 1]) {
      const { status, headers } = await fetch(`${url}/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify({ parts }),
      })
      const named = ['x-ratelimit-remaining', 'x-quota-remaining'] as const
      answers.push([status, headers.get(named[0]), headers.get(named[1])])
    }
    await close()
    assert.equal(answers, [
      [200, '0', '200'],
      [429, '0', null],
    ])
  },
)
s(
  'pauses a key whose refused batches come to as many questions [access/refused-batches]',
  async () => {
    const { apiKey: key } = await stand.createKey('empty batches', 100)
    const statuses: number[] = []
    // The pause is a second.
    const clock = mock.method(performance, 'now', () => 0)
    for (const parts of [50, 1, 1])
      statuses.push((await stand.call('/batch', { key, body: { parts, isRefused: true } })).status)
    clock.mock.restore()
    assert.equal(statuses, [404, 404, 429])
  },
)
s(
  'refuses what the database does not book, and tells of a mistake as it is [teeth/unbooked]',
  async () => {
    const { id: keyId } = await stand.createKey('unbooked', 100)
    const observed: string[] = []
    const charge = async (failure?: Error) => {
      const book: typeof store.ledger.charge = (request) =>
        failure ? Promise.reject(failure) : store.ledger.charge(request)
      const access = createAccess({
        ...deps,
        store: { ...store, ledger: { ...store.ledger, charge: book } },
        observeCharge: (outcome) => void observed.push(outcome),
      })
      const charged = await access.charge({ ...asked, caller: { keyId, scopes: [] } })
      if (charged.status !== 'refused') return charged.status
      return `${charged.error.status} ${charged.error.headers['retry-after']}`
    }
    assert.is(await charge(), 'charged')
    assert.is(await charge(new StoreUnavailable('away')), '503 1')
    const mistake = await charge(new RangeError('ours')).catch((error: Error) => error.name)
    assert.is(mistake, 'RangeError')
    assert.equal(observed, ['taken', 'refused'])
  },
)
s('tells a paused key for how long, in whole seconds above [teeth/pause-told]', async () => {
  const { id: keyId } = await stand.createKey('paused', 100)
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => nowMs)
  const access = createAccess(deps)
  const charge = (questions: number) =>
    access.charge({ ...asked, caller: { keyId, scopes: [] }, questions })
  const told: unknown[] = []
  try {
    // So many refusals at once that the pause is the longest.
    const charged = await charge(57)
    if (charged.status === 'charged') await charged.conclude({ status: 404, body: '' })
    for (const ms of [0, 999, 59_999, 60_000]) {
      nowMs = ms
      const next = await charge(1)
      told.push(next.status === 'refused' ? next.error.headers['retry-after'] : next.status)
    }
  } finally {
    clock.mock.restore()
  }
  assert.equal(told, ['60', '60', '1', 'charged'])
})
s(
  'answers 503 wherever the database does not, 500 for a mistake, and neither tells why',
  async () => {
    const { apiKey } = await stand.createKey('outage')
    const causes = {
      outage: new StoreUnavailable('postgres://secret'),
      mistake: new Error('secret'),
    }
    const answers = Object.values(causes).map(async (cause) => {
      const findBySecretHash = () => Promise.reject(cause)
      const broken = { ...deps, store: { ...store, keys: { ...store.keys, findBySecretHash } } }
      const [endpoints, access] = [accessEndpoints(broken), createAccess(broken)]
      const service = createService({ name: 'n', endpoints, access, log, isOutage: isStoreError })
      const { url, close } = await service.listen()
      const response = await fetch(`${url}/auth/key-info`, { headers: { 'x-api-key': apiKey } })
      const text = await response.text()
      await close()
      assert.not.match(text, 'secret')
      return [response.status, response.headers.get('retry-after')]
    })
    assert.equal(await Promise.all(answers), [
      [503, '1'],
      [500, null],
    ])
  },
)
s('limits requests without a key per address [access/per-address]', async () => {
  const limited = {
    ...deps,
    config: { ...config, ipLimit: { unitsPerSec: 0.001, burst: 3 }, isLoopbackLimited: true },
  }
  const endpoints = accessEndpoints(limited)
  const options = { name: 'limited', endpoints, access: createAccess(limited), log }
  const other = await createService(options).listen()
  const statuses = []
  for (let index = 0; index < 4; index++)
    statuses.push((await fetch(`${other.url}/auth/pricing`)).status)
  assert.equal(statuses, [200, 200, 200, 429])
  await other.close()
})
s(
  'turns a network away that tries one key after the other, and nobody else [access/key-flood]',
  async () => {
    const ipLimit = { unitsPerSec: 1 / 3_600, burst: 20 }
    const limited = { ...deps, config: { ...config, ipLimit, isLoopbackLimited: true } }
    const endpoints = accessEndpoints(limited)
    const options = { name: 'flooded', endpoints, access: createAccess(limited), log }
    const { url, close } = await createService(options).listen()
    const ask = (path: string, key?: string) =>
      fetch(url + path, { headers: key === undefined ? {} : { 'x-api-key': key } })
    const { apiKey } = await stand.createKey('flooded')
    const flood = Array.from({ length: 100 }, () => createApiKey({ prefix: config.keyPrefix }).key)
    const answers = await Promise.all(flood.map((key) => ask('/auth/key-info', key)))
    const refused = answers.filter(({ status }) => status === 429)
    assert.is(answers.filter(({ status }) => status === 401).length, 20)
    assert.is(refused.length, 80)
    for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 3_000)
    // Whoever has a key shares the network, and those without one ask for what is open to all.
    assert.is((await ask('/auth/key-info', apiKey)).status, 200)
    assert.is((await ask('/auth/pricing')).status, 200)
    await close()
  },
)
s('counts addresses behind a listed proxy apart, and believes nobody else', async () => {
  const limited = {
    ...deps,
    config: { ...config, ipLimit: { unitsPerSec: 0.001, burst: 1 }, isLoopbackLimited: true },
  }
  const endpoints = accessEndpoints(limited)
  const statuses = async (trustedProxies: readonly string[], clients: readonly string[]) => {
    const access = createAccess(limited)
    const other = await createService({
      name: 'n',
      endpoints,
      access,
      log,
      trustedProxies,
    }).listen()
    const answers = []
    for (const client of clients)
      answers.push(
        (await fetch(`${other.url}/auth/pricing`, { headers: { 'x-forwarded-for': client } }))
          .status,
      )
    await other.close()
    return answers
  }
  const clients = ['1.1.1.1', '2.2.2.2', '1.1.1.1', '::ffff:101:101']
  assert.equal(await statuses(['127.0.0.1'], clients), [200, 200, 429, 429])
  assert.equal(await statuses([], clients), [200, 429, 429, 429])
  // One network of IPv6 belongs to one caller, who would have 2^64 buckets.
  const neighbours = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::1', '2001:db8:0:2::1']
  assert.equal(await statuses(['127.0.0.1'], neighbours), [200, 429, 200])
})
s(
  'answers 402 without an offer where no quota is sold, and serves no claims [access/no-offer]',
  async () => {
    const { apiKey: key } = await stand.createKey('nothing to buy')
    const { status, headers, body } = await stand.call('/work', { key, body: {} })
    assert.is(status, 402)
    assert.is(body['error'], 'this request costs 1 quotes and the key has 0')
    assert.not.ok(headers.has('payment-required'))
    assert.equal((await stand.call('/auth/pricing')).body['contracts'], [])
    for (const path of ['/auth/quota/claim', '/x402/settle'])
      assert.is((await stand.call(path, { key, body: {} })).status, 404)
  },
)
s.run()
