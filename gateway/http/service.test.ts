import { connect } from 'node:net'
import { Type } from 'typebox'
import { sendWholeBody } from '../../fixtures/sendWholeBody.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import type { Access } from './access.ts'
import { endpoint } from './endpoint.ts'
import { HttpError } from './httpError.ts'
import { reply, stream } from './reply.ts'
import * as schemas from './schemas.ts'
import { createService } from './service.ts'
import type { RequestEvent } from './serviceOptions.ts'
import { createValidate } from './validate.ts'

const s = suite('http/service')
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const events: RequestEvent[] = []
const logged: string[] = []
const concluded: number[] = []
let aborted = 0
let remaining = 1_000

const access: Access = {
  identify: async ({ headers }) =>
    headers['x-api-key'] === 'good' ? { keyId: 'k1', scopes: [] } : undefined,
  limit: async ({ caller, weight }) => {
    if (!caller) return undefined
    remaining -= weight
    return { allowed: remaining >= 0, limit: 1_000, remaining, resetSecs: 1, retryAfterSecs: 2 }
  },
  charge: async ({ cost }) =>
    cost > 50
      ? {
          status: 'refused',
          error: new HttpError(402, 'payment_required', 'no quota', {
            headers: { 'payment-required': 'e30=' },
          }),
        }
      : {
          status: 'charged',
          headers: { 'x-charged': String(cost) },
          conclude: async ({ status }) => void concluded.push(status),
        },
}

const Swap = Type.Object({
  chain_id: schemas.chainId([8453, 42161]),
  token: schemas.address(),
  amount: schemas.positiveUint256(),
  slippage_bps: schemas.slippageBps(),
  legs: Type.Optional(
    Type.Array(Type.Object({ token: schemas.address() }), { minItems: 1, maxItems: 2 }),
  ),
})
const endpoints = [
  endpoint({
    method: 'post',
    path: '/swap',
    summary: 'Swap',
    input: Swap,
    output: Type.Object({ slippage: Type.Integer(), raw: Type.String() }),
    auth: 'key',
    cost: 1,
    handle: async ({ body, rawBody }) => ({ slippage: body.slippage_bps, raw: rawBody }),
  }),
  endpoint({
    method: 'get',
    path: '/swap/:chain_id',
    summary: 'Read',
    params: Type.Object({ chain_id: schemas.chainId([8453]) }),
    query: Type.Object({ deep: schemas.withDefault(Type.Boolean({ default: false })) }),
    output: Type.Object({ chain: Type.Integer(), deep: Type.Boolean() }),
    auth: 'none',
    handle: async ({ params, query }) => ({ chain: params.chain_id, deep: query.deep }),
  }),
  endpoint({
    method: 'get',
    path: '/fail/:how',
    summary: 'Fail',
    params: Type.Object({ how: Type.String() }),
    output: Type.Object({}),
    auth: 'key',
    cost: 2,
    handle: async ({ params }) => {
      if (params.how === 'refuse') throw new HttpError(404, 'no_route', 'no route')
      if (params.how === 'reply') return reply({ status: 503, body: { error: 'later' } })
      throw new Error('secret https://rpc.example/key')
    },
  }),
  endpoint({
    method: 'post',
    path: '/big',
    summary: 'Costs more than there is',
    input: Type.Object({ cost: Type.Integer() }),
    output: Type.Object({}),
    auth: 'key',
    cost: ({ body }) => body.cost,
    handle: async () => ({}),
  }),
  endpoint({
    method: 'post',
    path: '/events',
    summary: 'Stream',
    input: Type.Object({ forever: schemas.withDefault(Type.Boolean({ default: false })) }),
    output: Type.Object({}),
    auth: 'none',
    streams: true,
    handle: async ({ body }) =>
      stream(async (sink, signal) => {
        sink.send('initial', { text: 'a\r\nb' })
        if (body.forever)
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              aborted++
              resolve()
            })
          })
        sink.done('done', {})
      }),
  }),
]
const log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (fields: object, message: string) => void logged.push(`${message} ${Object.keys(fields)}`),
}
const service = createService({
  name: 'test',
  endpoints,
  access,
  log,
  checkOutput: true,
  observe: (event) => void events.push(event),
})
const server = await service.listen()
s.after(() => server.close())

