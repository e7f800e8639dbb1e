import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { findDebianProgram, passOver } from '../../fixtures/debianPrograms.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { watchCertificate } from './watchCertificate.ts'

/** The certificate that a real server shows, before and after it is renewed. */
const s = suite('parts/watchCertificate')
const log = createLog({ level: 'silent', secrets: [] })
const openssl = findDebianProgram('openssl')

s('is kept no longer by who never ends shaking hands [24/certificate-trickle]', async () => {
  const left = Promise.withResolvers<void>()
  const server = createTcpServer((socket) => {
    // The head of a record of 16 kB, and then a byte of it now and again.
    socket.write(Uint8Array.of(0x16, 0x03, 0x03, 0x40, 0x00))
    const trickling = setInterval(() => socket.write(Uint8Array.of(2)), 5)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearInterval(trickling)
      left.resolve()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const watching = await watchCertificate(
    { certificateAt: `localhost:${port}`, routing: { publicUrl: undefined } },
    { log, metrics: createMetrics(), withinMs: 100 },
  )
  await left.promise
  await watching?.close()
  server.close()
})

if (openssl) addTests(openssl)
else s('needs openssl', () => passOver({ name: 'openssl', debianPackage: 'openssl' }))

function addTests(program: string) {
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-certificate-'))
  s.after(() => rmSync(dir, { recursive: true }))
  const publicUrl = 'https://routing.example'
  function make(days: string) {
    const [key, certificate] = [join(dir, 'key'), join(dir, 'certificate')]
    const subject = ['-nodes', '-subj', '/CN=routing.example', '-days', days]
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', certificate]
    execFileSync(program, [...made, ...subject], { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(certificate) }
  }
  const leftDays = async ({ registry }: ReturnType<typeof createMetrics>) => {
    const line = /^forkyard_certificate_left_seconds (.+)$/m.exec(await registry.metrics())?.[1]
    return Number(line === 'Nan' ? Number.NaN : line) / 86_400
  }

  s('shows how long it is good, also when it is renewed [24/certificate]', async () => {
    const names: string[] = []
    const server = createServer({
      ...make('10'),
      SNICallback(name, done) {
        names.push(name)
        done(null)
      },
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const metrics = createMetrics()
    const watching = await watchCertificate(
      { certificateAt: `127.0.0.1:${port}`, routing: { publicUrl } },
      { log, metrics, everyMs: 50 },
    )
    const isAbout = (days: number) => async () => Math.abs((await leftDays(metrics)) - days) < 0.1
    await waitFor('it is seen', isAbout(10), { deadlineMs: 30_000 })
    assert.is(names[0], 'routing.example')
    server.setSecureContext(make('90'))
    await waitFor('it is renewed', isAbout(90), { deadlineMs: 30_000 })
    await watching?.close()
    server.close()
  })

  s('says that none was seen where nobody answers', async () => {
    const metrics = createMetrics()
    const watching = await watchCertificate(
      { certificateAt: '127.0.0.1:9', routing: { publicUrl } },
      { log, metrics },
    )
    await watching?.close()
    assert.ok(Number.isNaN(await leftDays(metrics)))
  })
}
s.run()
