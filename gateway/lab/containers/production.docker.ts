import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { assert, suite } from '../../../fixtures/test.ts'
import { startWorldChain } from '../../../fixtures/world.ts'
import { forkLabel } from '../../../simulator/containers/dockerForks.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { scanPorts } from './scanPorts.ts'
import { startStack } from './stack.ts'

/** docker/compose.production.yaml before two local chains; needs the images (`make docker-images`). */
const s = suite('production stack')
const run = promisify(execFile)
const patient = { deadlineMs: 180_000, everyMs: 250 }
const secrets = mkdtempSync(join(tmpdir(), 'forkyard-secrets-'))
const docker = new Docker()

/** The machine as containers see it, and a way through it to a chain that listens on loopback only. */
const bridge = await docker.getNetwork('bridge').inspect()
const host = bridge.IPAM?.Config?.[0]?.['Gateway'] ?? ''
async function openWay(rpcUrl: string) {
  const server = createServer((caller) => {
    const chain = connect(Number(new URL(rpcUrl).port), '127.0.0.1')
    for (const end of [caller, chain])
      end.on('error', () => {
        caller.destroy()
        chain.destroy()
      })
    caller.pipe(chain).pipe(caller)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  return { server, url: `http://${host}:${typeof address === 'object' ? address?.port : 0}` }
}
const chains = await Promise.all([8453, 42161].map((chainId) => startWorldChain({ chainId })))
const [base, arbitrum] = await Promise.all(chains.map(({ rpcUrl }) => openWay(rpcUrl)))
const world = chains[0]?.manifest
if (!world || !base || !arbitrum) throw new Error('no chains')

const certificate = [
  ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
  ...['-days', '2', '-subj', '/CN=localhost', '-keyout', '-', '-out', '-'],
  ...['-addext', 'subjectAltName=DNS:routing.localhost,DNS:meta.localhost,DNS:relay.localhost'],
]
const { stdout: pem } = await run('docker', [
  ...['run', '--rm', 'forkyard-proxy', 'openssl', ...certificate],
])
const pepper = 'pepper-that-must-not-be-seen-anywhere'
const files = {
  key_pepper: pepper,
  base_rpc_url: base.url,
  arbitrum_rpc_url: arbitrum.url,
  'base_relayer.json': '',
  'arbitrum_relayer.json': '',
  relayer_password: '',
  tls_certificate: pem,
  tls_key: pem,
}
for (const [name, value] of Object.entries(files))
  writeFileSync(join(secrets, name), value, { mode: 0o644 })

const name = `test-${process.pid}`
const stack = await startStack({
  file: 'compose.production.yaml',
  portNames: ['HTTP_PORT', 'HTTPS_PORT'],
  env: { SECRETS_DIR: secrets, FORKS_NAME: name, BASE_EXECUTOR: world.executor },
})
s.after(async () => {
  await stack.down()
  base.server.close()
  arbitrum.server.close()
  await Promise.all(chains.map((chain) => chain.close()))
  rmSync(secrets, { recursive: true })
})

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

function ask(
  service: string,
  path: string,
  { body, apiKey }: { body?: unknown; apiKey?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ host: '127.0.0.1', port: stack.ports['HTTPS_PORT'], path, ca: pem, timeout: 10_000 },
        ...{ servername: `${service}.localhost`, agent: false },
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          host: `${service}.localhost`,
          'content-type': 'application/json',
          ...(apiKey ? { 'x-api-key': apiKey } : {}),
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          const isJson = response.headers['content-type']?.includes('json')
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : {} })
        })
      },
    )
    asked.on('error', reject).on('timeout', () => asked.destroy(new Error('timeout')))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
const isServing = () =>
  ask('routing', '/health').then(
    ({ status, body }) => status === 200 && body['status'] !== 'error',
    () => false,
  )

