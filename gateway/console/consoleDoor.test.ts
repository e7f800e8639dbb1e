import { request } from 'node:http'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { createService } from '../http/service.ts'
import { createLiveEvents } from '../observe/liveEvents.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { gatewayEndpoints } from '../ops/gatewayRoutes.ts'
import { createReadiness } from '../ops/readiness.ts'
import { opsEndpoints } from '../ops/routes.ts'
import { createConsoleDoor } from './consoleDoor.ts'
import { createConsoleFiles } from './consoleFiles.ts'
import { createConsoleSession } from './consoleSession.ts'

const s = suite('console/consoleDoor')
const token = 'operators-token-of-at-least-32-characters'
const facts = {
  version: '0.1.0',
  mode: 'live' as const,
  services: { routing: 'http://r.example', meta: 'http://m.example', relay: 'http://y.example' },
  chains: [{ chainId: 8453, name: 'Base' }],
}
let nowMs = Date.now()
const session = createConsoleSession({ token, now: () => nowMs })

async function openListener({
  isLab = false,
  given = session,
}: {
  isLab?: boolean
  given?: typeof session | null
} = {}) {
  const own = given ?? undefined
  const door = createConsoleDoor({
    files: createConsoleFiles(join(import.meta.dirname, 'nothing-is-built-here')),
    connectTo: async () => ['http://r.example'],
    session: own,
    isLab,
  })
  const always = { metrics: createMetrics(), readiness: createReadiness() }
  const endpoints = [
    ...opsEndpoints({ ...always, labManifestPath: undefined }),
    ...gatewayEndpoints({ facts, events: createLiveEvents(), session: own }),
  ]
  const log = createLog({ level: 'silent', secrets: [] })
  const service = createService({
    name: 'ops',
    endpoints,
    log,
    interrupt: door,
    checkOutput: true,
  })
  const listening = await service.listen()
  s.after(() => listening.close())
  return listening.port
}
const [live, lab, untold] = [
  await openListener(),
  await openListener({ isLab: true }),
  await openListener({ given: null }),
]

type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** fetch would set Host by itself. */
function ask(
  port: number,
  path: string,
  {
    method = 'GET',
    body,
    ...headers
  }: Readonly<Record<string, string>> & { readonly method?: string; readonly body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, method, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
const json = { 'content-type': 'application/json' }
const logIn = (port: number, given: string) =>
  ask(port, '/ops/login', { method: 'POST', body: JSON.stringify({ token: given }), ...json })

s('asks who reads /ops/* for the token, by header or by cookie [console/token]', async () => {
  assert.is((await ask(live, '/ops/gateway')).status, 401)
  for (const authorization of ['Bearer guess', `Bearer ${token.slice(0, -1)}`, 'Bearer '])
    assert.is((await ask(live, '/ops/gateway', { authorization })).status, 401)
  const read = await ask(live, '/ops/gateway', { authorization: `Bearer ${token}` })
  assert.is(read.status, 200)
  assert.equal(JSON.parse(read.text), facts)
  assert.is((await logIn(live, 'guess')).status, 401)
  const { status, headers } = await logIn(live, token)
  assert.is(status, 200)
  const [set = ''] = headers['set-cookie'] ?? []
  assert.match(set, /; HttpOnly; SameSite=Strict; Max-Age=\d+$/)
  assert.not.match(set, token)
  const [cookie = ''] = set.split(';')
  assert.is((await ask(live, '/ops/gateway', { cookie })).status, 200)
  assert.is((await ask(live, '/ops/gateway', { cookie: `a=b; ${cookie}` })).status, 200)
  const later = cookie.replace(/=\d/, '=9')
  assert.is((await ask(live, '/ops/gateway', { cookie: later })).status, 401)
  nowMs += 12 * 3_600_000
  assert.is((await ask(live, '/ops/gateway', { cookie })).status, 401)
})

s('is open in a lab, and closed where no token is set [console/who]', async () => {
  assert.is((await ask(lab, '/ops/gateway')).status, 200)
  const refused = await ask(untold, '/ops/gateway')
  assert.is(refused.status, 403)
  assert.match(refused.text, 'set OPS_TOKEN')
  assert.is((await logIn(untold, token)).status, 403)
})

s('answers by addresses and localhost alone, to no foreign page [console/origin]', async () => {
  const hosts: readonly (readonly [string, number])[] = [
    [`127.0.0.1:${lab}`, 200],
    [`localhost:${lab}`, 200],
    [`[::1]:${lab}`, 200],
    ['10.0.0.7:8090', 200],
    ['rebound.example', 403],
    ['127.0.0.1.rebound.example', 403],
    ['localhost.rebound.example', 403],
  ]
  for (const path of ['/', '/ops/gateway'])
    for (const [host, status] of hosts)
      assert.is((await ask(lab, path, { host })).status, status, `${path} ${host}`)
  const host = `127.0.0.1:${lab}`
  const own = await ask(lab, '/ops/gateway', { host, origin: `http://${host}` })
  assert.is(own.status, 200)
  assert.is(own.headers['access-control-allow-origin'], undefined)
  for (const origin of ['https://foreign.example', 'http://127.0.0.1:5173', 'null'])
    for (const path of ['/', '/ops/gateway'])
      assert.is((await ask(lab, path, { host, origin })).status, 403, `${path} ${origin}`)
  const image = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
  assert.is((await ask(lab, '/ops/gateway', image)).status, 403)
  const link = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  assert.is((await ask(lab, '/', link)).status, 200)
})

s(
  'shows a foreign page nothing of a gateway that is no lab, its metrics neither [console/foreign]',
  async () => {
    const host = `127.0.0.1:${live}`
    const foreign = 'https://foreign.example'
    const preflight = { method: 'OPTIONS', 'access-control-request-method': 'GET' }
    for (const path of ['/metrics', '/readyz', '/openapi.json', '/nowhere']) {
      for (const asked of [{}, preflight])
        for (const origin of [foreign, 'http://localhost:5173', 'null']) {
          const { status, headers } = await ask(live, path, { host, origin, ...asked })
          assert.equal([status, headers['access-control-allow-origin']], [403, undefined], path)
        }
      const image = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
      assert.is((await ask(live, path, image)).status, 403, path)
    }
    // A collector asks by the name that its network gives the gateway, a person follows a link.
    for (const headers of [
      { host: 'gateway:8090' },
      { host, origin: `http://${host}` },
      { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ]) {
      const { status, headers: told } = await ask(live, '/metrics', headers)
      assert.equal([status, told['access-control-allow-origin']], [200, undefined])
    }
    // What a lab serves beside the console is for pages under test.
    assert.is((await ask(lab, '/metrics', { host, origin: foreign })).status, 200)
  },
)

s(
  'says how to build a page that is not there, under a strict policy [console/unbuilt]',
  async () => {
    const { status, headers, text } = await ask(live, '/')
    assert.is(status, 200)
    assert.match(text, 'make console')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, "default-src 'none'; script-src 'self'; style-src 'self'")
    assert.match(policy, "connect-src 'self' http://r.example;")
    assert.match(policy, "frame-ancestors 'none'")
    assert.not.match(policy, 'unsafe')
    assert.is((await ask(live, '/assets/none.js')).status, 404)
  },
)

s.run()
