import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findDebianProgram, passOver } from '../../../fixtures/debianPrograms.ts'
import { freePort } from '../../../fixtures/freePort.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'

/** The proxy's own configuration, in an nginx of this machine, before a gateway that keeps all waiting. */
const s = suite('front door')
const nginx = findDebianProgram('nginx')
const openssl = findDebianProgram('openssl')
if (nginx && openssl) await addTests({ nginx, openssl })
else
  s('needs nginx and openssl', () =>
    passOver({ name: nginx ? 'openssl' : 'nginx', debianPackage: nginx ? 'openssl' : 'nginx' }),
  )
s.run()

async function addTests(programs: { readonly nginx: string; readonly openssl: string }) {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-door-'))
  chmodSync(dir, 0o755)
  mkdirSync(join(dir, 'conf.d'))
  // As behind a balancer: tests choose their address.
  const realIp = 'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;\n'
  writeFileSync(join(dir, 'conf.d', 'real-ip.conf'), realIp)
  const pair = ['-keyout', join(dir, 'tls_key'), '-out', join(dir, 'tls_certificate')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  await promisify(execFile)(programs.openssl, [
    'req',
    '-x509',
    ...curve,
    ...pair,
    '-subj',
    '/CN=lab',
  ])

  const held: { readonly seen: IncomingMessage; readonly answer: () => void }[] = []
  const gateway = createServer((seen, res) => {
    held.push({ seen, answer: () => res.end('{}') })
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const [plain, tls] = [await freePort(), await freePort()]
  const config = readFileSync(join(import.meta.dirname, '../../../docker/proxy/nginx.conf'), 'utf8')
    .replaceAll('/tmp/', `${dir}/`)
    .replaceAll('/run/secrets/', `${dir}/`)
    .replaceAll('/etc/nginx/', `${dir}/`)
    .replace('/dev/stderr', `${dir}/error.log`)
    .replace('/dev/stdout', `${dir}/access.log`)
    .replaceAll('listen 8080', `listen 127.0.0.1:${plain}`)
    .replaceAll('listen 8443', `listen 127.0.0.1:${tls}`)
    .replaceAll(/gateway:80\d\d/g, `127.0.0.1:${(gateway.address() as AddressInfo).port}`)
  writeFileSync(join(dir, 'nginx.conf'), config)
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-g', 'daemon off;']
  const child = spawn(programs.nginx, args, { stdio: 'ignore' })
  const agent = new Agent({ maxSockets: 512, rejectUnauthorized: false })
  s.after(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
    agent.destroy()
    gateway.closeAllConnections()
    gateway.close()
    rmSync(dir, { recursive: true })
  })
  const patient = { deadlineMs: 60_000, everyMs: 20 }
  const isUp = () =>
    fetch(`http://127.0.0.1:${plain}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor('nginx is up', isUp, patient)

  /** The status of a request that comes from this address, and its id. */
  const ask = (from: string, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly status: number; readonly id: string }>((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port: tls,
        servername: 'routing.localhost',
        path: '/api/tokens',
        headers: { host: 'routing.localhost', 'x-forwarded-for': from, ...headers },
        agent,
      })
      asked.on('error', reject)
      asked.on('response', (res) => {
        res.resume()
        const id = String(res.headers['x-request-id'] ?? '')
        res.on('end', () => resolve({ status: res.statusCode ?? 0, id }))
      })
      asked.end()
    })
  const answerAll = () => {
    for (const { answer } of held.splice(0)) answer()
  }

  s('bounds an IPv6 /64 as one caller, and no other by it [24/proxy-network]', async () => {
    const addresses = Array.from({ length: 128 }, (_, index) => `2001:db8:1:2:${index + 1}::7`)
    const waiting = addresses.map((address) => ask(address))
    await waitFor('all are with the gateway', () => held.length === 128, patient)
    assert.is((await ask('2001:db8:1:2:ffff::1')).status, 429)
    const others = [ask('2001:db8:1:3::1'), ask('198.51.100.1')]
    await waitFor('others are let in', () => held.length === 130, patient)
    answerAll()
    const statuses = (await Promise.all([...waiting, ...others])).map(({ status }) => status)
    assert.equal([...new Set(statuses)], [200])
  })

  s("writes the request's id, a caller's or its own, and hands it on [24/proxy-id]", async () => {
    const log = () => readFileSync(join(dir, 'access.log'), 'utf8').trimEnd().split('\n')
    const before = log().length
    for (const headers of [{ 'x-request-id': 'mine-1' }, {}]) {
      const asked = ask('198.51.100.2', headers)
      await waitFor('it is with the gateway', () => held.length === 1, patient)
      const id = String(held[0]?.seen.headers['x-request-id'])
      assert.match(id, 'x-request-id' in headers ? /^mine-1$/ : /^[0-9a-f]{32}$/)
      answerAll()
      await asked
      const isWritten = () => log().length > before && log().at(-1)?.endsWith(` ${id}`) === true
      await waitFor('its line is written', isWritten, patient)
    }
    // What the proxy refuses itself has it, too.
    const refused = await ask('198.51.100.2', {
      'x-request-id': 'mine-2',
      'content-length': '400000',
    })
    assert.equal([refused.status, refused.id], [413, 'mine-2'])
  })
}