const good = { 'x-api-key': 'good', 'content-type': 'application/json' }
const swap = { chain_id: 8453, token: usdc, amount: '1000000' }
async function call(path: string, init: RequestInit = {}) {
  const res = await fetch(server.url + path, init)
  const text = await res.text()
  return {
    status: res.status,
    headers: res.headers,
    text,
    body: text === '' ? {} : JSON.parse(text),
  }
}
const post = (path: string, body: unknown, headers: Record<string, string> = good) =>
  call(path, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
s(
  'fills defaults in, keeps the raw text and ignores unknown fields [http/unknown-fields]',
  async () => {
    const sent = { ...swap, amount_usd: 3 }
    const { status, body, headers } = await post('/swap', sent)
    assert.is(status, 200)
    assert.equal(body, { slippage: 50, raw: JSON.stringify(sent) })
    assert.is(headers.get('x-charged'), '1')
    assert.is(headers.get('access-control-allow-origin'), '*')
  },
)

const bad: [name: string, change: Record<string, unknown>, sentence: RegExp][] = [
  ['a missing field', { token: undefined }, /^token is required$/],
  ['a number where a decimal string is asked', { amount: 1 }, /^amount must be a string$/],
  ['a negative amount', { amount: '-1' }, /^amount must be a decimal string/],
  ['an amount of zero', { amount: '0' }, /above zero$/],
  ['2^256', { amount: String(2n ** 256n) }, /^amount must be/],
  ['a float', { amount: '1.5' }, /^amount must be/],
  ['hex', { amount: '0x10' }, /^amount must be/],
  ['another chain', { chain_id: 1 }, /^chain_id must be one of 8453, 42161$/],
  ['a chain id as a string', { chain_id: '8453' }, /^chain_id must be an integer$/],
  ['a wrong checksum', { token: usdc.replace('fCD', 'FCD') }, /^token must be a 0x-prefixed/],
  ['a short address', { token: '0x12' }, /^token must be/],
  ['slippage above 10,000', { slippage_bps: 10_001 }, /^slippage_bps must be <= 10000$/],
  ['a fractional slippage', { slippage_bps: 0.5 }, /^slippage_bps must be an integer$/],
  ['no legs', { legs: [] }, /^legs must have at least 1 entries$/],
  ['a bad leg', { legs: [{ token: 'x' }] }, /^legs\[0\]\.token must be/],
  ['a leg without its token', { legs: [{}] }, /^legs\[0\]\.token is required$/],
]
for (const [name, change, sentence] of bad)
  s(`refuses ${name} with 400, one sentence and no charge [http/bad-field]`, async () => {
    const before = concluded.length
    const { status, body, headers } = await post('/swap', { ...swap, ...change })
    assert.is(status, 400)
    assert.match(body.error, sentence)
    assert.is(body.code, 'invalid_request')
    assert.is(body.details.length, 1)
    assert.is(body.request_id, headers.get('x-request-id'))
    assert.is(headers.get('x-charged'), null)
    assert.is(concluded.length, before)
    assert.ok(headers.has('x-ratelimit-remaining'))
  })

s('accepts an address in lower and in upper case [http/any-case]', async () => {
  const upper = `0x${usdc.slice(2).toUpperCase()}`
  for (const token of [usdc.toLowerCase(), upper])
    assert.is((await post('/swap', { ...swap, token })).status, 200)
})

const broken: [name: string, text: string][] = [
  ['broken JSON', '{'],
  ['an empty body', ''],
  ['an array', '[]'],
  ['null', 'null'],
  ['deep nesting', '['.repeat(200_000)],
]
for (const [name, text] of broken)
  s(`refuses ${name} with 400`, async () => {
    const { status, body } = await post('/swap', text)
    assert.is(status, 400, JSON.stringify(body))
  })

const valid = `"chain_id":8453,"token":"${usdc}","amount":"1"`
const leg = `"token":"${usdc}"`
const suspect: [name: string, text: string][] = [
  ['__proto__', `{${valid},"__proto__":{"a":1}}`],
  ['an escaped __proto__', `{${valid},"\\u005f_proto__":{"a":1}}`],
  ['a __proto__ further in', `{${valid},"legs":[{${leg},"__proto__":{"a":1}}]}`],
  ['an escaped __proto__ further in', `{${valid},"legs":[{${leg},"__pr\\u006fto__":1}]}`],
]
for (const [name, text] of suspect)
  s(`refuses ${name} in a body that is valid without it [http/proto]`, async () => {
    const { status, body } = await post('/swap', text)
    assert.equal([status, body.error], [400, 'the body must not contain a key named __proto__'])
    const without = text.replace(/,"[^"]*pr[^"]*to__":(\{"a":1\}|1)/, '')
    assert.not.match(without, 'to__')
    assert.is((await post('/swap', without)).status, 200)
  })
s('takes the word __proto__ where it is no key', async () => {
  assert.is((await post('/swap', `{${valid},"note":"__proto__ \\u005f"}`)).status, 200)
})

s('refuses a body that is not UTF-8 or compressed', async () => {
  const init = { method: 'POST', headers: good, body: Buffer.from([0x22, 0xff, 0x22]) }
  assert.is((await call('/swap', init)).status, 400)
  const zipped = { ...good, 'content-encoding': 'gzip' }
  assert.is((await post('/swap', swap, zipped)).status, 415)
})
s('refuses 1 MB and 20 MB bodies with 413, whoever reads it when [http/too-large]', async () => {
  const { status, body } = await post('/swap', JSON.stringify({ a: 'x'.repeat(1e6) }))
  const sentence = 'the body is larger than 262144 bytes'
  assert.equal([status, body.code, body.error], [413, 'body_too_large', sentence])
  for (const bytes of [1e6, 2e7]) {
    const answer = await sendWholeBody(`${server.url}/swap`, { bytes, head: 'X-Api-Key: good\r\n' })
    assert.match(answer, /^HTTP\/1.1 413 /)
  }
})
s('coerces queries and path parameters, and only those', async () => {
  assert.equal((await call('/swap/8453?deep=true')).body, { chain: 8453, deep: true })
  assert.is((await call('/swap/8453?deep=1&deep=0')).status, 400)
  assert.is((await call('/swap/1')).status, 400)
  assert.is((await call('/swap/%E0%A4%A')).status, 400)
})
s('coerces plain numbers only: no hex, exponent, blank, Infinity', async () => {
  assert.is((await call('/swap/8453?deep=false')).status, 200)
  const oddities = ['0x2105', '8.453e3', '%208453', '08453', '9'.repeat(5_000), 'Infinity']
  for (const oddity of oddities) assert.is((await call(`/swap/${oddity}`)).status, 400, oddity)
  const validate = createValidate(Type.Object({ slippage: schemas.slippageBps() }), 'query')
  for (const slippage of [...oddities, 'NaN', '-1', '10001', '0.5'])
    assert.ok(validate({ slippage }), slippage)
})
s('answers the same 401 for a missing and a wrong key [http/401]', async () => {
  const missing = await post('/swap', swap, { 'x-request-id': 'same' })
  const wrong = await post('/swap', swap, { 'x-request-id': 'same', 'x-api-key': 'bad' })
  assert.is(missing.status, 401)
  assert.is(missing.text, wrong.text)
})
s(
  'answers 404 for an unknown path, 405 with Allow for a wrong method [http/unknown-path]',
  async () => {
    const unknown = await call('/nothing')
    assert.is(unknown.status, 404)
    assert.is(unknown.body.code, 'not_found')
    assert.match(unknown.text, 'there is nothing at /nothing')
    const wrong = await call('/swap')
    assert.is(wrong.status, 405)
    assert.is(wrong.headers.get('allow'), 'POST, OPTIONS')
    assert.is(
      (await call('/swap/8453', { method: 'PUT' })).headers.get('allow'),
      'HEAD, GET, OPTIONS',
    )
  },
)
s('knows each path by one spelling, so that a proxy may have rules for it', async () => {
  for (const path of ['/fail/reply', '/swap/8453', '/openapi.json'])
    for (const other of [`${path}/`, path.toUpperCase(), `/${path}`, path.replace('s', '%73')])
      if (other !== path) assert.is((await call(other, { headers: good })).status, 404, other)
})
s('charges no HEAD: a charged path answers it with 405', async () => {
  concluded.length = 0
  const head = await call('/fail/reply', { method: 'HEAD', headers: good })
  assert.is(head.status, 405)
  assert.is(head.headers.get('allow'), 'GET, OPTIONS')
  assert.equal(concluded, [])
})
s(
  'answers HEAD like GET without a body, OPTIONS with Allow, and a preflight [http/preflight]',
  async () => {
    const head = await call('/swap/8453', { method: 'HEAD' })
    assert.is(head.status, 200)
    assert.is(head.text, '')
    const options = await call('/swap', { method: 'OPTIONS' })
    assert.equal([options.status, options.headers.get('allow')], [204, 'POST, OPTIONS'])
    const preflight = await call('/swap', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://a.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
    })
    assert.is(preflight.status, 204)
    const said = ['methods', 'headers'].map((what) =>
      preflight.headers.get(`access-control-allow-${what}`),
    )
    assert.equal(said, ['GET, HEAD, POST', 'x-api-key'])
    // A day, which browsers shorten as they like.
    assert.is(preflight.headers.get('access-control-max-age'), '86400')
  },
)
s(
  'gives the charge back unless the answer is 2xx, and tells nothing of a bug [http/given-back]',
  async () => {
    concluded.length = 0
    assert.is((await call('/fail/refuse', { headers: good })).status, 404)
    assert.is((await call('/fail/reply', { headers: good })).status, 503)
    const failed = await call('/fail/bug', { headers: good })
    assert.is(failed.status, 500)
    assert.not.match(failed.text, /secret|rpc\.example/)
    assert.equal(concluded, [404, 503, 500])
    assert.ok(failed.headers.has('x-ratelimit-remaining'))
    assert.equal(logged, ['request failed err,requestId,path'])
  },
)
s('answers 402 with its header [http/402]', async () => {
  const { status, headers } = await post('/big', { cost: 51 })
  assert.is(status, 402)
  assert.is(headers.get('payment-required'), 'e30=')
})
s('answers 429 with Retry-After in header and body [http/429]', async () => {
  const kept = remaining
  remaining = 0
  const { status, headers, body } = await post('/swap', swap)
  remaining = kept
  assert.is(status, 429)
  assert.is(headers.get('retry-after'), '2')
  assert.is(body.retryAfterSec, 2)
})
s('weighs a request as much as what it asks for costs, before anything is charged', async () => {
  for (const [cost, units] of [
    [5, 5],
    [0, 1],
  ]) {
    const before = remaining
    const { status, headers } = await post('/big', { cost })
    assert.is(status, 200)
    assert.is(before - remaining, units)
    assert.is(headers.get('x-ratelimit-remaining'), String(remaining))
  }
  const kept = remaining
  remaining = 4
  const heavy = await post('/big', { cost: 5 })
  remaining = kept
  assert.is(heavy.status, 429)
  assert.is(heavy.headers.get('x-charged'), null)
})
s(
  'streams events with LF only, an id on each and :done on the last [http/stream-form]',
  async () => {
    const res = await fetch(`${server.url}/events`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-request-id': 'r1' },
    })
    assert.is(res.status, 200)
    assert.is(res.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.is(res.headers.get('cache-control'), 'no-cache, no-transform')
    assert.is(res.headers.get('x-content-type-options'), 'nosniff')
    const text = await res.text()
    assert.not.match(text, /\r/)
    assert.match(text, /^: ok\nretry: 3000\nevent: initial\n/)
    assert.match(text, 'event: initial\nid: r1:1\ndata: {"text":"a\\r\\nb"}\n\n')
    assert.match(text, 'event: done\nid: r1:done\ndata: {}\n\n')
  },
)
s('answers 204 to a client that reconnects after the last event [http/204]', async () => {
  const res = await post('/events', {}, { 'last-event-id': 'r1:done' })
  assert.is(res.status, 204)
})
s('tells a stream that its client left', async () => {
  const controller = new AbortController()
  const res = await fetch(`${server.url}/events`, {
    method: 'POST',
    body: '{"forever":true}',
    signal: controller.signal,
  })
  await res.body?.getReader().read()
  controller.abort()
  await waitFor('it is told', () => aborted === 1)
})
s('tells a stream whose client has ended its half of the connection', async () => {
  const { hostname, port } = new URL(server.url)
  const before = aborted
  const socket = connect(Number(port), hostname)
  const body = '{"forever":true}'
  socket.write(`POST /events HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await new Promise((resolve) => socket.once('data', resolve))
  socket.end()
  await waitFor('it is told', () => aborted === before + 1)
  socket.destroy()
})
s('answers what is not HTTP with the documented body', async () => {
  const { hostname, port } = new URL(server.url)
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write('NONSENSE\r\n\r\n'))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
  assert.match(text, /^HTTP\/1\.1 400 /)
  assert.match(text, /"error":"this is not valid HTTP","code":"invalid_request","request_id":/)
})
s('sets no cookie and heeds none, whatever it answers [http/no-cookies]', async () => {
  const cookie = { cookie: 'session=good; x-api-key=good' }
  const answers = await Promise.all([
    fetch(`${server.url}/openapi.json`, { headers: cookie }),
    fetch(`${server.url}/nothing`, { headers: cookie }),
    fetch(`${server.url}/swap`, { method: 'POST', headers: cookie, body: '{}' }),
    fetch(`${server.url}/swap`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    }),
  ])
  for (const { headers } of answers) {
    assert.equal(headers.getSetCookie(), [])
    assert.is(headers.get('access-control-allow-credentials'), null)
  }
  assert.is(answers[2]?.status, 401)
})
s('reports each request with its template, never the raw path', () => {
  assert.ok(events.some(({ path, status }) => path === '/swap/:chain_id' && status === 200))
  assert.ok(events.some(({ path, status }) => path === 'unmatched' && status === 404))
})
s('drains on close: running streams end, the port is free [http/drains]', async () => {
  const second = await createService({ name: 'b', endpoints, access, log }).listen()
  const res = await fetch(`${second.url}/events`, { method: 'POST', body: '{"forever":true}' })
  const text = res.text()
  await second.close()
  assert.match(await text, /event: done/)
  const third = await createService({ name: 'c', endpoints: [], log }).listen({ port: second.port })
  await third.close()
})
s.run()
