import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { assert, suite } from '../../../fixtures/test.ts'
import { forkLabel } from '../../../simulator/containers/forkEngine.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { openProxy } from './testing/askProxy.ts'
import { keepBooksUnder } from './testing/askUnderFault.ts'
import { assertRecovery } from './testing/assertRecovery.ts'
import { checkDoors } from './testing/checkDoors.ts'
import { startLiveStack } from './testing/liveStack.ts'
import { scanPorts } from './testing/scanPorts.ts'
import { makeSmallVolume } from './testing/smallVolume.ts'
import { createStackFaults } from './testing/stackFaults.ts'

/** docker/compose.production.yaml before two local chains; needs the images (`make docker-images`). */
const s = suite('production stack')
const run = promisify(execFile)
const dir = mkdtempSync(join(tmpdir(), 'forkyard-production-'))
const patient = { deadlineMs: 180_000, everyMs: 250, why: () => stack.lastSeen() }
const volume =
  process.getuid?.() === 0
    ? await makeSmallVolume({ name: 'data', megabytes: 16, uid: 1000 })
    : undefined
if (!volume) process.stdout.write('SKIPPED: a full volume, which only root can make\n')
const startedAt = performance.now()
const stack = await startLiveStack({
  file: 'compose.production.yaml',
  settings: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
  overrides: volume ? [volume.override] : [],
})
const { docker, ask, quote, forkyard, isServing, isQuoting, readUsed } = stack
s.after(async () => {
  await stack.down()
  await volume?.remove()
  rmSync(dir, { recursive: true })
})
let apiKey = ''
/** Of quotes that are asked for beside a load, whose key has books of its own. */
let probeKey = ''
let coldStartSecs = 0

s(
  'serves three services by host name behind TLS, and nothing without one of the names',
  async () => {
    await waitFor('it serves', isServing, patient)
    probeKey = await stack.createKey(1_000_000)
    apiKey = await stack.createKey(1_000_000)
    await waitFor('it quotes', isQuoting, patient)
    coldStartSecs = (performance.now() - startedAt) / 1000
    assert.is((await ask('meta', '/health')).status, 200)
    assert.is((await ask('relay', '/api/intents')).status, 200)
    const refused = await ask('other', '/health').catch((error: Error) => error.message)
    assert.match(String(refused), /alert|reset|SSL|handshake/i)
    const plain = await fetch(`http://127.0.0.1:${stack.ports['HTTP_PORT']}/quote`, {
      redirect: 'manual',
    })
    assert.is(plain.status, 308)
  },
)

