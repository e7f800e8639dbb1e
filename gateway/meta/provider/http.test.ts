import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { assert, suite } from '../../../fixtures/test.ts'
import { createHttp } from './http.ts'
import { fail } from './source.ts'

const s = suite('HTTP to a provider')
const heard: string[] = []
type Answer = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body?: string
}
let answer: Answer = { status: 200, headers: {} }
const server = createServer((request, response) => {
  heard.push(request.url ?? '')
  response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}')
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const { lookup } = dns
s.after(async () => {
  dns.lookup = lookup
  syncBuiltinESMExports()
  server.close()
  await once(server, 'close')
})

const signal = new AbortController().signal
const open = (baseUrl: string, allowPrivate = false) =>
  createHttp({ baseUrl, allowPrivate, now: Date.now })

/** One address in every spelling that a URL knows for it, and in IPv6 that leads to it. */
function spell(address: string): readonly string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const pairs = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const inBase = (base: number, prefix: string) =>
    [a, b, c, d].map((part) => prefix + part.toString(base)).join('.')
  return [
    address,
    `${address}.`,
    address.replaceAll('.', '。'),
    address.replace(/\d/, (digit) => `%3${digit}`),
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    inBase(8, '0'),
    inBase(16, '0x'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `[::ffff:${address}]`,
    `[::ffff:${pairs}]`,
    `[::${pairs}]`,
    `[64:ff9b::${pairs}]`,
    `[64:ff9b:1::${pairs}]`,
    `[2002:${pairs}::1]`,
  ]
}
const addresses = `127.0.0.1 10.0.0.1 172.31.255.1 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1
  198.18.0.1 255.255.255.255`
const others = `0 127.1 [::] [::1] [0:0:0:0:0:0:0:1] [fc00::1] [fd00:ec2::254] [fe80::1] [febf::1] [fec0::1]
  [ff02::1] [100::1] [2001:db8::1] [2001::1] [3fff::1] [5f00::1] [4000::1] [::ffff:0:7f00:1]`
const hosts = new Set([...addresses.split(/\s+/).flatMap(spell), ...others.split(/\s+/)])
const forms = [
  ...[...hosts].map((host) => `https://${host}/`),
  'http://api.example.org',
  'file:///etc/passwd',
  'ftp://api.example.org',
  'gopher://127.0.0.1:6379/_INFO',
  'data:application/json,{}',
  'https://user:key@api.example.org',
  'https://api.example.org@127.0.0.1',
  'https://api.example.org\\@127.0.0.1/',
  'https://api.example.org/?to=http://10.0.0.1',
  'https://api.example.org/#x',
  'https:127.0.0.1',
  'https:///127.0.0.1',
  'https:\\\\127.0.0.1',
  '\thttps://127.\n0.0.1',
  '//127.0.0.1',
  'https://[fe80::1%25eth0]/',
  'https://256.0.0.1',
]

s(
  `calls none of ${forms.length} forms of what is not a public https origin [teeth/ssrf]`,
  async () => {
    assert.ok(forms.length > 100)
    const opened: string[] = []
    for (const form of forms) {
      try {
        await open(form).close()
        opened.push(form)
      } catch (error) {
        assert.match(String(error), /base URL|Invalid URL/)
      }
    }
    // It is no IPv4 in another spelling but a path: what is before the backslash is the host.
    assert.equal(opened, ['https://api.example.org\\@127.0.0.1/'])
  },
)

s('calls what is public [teeth/ssrf]', async () => {
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'api.example.org', '[2a00:1450::1]'])
    await open(`https://${host}/v1`).close()
})

s('asks anew at each connection whose address a name has [teeth/rebinding]', async () => {
  let found: readonly dns.LookupAddress[] = []
  let asked = 0
  const fake = (_: string, __: dns.LookupAllOptions, done: (...given: unknown[]) => void) => {
    asked += 1
    if (found.length > 0) return done(null, found)
    done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }))
  }
  // Node's own type is of five overloads and a promise.
  dns.lookup = fake as never
  syncBuiltinESMExports()
  const http = open(`https://rebound.example.org:${port}`)
  const codes: unknown[] = []
  for (const addresses of [
    [],
    ['127.0.0.1'],
    ['::1', '127.0.0.1', '::ffff:127.0.0.1'],
    ['10.0.0.1'],
    ['fd00:ec2::254'],
    ['64:ff9b::7f00:1'],
  ]) {
    found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const answered = await http.call({ path: '/', signal })
    codes.push('detail' in answered && answered.detail)
  }
  await http.close()
  assert.equal(codes, ['connection: ENOTFOUND', ...Array(5).fill('connection: EPRIVATE')])
  assert.is(asked, 6)
  assert.equal(heard, [])
})

