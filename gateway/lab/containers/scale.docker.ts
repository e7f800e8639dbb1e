import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { startLiveStack } from './liveStack.ts'

/** docker/compose.scale.yaml, three gateways on one PostgreSQL; needs the images (`make docker-images`). */
const s = suite('scale stack')
const patient = { deadlineMs: 180_000, everyMs: 250 }
const stack = await startLiveStack({
  file: 'compose.scale.yaml',
  args: ['--scale', 'gateway=3', '--scale', 'simulatord=2'],
  env: { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_BURST: '5000' },
})
const { docker, quote, readUsed, isQuoting } = stack
s.after(() => stack.down())

/** In one gateway's container: what its operators' listener says. */
async function readOps(index: number, path: string): Promise<string> {
  const program = `fetch('http://127.0.0.1:8090${path}').then(async (r) => console.log(await r.text()))`
  return stack.compose('exec', '-T', '--index', String(index), 'gateway', 'node', '-e', program)
}

s('three gateways start together on an empty database, and each serves', async () => {
  await waitFor('it serves', stack.isServing, patient)
  for (const index of [1, 2, 3])
    await waitFor(
      `gateway ${index} is ready`,
      async () => (await readOps(index, '/readyz').catch(() => '')).includes('"ready":true'),
      patient,
    )
  await stack.createKey(1_000_000)
  for (let count = 0; count < 60; count += 1) assert.is((await quote()).status, 200)
  assert.is(await readUsed(), 60)
  for (const index of [1, 2, 3]) {
    const metrics = await readOps(index, '/metrics')
    assert.match(metrics, /route="\/quote",status="200"\} [1-9]/, `gateway ${index}`)
  }
})

/** Asks from eight sides until stopped; what is acknowledged was charged, what is cut off may have been. */
function startAsking() {
  const tally = { acknowledged: 0, refused: 0, unknown: 0 }
  let isOver = false
  async function ask() {
    while (!isOver) {
      const status = await quote().then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 200) tally.acknowledged += 1
      else if (status === 503) tally.refused += 1
      else tally.unknown += 1
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const asking = Promise.all(Array.from({ length: 8 }, ask))
  return {
    tally,
    async stop() {
      isOver = true
      await asking
      return tally
    },
  }
}

/** Runs the fault under load; then everything acknowledged is charged, and nothing that was refused. */
async function underLoad(fault: () => Promise<void>) {
  const before = await readUsed()
  const asking = startAsking()
  await waitFor('it is busy', () => asking.tally.acknowledged > 20, patient)
  await fault()
  const at = asking.tally.acknowledged
  await waitFor('it is busy again', () => asking.tally.acknowledged > at + 20, patient)
  const { acknowledged, unknown } = await asking.stop()
  const charged = (await readUsed()) - before
  assert.ok(charged >= acknowledged, `${charged} charged, ${acknowledged} acknowledged`)
  assert.ok(charged <= acknowledged + unknown, `${charged} charged, ${unknown} unknown`)
}

s('loses no charge when a gateway is killed under load, and gets it back', async () => {
  const [victim = ''] = await stack.find('gateway')
  await underLoad(async () => {
    await stack.kill(victim)
    await waitFor(
      'it runs again',
      async () => (await docker.getContainer(victim).inspect()).State.Running,
      patient,
    )
  })
})

s('loses no charge when PostgreSQL is killed under load, and serves again by itself', async () => {
  const [postgres = ''] = await stack.find('postgres')
  await underLoad(() => stack.kill(postgres))
})

s('refuses while PostgreSQL hangs, within bounds, and serves when it goes on', async () => {
  const [postgres = ''] = await stack.find('postgres')
  await docker.getContainer(postgres).pause()
  const { status } = await quote().catch(() => ({ status: 0 }))
  assert.not.ok(status >= 200 && status < 300, `answered ${status}`)
  await docker.getContainer(postgres).unpause()
  await waitFor('it quotes', isQuoting, patient)
})

s('serves while a gateway is cut off, and takes it back', async () => {
  const [gateway = ''] = await stack.find('gateway')
  const { NetworkSettings } = await docker.getContainer(gateway).inspect()
  const name = Object.keys(NetworkSettings.Networks).find((network) =>
    network.endsWith('_services'),
  )
  const network = docker.getNetwork(name ?? '')
  await network.disconnect({ Container: gateway, Force: true })
  await waitFor('it quotes', isQuoting, patient)
  await network.connect({ Container: gateway, EndpointConfig: { Aliases: ['gateway'] } })
  for (let count = 0; count < 30; count += 1) await waitFor('it quotes', isQuoting, patient)
})

s('simulates again by itself after a supervisor was killed', async () => {
  const [supervisor = ''] = await stack.find('simulatord')
  await stack.kill(supervisor)
  for (const index of [1, 2, 3])
    await waitFor(
      `gateway ${index} is ready`,
      async () => (await readOps(index, '/readyz').catch(() => '')).includes('"ready":true'),
      patient,
    )
})
s.run()