/** In HTTP/2, over which a browser holds many streams open at once. */
async function withProxy<answer>(
  service: 'routing' | 'meta',
  work: (session: Awaited<ReturnType<typeof openProxy>>) => Promise<answer>,
): Promise<answer> {
  const session = await openProxy(stack, service)
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

s('its proxy refuses as a gateway does, where it refuses at all', async () => {
  await withProxy('meta', async ({ ask: asked }) => {
    const own = { path: '/quote', headers: { 'x-request-id': 'mine' }, body: ' '.repeat(310_000) }
    for (const refused of [await asked(own), await asked({ ...own, body: ' '.repeat(290_000) })]) {
      assert.is(refused.status, 413)
      assert.is(refused.headers['access-control-allow-origin'], '*')
      const { code, requestId } = refused.answer
      assert.equal([code, requestId], ['body_too_large', 'mine'])
    }
    const foreign = await asked({ path: '/', headers: { ':authority': 'www.example.org' } })
    assert.is(foreign.status, 421)
    assert.not.match(foreign.text, /nginx|<html/i)
  })
  const paid = await withProxy('routing', ({ ask: asked }) =>
    asked({
      path: '/quote',
      headers: { 'x-api-key': apiKey, 'payment-signature': 'x'.repeat(20_000) },
      body: JSON.stringify(stack.quoteBody),
    }),
  )
  assert.equal([paid.status, paid.answer['code']], [400, 'invalid_payment'])
})

s('passes each event of a stream on as it comes', () =>
  withProxy('meta', async ({ open }) => {
    const { chain_id: chainId, token_in: tokenIn, token_out: tokenOut } = stack.quoteBody
    const stream = open({ path: '/quote/stream' })
    stream.end(
      JSON.stringify({
        chainId,
        tokenIn,
        tokenOut,
        amountIn: stack.quoteBody.amount_in,
        taker: '0x00000000000000000000000000000000000000aa',
        // Between two cycles a stream stays open, and beats.
        keepAliveMs: 1_000,
        refreshIntervalMs: 60_000,
      }),
    )
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    for (const event of ['initial', 'keep_alive'])
      await waitFor(event, () => text.includes(`event: ${event}`), patient)
    assert.not.ok(stream.readableEnded)
  }),
)

s('believes no caller about its address, and has room for each', async () => {
  await withProxy('routing', async ({ ask: asked }) => {
    const left = Array.from({ length: 20 }, async (_, index) => {
      const headers = { 'x-forwarded-for': `198.51.100.${index}` }
      const answer = await asked({ path: '/api/chains', headers })
      return Number(answer.headers['x-ratelimit-remaining'])
    })
    // A bucket for each claimed address would have all but the one request in it.
    assert.ok(Math.min(...(await Promise.all(left))) < 49)
  })
  const statuses: number[] = []
  const hold = ({ open }: Awaited<ReturnType<typeof openProxy>>) => {
    for (let count = 0; count < 80; count += 1)
      open({ path: '/quote', headers: { 'content-length': '10' } }).on('response', (headers) =>
        statuses.push(Number(headers[':status'])),
      )
  }
  await withProxy('routing', (first) =>
    withProxy('meta', async (second) => {
      for (const session of [first, second]) hold(session)
      await waitFor('one too many', () => statuses.length > 0, patient)
      assert.equal([...new Set(statuses)], [429])
    }),
  )
  await waitFor('it quotes', isQuoting, patient)
})

s('shows a renewed certificate without closing its door [24/certificate-renewed]', async () => {
  const port = Number(stack.ports['HTTPS_PORT'])
  const readShown = () =>
    new Promise<Buffer>((resolve, reject) => {
      const socket = connect({ port, servername: 'routing.localhost', rejectUnauthorized: false })
      socket.on('error', reject).on('secureConnect', () => {
        resolve(socket.getPeerCertificate().raw)
        socket.destroy()
      })
    })
  const isShown = (pem: string) => async () =>
    new X509Certificate(pem).raw.equals(await readShown())
  // Whoever comes meanwhile is let in: `readShown` throws where the door is shut.
  const renewed = await stack.renewCertificate()
  await waitFor('the new one is shown', isShown(renewed), { ...patient, everyMs: 0 })
  await stack.renewCertificate(stack.secrets.tls_certificate)
  await waitFor('the old one is shown', isShown(stack.secrets.tls_certificate), patient)
  await waitFor('it quotes', isQuoting, patient)
})

s('has no lab: no routes, no commands, no files', async () => {
  for (const service of ['routing', 'meta', 'relay'])
    for (const path of ['/lab/manifest', '/lab', '/metrics', '/readyz'])
      assert.is((await ask(service, path)).status, 404, service + path)
  const program =
    "fetch('http://127.0.0.1:8090/lab/manifest').then(r=>console.log(r.status,fs.readdirSync('gateway').includes('lab'),fs.existsSync('fixtures')))"
  const seen = await stack.compose('exec', '-T', 'gateway', 'node', '-e', program)
  assert.is(seen.trim(), '404 false false')
  assert.match(await forkyard('lab').catch(String), 'unknown command')
})

s(
  'shows no secret to whoever may inspect its containers, and keeps them out of its logs',
  async () => {
    const logs = await stack.compose('logs', '--no-color')
    const inspected = await Promise.all(
      (await stack.find()).map((id) => docker.getContainer(id).inspect()),
    )
    for (const secret of [stack.secrets.key_pepper, stack.secrets.base_rpc_url, apiKey]) {
      assert.not.ok(JSON.stringify(inspected).includes(secret), 'inspect')
      assert.not.ok(logs.includes(secret), 'logs')
    }
  },
)

s('gives the socket to the supervisor alone, and has no door but the proxy', async () => {
  await checkDoors(stack)
  for (const id of await stack.find()) {
    const { HostConfig } = await docker.getContainer(id).inspect()
    assert.is(HostConfig.ReadonlyRootfs, true)
    assert.equal(HostConfig.CapDrop, ['ALL'])
  }
  const [proxy = ''] = await stack.find('proxy')
  const isHealthy = async () =>
    (await docker.getContainer(proxy).inspect()).State.Health?.Status === 'healthy'
  await waitFor('the proxy is healthy', isHealthy, patient)
  const forks = await docker.listContainers({
    filters: { label: [`${forkLabel}=${stack.forksName}`] },
  })
  assert.ok(forks.length >= 1, 'no fork runs in a container')
})

s('is open to Prometheus on the monitoring network, to nobody on any other', async () => {
  const [gateway = ''] = await stack.find('gateway')
  const [proxy = ''] = await stack.find('proxy')
  const networksOf = async (id: string) =>
    Object.entries((await docker.getContainer(id).inspect()).NetworkSettings.Networks)
  const own = await networksOf(gateway)
  const names = new Set([...own, ...(await networksOf(proxy))].map(([name]) => name))
  const hosts = own.map(([, { IPAddress }]) => IPAddress)
  const [monitoring, { IPAddress: address } = {}] =
    own.find(([name]) => name.endsWith('_monitoring')) ?? []
  const open = await Promise.all(
    [...names].map(async (network) => {
      const found = await scanPorts({ docker }, { hosts, ports: [8090], network })
      return found.map(([host]) => [network, host])
    }),
  )
  assert.equal(open.flat(), [[monitoring, address]])
  const program =
    "fetch('http://gateway:8090/metrics').then(async (r) => console.log(await r.text()))"
  const inside = ['run', '--rm', '--network', String(monitoring), 'forkyard', '-e', program]
  assert.match((await run('docker', inside)).stdout, /^forkyard_/m)
})

s('is backed up while it serves, and restored as it was then [24/sqlite-restored]', async () => {
  const file = '/var/backups/forkyard/test'
  for (let count = 0; count < 5; count += 1) assert.is((await quote()).status, 200)
  const asking = Promise.all([quote(), quote(), quote()])
  const atLeast = await readUsed()
  await forkyard('backup', file)
  await asking
  const atMost = await readUsed()
  for (let count = 0; count < 5; count += 1) assert.is((await quote()).status, 200)
  assert.ok((await readUsed()) >= atMost + 5)
  const copy = join(dir, 'copy')
  await stack.compose('cp', `gateway:${file}`, copy)
  await stack.compose('stop', 'gateway')
  const { status, headers, answer } = await withProxy('routing', ({ ask: asked }) =>
    asked({ path: '/health' }),
  )
  assert.ok(status === 502 || status === 504, `${status}: by an address that it still knew`)
  assert.equal([headers['retry-after'], answer['code']], ['1', 'unavailable'])
  await stack.compose('cp', copy, `gateway:${file}.back`)
  await stack.compose(
    'run',
    '--rm',
    '-T',
    '--no-deps',
    'gateway',
    'gateway/cli.ts',
    'restore',
    `${file}.back`,
  )
  await stack.compose('start', 'gateway')
  await waitFor('it serves', isServing, patient)
  const restored = await readUsed()
  assert.ok(restored >= atLeast && restored <= atMost, `${atLeast} ${restored} ${atMost}`)
  await waitFor('it quotes', isQuoting, patient)
})

const readiness = async () => {
  const program =
    "fetch('http://127.0.0.1:8090/readyz').then(async (r) => console.log(await r.text()))"
  return stack.compose('exec', '-T', 'gateway', 'node', '-e', program)
}

s('refuses while its volume is full, says so, and serves again once there is room', async () => {
  if (!volume) return
  await keepBooksUnder(stack, async () => {
    volume.fill()
    await waitFor(
      'it says so',
      async () => (await readiness()).includes('the database takes no writes'),
      patient,
    )
    assert.is((await quote()).status, 503)
    assert.is((await ask('routing', '/health')).body['status'], 'degraded')
    volume.empty()
  })
  await waitFor('it is ready', async () => (await readiness()).includes('"ready":true'), patient)
})

for (const service of ['gateway', 'simulatord', 'proxy'])
  s(
    `loses no charge when ${service} is killed under load, and is soon whole by itself [24/killed-in-production]`,
    () => {
      const fault = createStackFaults(stack, { lastMs: 0 }).kill({ service })
      return assertRecovery(stack, { fault, probeKey, coldStartSecs })
    },
  )

s('starts without its supervisor, and simulates once that is there', async () => {
  const [gateway = ''] = await stack.find('gateway')
  const [supervisor = ''] = await stack.find('simulatord')
  await stack.compose('stop', 'gateway', 'simulatord')
  await docker.getContainer(gateway).start()
  await waitFor('it quotes', isQuoting, patient)
  const alone = await readiness()
  assert.match(alone, '"ready":true,"reasons":[]')
  assert.match(alone, 'base: no simulation fork is ready')
  await docker.getContainer(supervisor).start()
  const isWhole = async () => (await readiness()).includes('"warnings":[]')
  await waitFor('it is whole', isWhole, patient)
})
s.run()