s('who left is told so, and the source is not blamed [teeth/left]', async () => {
  const http = open(`http://127.0.0.1:${port}`, true)
  const left = AbortSignal.abort(new Error('left'))
  const said = await http.call({ path: '/', signal: left }).catch((error: Error) => error.message)
  await http.close()
  assert.is(said, 'left')
})

s('follows no redirect, whatever it is called [teeth/redirects]', async () => {
  const http = open(`http://127.0.0.1:${port}`, true)
  const statuses = [301, 302, 303, 304, 305, 307, 308]
  for (const status of statuses) {
    answer = { status, headers: { location: `http://127.0.0.1:${port}/elsewhere` } }
    const answered = await http.call({ path: '/asked', signal })
    assert.is(answered.status === 'failure' && answered.reason, 'invalid_response', `${status}`)
  }
  answer = { status: 200, headers: { refresh: '0; url=/elsewhere', location: '/elsewhere' } }
  assert.is((await http.call({ path: '/asked', signal })).status, 'ok')
  await http.close()
  assert.equal(heard, Array(statuses.length + 1).fill('/asked'))
})
s(
  'tells by its status what a failure is, and how long to stay away [teeth/http-status]',
  async () => {
    const nowMs = Date.parse('2026-11-27T12:00:00Z')
    const http = createHttp({
      baseUrl: `http://127.0.0.1:${port}`,
      allowPrivate: true,
      now: () => nowMs,
    })
    const ask = async (status: number, headers: Record<string, string> = {}) => {
      answer = { status, headers }
      const answered = await http.call({ path: '/asked', signal })
      return answered.status === 'failure' ? answered : fail('no_route', 'it did not fail')
    }
    for (const [reason, ...statuses] of [
      ['rate_limited', 429],
      ['not_configured', 401, 403],
      ['upstream_error', 500, 501, 502, 503, 599],
      ['invalid_response', 300, 399],
      ['no_route', 400, 402, 404, 428, 430, 499],
    ] as const)
      for (const status of statuses) assert.is((await ask(status)).reason, reason, `${status}`)
    const transient = []
    for (const status of [500, 501, 502, 599]) transient.push((await ask(status)).transient)
    assert.equal(transient, [false, false, true, true])
    for (const [retryAfter, ms] of [
      ['7', 7_000],
      ['0.5', 500],
      ['Fri, 27 Nov 2026 12:00:09 GMT', 9_000],
      ['Fri, 27 Nov 2026 11:00:00 GMT', 0],
      ['soon', undefined],
    ] as const)
      for (const status of [429, 503])
        assert.is((await ask(status, { 'retry-after': retryAfter })).retryAfterMs, ms, retryAfter)
    await http.close()
  },
)
s(
  'reads no key of ours, nor a part of it, in what a provider says [attack/provider-key]',
  async () => {
    const key = 'canary-id:canary-secret:pass'
    const baseUrl = `http://127.0.0.1:${port}`
    const http = createHttp({ baseUrl, allowPrivate: true, now: Date.now, key })
    for (const status of [200, 401, 429]) {
      const body = JSON.stringify({ message: `no: canary-secret of ${key} has to pass` })
      answer = { status, headers: {}, body }
      const told = await http.call({
        path: '/quote',
        signal,
        readError: (said) => fail('no_route', (said as { readonly message: string }).message),
      })
      assert.is(told.status === 'failure' && told.detail, 'no: [key] of [key] has to pass')
    }
    const whole = await http.call({ path: '/quote', signal })
    assert.is(whole.status === 'failure' && whole.reason, 'rate_limited')
    await http.close()
  },
)
s.run()