const forkyard = (...args: string[]) =>
  stack.compose('exec', '-T', 'gateway', 'node', 'gateway/cli.ts', ...args)
let apiKey = ''
const quoteBody = {
  chain_id: 8453,
  token_in: world.tokens['WETH']?.address,
  token_out: world.tokens['USDC']?.address,
  amount_in: '1000000000000000',
}
const quote = () => ask('routing', '/quote', { body: quoteBody, apiKey })
const isQuoting = () =>
  quote().then(
    ({ status }) => status === 200,
    () => false,
  )
const readUsed = async () =>
  Number((await ask('routing', '/auth/key-info', { apiKey })).body['quota_used'])

s(
  'serves three services by host name behind TLS, and nothing without one of the names',
  async () => {
    await waitFor('it serves', isServing, patient)
    const created = await forkyard('keys', 'create', 'test', '--quotes', '1000')
    apiKey = /fy_live_[0-9A-Za-z]+/.exec(created)?.[0] ?? ''
    await waitFor('it quotes', isQuoting, patient)
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
    for (const secret of [pepper, base.url, apiKey]) {
      assert.not.ok(JSON.stringify(inspected).includes(secret), 'inspect')
      assert.not.ok(logs.includes(secret), 'logs')
    }
  },
)

s('gives the socket to the supervisor alone, which no other network reaches', async () => {
  const inspected = await Promise.all(
    (await stack.find()).map((id) => docker.getContainer(id).inspect()),
  )
  for (const { Config, HostConfig, Mounts, NetworkSettings } of inspected) {
    const isSupervisor = Config.Labels['com.docker.compose.service'] === 'simulatord'
    const holdsSocket = Mounts.some(({ Source }) => Source.includes('docker.sock'))
    assert.is(holdsSocket, isSupervisor)
    assert.is(HostConfig.ReadonlyRootfs, true)
    assert.equal(HostConfig.CapDrop, ['ALL'])
    const published = Object.values(NetworkSettings.Ports).flatMap((ports) => ports ?? [])
    if (holdsSocket) assert.equal(published, [])
  }
  const inside = inspected.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
  )
  const ports = [8080, 8081, 8082, 8090, 8095, 8443, 8545, 2375, 5432]
  assert.equal(await scanPorts({ docker }, { hosts: inside, ports }), [])
  const forks = await docker.listContainers({ filters: { label: [`${forkLabel}=${name}`] } })
  assert.ok(forks.length >= 1, 'no fork runs in a container')
})

s('is backed up while it serves, and restored as it was then', async () => {
  const file = '/var/backups/forkyard/test'
  for (let count = 0; count < 5; count += 1) assert.is((await quote()).status, 200)
  const asking = Promise.all([quote(), quote(), quote()])
  const atLeast = await readUsed()
  await forkyard('backup', file)
  await asking
  const atMost = await readUsed()
  for (let count = 0; count < 5; count += 1) assert.is((await quote()).status, 200)
  assert.ok((await readUsed()) >= atMost + 5)
  await stack.compose('stop', 'gateway')
  await stack.compose(
    'run',
    '--rm',
    '-T',
    '--no-deps',
    'gateway',
    'gateway/cli.ts',
    'restore',
    file,
  )
  await stack.compose('start', 'gateway')
  await waitFor('it serves', isServing, patient)
  const restored = await readUsed()
  assert.ok(restored >= atLeast && restored <= atMost, `${atLeast} ${restored} ${atMost}`)
  await waitFor('it quotes', isQuoting, patient)
})

for (const service of ['gateway', 'simulatord', 'proxy'])
  s(`serves again by itself after ${service} was killed, no charge lost`, async () => {
    const before = await readUsed()
    for (const id of await stack.find(service))
      process.kill((await docker.getContainer(id).inspect()).State.Pid, 'SIGKILL')
    await waitFor('it quotes', isQuoting, patient)
    assert.ok((await readUsed()) > before)
  })
s.run()
