import { request } from 'node:http'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { endpoint } from './endpoint.ts'
import { createPages, readOrigins } from './pages.ts'
import { createService } from './service.ts'

const s = suite('http/pageDoor')
const silent = () => undefined
const log = { debug: silent, info: silent, warn: silent, error: silent }
const output = Type.Object({ done: Type.Boolean() })
let done = 0
const handle = async () => {
  done += 1
  return { done: true }
}
const common = { summary: 'a test', output, auth: 'none', handle } as const
const endpoints = [
  endpoint({ ...common, method: 'post', path: '/work', input: Type.Object({}) }),
  endpoint({ ...common, method: 'get', path: '/lab/manifest' }),
  endpoint({ ...common, method: 'post', path: '/lab/mine', input: Type.Object({}) }),
  endpoint({ ...common, method: 'post', path: '/lab/wallet', input: Type.Object({}) }),
]
const named = 'https://app.example'
const token = 'the-token'
const pages = createPages({ origins: [named], token })
const lab = await createService({ name: 'lab', endpoints, log, pages }).listen()
const live = await createService({ name: 'live', endpoints, log }).listen()
s.after(async () => {
  await Promise.all([lab.close(), live.close()])
})

type Ask = { readonly method?: string; readonly path: string; readonly port?: number }
/** As no `fetch` may: with a Host of its own. */
function ask(
  { method = 'GET', path, port = lab.port }: Ask,
  headers: Readonly<Record<string, string>> = {},
) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>> }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        answer.resume()
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers })
      })
      sent.once('error', reject).end(method === 'POST' ? '{}' : undefined)
    },
  )
}
const allowed = 'access-control-allow-origin'
const local = 'http://localhost:5173'
const foreign = 'http://foreign.test'
const manifest = { path: '/lab/manifest' }
const mine = { method: 'POST', path: '/lab/mine' }
const work = { method: 'POST', path: '/work' }
const json = { 'content-type': 'application/json' }
const admin = { authorization: `Bearer ${token}` }

s('reads origins between commas, whatever blanks are about them', () => {
  assert.equal(readOrigins(' https://a.example ,, https://b.example,'), [
    'https://a.example',
    'https://b.example',
  ])
  assert.equal(readOrigins(), [])
})
s('gives the manifest to programs and to pages that the lab trusts', async () => {
  assert.is((await ask(manifest)).status, 200)
  for (const origin of [local, 'http://127.0.0.1:9', named]) {
    const { status, headers } = await ask(manifest, { origin })
    assert.equal([status, headers[allowed], headers['vary']], [200, origin, 'origin'])
  }
})
s('refuses the manifest to pages of other origins [lab/manifest-foreign]', async () => {
  const lookAlikes = ['http://localhost.foreign.test', 'https://app.example.foreign.test']
  for (const origin of [foreign, 'null', 'file://', ...lookAlikes, 'http://app.example']) {
    const { status, headers } = await ask(manifest, { origin })
    assert.equal([status, headers[allowed]], [403, undefined], origin)
  }
  assert.is((await ask(manifest, { 'sec-fetch-site': 'cross-site' })).status, 403)
})
s('refuses names that were bound to this machine [lab/manifest-rebound]', async () => {
  for (const host of ['foreign.test', `foreign.test:${lab.port}`, '127.0.0.1.foreign.test', '@'])
    for (const what of [manifest, mine]) assert.is((await ask(what, { host })).status, 403, host)
  for (const host of ['localhost', `[::1]:${lab.port}`, 'lab.localhost:80', 'app.example'])
    assert.is((await ask(manifest, { host })).status, 200, host)
})
s('lets no page but its own change the lab, and tells none before', async () => {
  const before = done
  const asks = { 'access-control-request-method': 'POST' }
  for (const origin of [foreign, local, named]) {
    assert.is((await ask(mine, { origin, ...json, ...admin })).status, 403)
    const preflight = await ask({ ...mine, method: 'OPTIONS' }, { origin, ...asks })
    assert.equal([preflight.status, preflight.headers[allowed]], [403, undefined])
  }
  assert.is(done, before)
  const own = `http://127.0.0.1:${lab.port}`
  assert.is((await ask(mine, { origin: own, ...json, ...admin })).status, 200)
})
s('signs for pages that the lab trusts, and tells no other [wallet/door]', async () => {
  const before = done
  const wallet = { method: 'POST', path: '/lab/wallet' }
  const asks = { 'access-control-request-method': 'POST' }
  const preflight = (origin: string) => ask({ ...wallet, method: 'OPTIONS' }, { origin, ...asks })
  for (const origin of [local, named]) {
    assert.is((await preflight(origin)).headers[allowed], origin)
    assert.is((await ask(wallet, { origin, ...json })).headers[allowed], origin)
    // Else a form could send it, which asks nobody first.
    assert.is((await ask(wallet, { origin, 'content-type': 'text/plain' })).status, 415)
    assert.is((await ask(wallet, { origin, ...json, host: 'foreign.test' })).status, 403)
  }
  assert.is(done, before + 2)
  for (const origin of [foreign, 'null', 'http://localhost.foreign.test']) {
    assert.equal(
      [(await preflight(origin)).status, (await preflight(origin)).headers[allowed]],
      [403, undefined],
    )
    assert.is((await ask(wallet, { origin, ...json })).status, 401)
    assert.is((await ask(wallet, { origin, ...json, ...admin })).status, 403)
  }
  assert.is((await ask(wallet, json)).status, 401)
  assert.is(done, before + 2)
})
s('changes the lab for who gives its token only', async () => {
  const before = done
  for (const authorization of ['', token, 'Bearer ', 'Bearer the-token2'])
    assert.is((await ask(mine, { ...json, authorization })).status, 401)
  assert.is(done, before)
  assert.is((await ask(mine, { ...json, ...admin })).status, 200)
})
s(
  'a body that is not sent as JSON does nothing when it comes from a page [lab/services-plain]',
  async () => {
    const before = done
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', ''])
      for (const origin of [local, foreign])
        assert.is((await ask(work, { origin, 'content-type': type })).status, 415)
    assert.is(done, before)
    assert.is((await ask(work, { 'content-type': 'text/plain' })).status, 200)
    assert.is((await ask(work, { origin: foreign, ...json })).status, 200)
  },
)
s(
  'answers for the private network to the pages that the lab trusts [lab/services-private]',
  async () => {
    const asks = {
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    }
    const to = { ...work, method: 'OPTIONS' }
    const answers = await Promise.all(
      [named, foreign].map((origin) => ask(to, { origin, ...asks })),
    )
    assert.equal(
      answers.map(({ headers }) => headers['access-control-allow-private-network']),
      ['true', undefined],
    )
  },
)
s('changes nothing outside a lab', async () => {
  const { port } = live
  const headers = { origin: foreign, 'content-type': 'text/plain', host: 'gateway.example' }
  assert.equal((await ask({ ...work, port }, headers)).headers[allowed], '*')
  assert.is((await ask({ ...manifest, port }, headers)).status, 200)
})
s.run()
