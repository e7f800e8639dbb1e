import { assert, suite } from '../../../fixtures/test.ts'
import { forkLabel } from '../../../simulator/containers/dockerForks.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { startLiveStack } from './liveStack.ts'
import { scanPorts } from './scanPorts.ts'

/** docker/compose.production.yaml before two local chains; needs the images (`make docker-images`). */
const s = suite('production stack')
const patient = { deadlineMs: 180_000, everyMs: 250 }
const stack = await startLiveStack({ file: 'compose.production.yaml' })
const { docker, ask, quote, forkyard, isServing, isQuoting, readUsed } = stack
s.after(() => stack.down())
let apiKey = ''

s(
  'serves three services by host name behind TLS, and nothing without one of the names',
  async () => {
    await waitFor('it serves', isServing, patient)
    apiKey = await stack.createKey(1_000)
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
    for (const secret of [stack.secrets.key_pepper, stack.secrets.base_rpc_url, apiKey]) {
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
  const forks = await docker.listContainers({
    filters: { label: [`${forkLabel}=${stack.forksName}`] },
  })
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
    for (const id of await stack.find(service)) await stack.kill(id)
    await waitFor('it quotes', isQuoting, patient)
    assert.ok((await readUsed()) > before)
  })
s.run()
