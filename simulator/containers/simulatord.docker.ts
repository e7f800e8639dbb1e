import { type ChildProcess, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import Docker from 'dockerode'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../simulator.ts'
import { startSwapWorld } from '../testing/swapWorld.ts'
import { waitFor } from '../testing/waitFor.ts'
import { createContainerForks } from './containerForks.ts'
import { forkLabel } from './forkEngine.ts'

/** Needs a Docker engine and the image `forkyard-anvil`: `make docker-test`. */
const s = suite('simulatord')
const docker = new Docker()
const root = join(import.meta.dirname, '..', '..')
const name = `test-${process.pid}`
const world = await startSwapWorld()
let supervisor = await startSupervisor({ port: 0 })
s.after(async () => {
  await stop(supervisor.child, 'SIGTERM')
  await docker.getNetwork(`${name}-forks`).remove()
  await world.chain.close()
})

async function startSupervisor({ port }: { port: number }) {
  const command = ['simulatord', '--name', name, '--port', String(port)]
  const child = spawn(process.execPath, [join(root, 'gateway', 'cli.ts'), ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`simulatord: exit ${code}`)))
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const listening = /listening on (\S+)\n/.exec(printed)?.[1]
      if (listening) resolve(listening)
    })
  })
  return { child, url }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

const listForks = () =>
  docker.listContainers({ all: true, filters: { label: [`${forkLabel}=${name}`] } })
const startSimulator = async (url: string) =>
  createSimulator({
    chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
    forks: createContainerForks({ url }),
  })
const ask = async (simulator: Awaited<ReturnType<typeof startSimulator>>) => {
  const candidates = [world.swapAForB()]
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  return results[0]?.status
}
const rpc = async (method: string, parameter: unknown) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [parameter] })
  return (await (await fetch(supervisor.url, { method: 'POST', body })).json()) as {
    result?: string
    error?: { message: string }
  }
}

s('runs forks that can reach nothing, hold nothing and use no more than they may', async () => {
  const simulator = await startSimulator(supervisor.url)
  assert.is(await ask(simulator), 'ok')
  const [fork] = await listForks()
  const { Config, HostConfig, NetworkSettings } = await docker
    .getContainer(fork?.Id ?? '')
    .inspect()
  const { ReadonlyRootfs, CapDrop, SecurityOpt, Memory, MemorySwap, NanoCpus } = HostConfig
  assert.equal([ReadonlyRootfs, CapDrop, SecurityOpt], [true, ['ALL'], ['no-new-privileges']])
  assert.equal([Memory, MemorySwap, NanoCpus], [2 ** 30, 2 ** 30, 1e9])
  assert.ok((HostConfig.PidsLimit ?? 0) > 0)
  assert.is(Config.User, '65532:65532')
  assert.equal(HostConfig.Binds ?? [], [])
  assert.equal(Object.values(NetworkSettings.Ports).filter(Boolean), [], 'a port is published')
  const [held, none] = await Promise.all([8453, 1].map(simulator.memoryBytes))
  assert.ok(held !== undefined && held > 5_000_000 && held < 2 ** 30, String(held))
  assert.is(none, 0)
  const [network] = Object.values(NetworkSettings.Networks)
  assert.is((await docker.getNetwork(network?.NetworkID ?? '').inspect()).Internal, true)
  await simulator.close()
  await waitFor('the forks are gone with the gateway', async () => (await listForks()).length === 0)
})

s('offers its few methods and nothing else', async () => {
  const known = 'methods are openSession, waitForExits, startFork, stopFork, readMemory'
  assert.is((await rpc('eth_chainId', {})).error?.message, known)
  assert.is((await rpc('startFork', { session: 'x' })).error?.message.slice(0, 10), 'startFork:')
  assert.is((await rpc('waitForExits', { session: 'x' })).error?.message, 'no such session')
  const session = (await rpc('openSession', {})).result
  const foreign = await rpc('stopFork', { session, fork: 'somebody else' })
  assert.is(foreign.error?.message, 'no such fork')
  const image = { session, chainId: 1, blockNumber: 1, upstreamPort: 1, upstreamPath: '/' }
  const refused = await rpc('startFork', { ...image, niceness: 0, image: 'debian' })
  assert.match(refused.error?.message ?? '', 'must NOT have additional properties')
})

s('removes the forks of a gateway that was killed', async () => {
  const holder = spawn(
    process.execPath,
    [join(root, 'simulator/testing/holdSimulator.ts'), world.chain.rpcUrl],
    {
      env: { ...process.env, FORKYARD_TEST_SIMULATORD: supervisor.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  assert.is((await listForks()).length, 1)
  await stop(holder, 'SIGKILL')
  await waitFor('its forks are gone', async () => (await listForks()).length === 0, {
    deadlineMs: 10_000,
  })
})

s('is replaced after kill -9: its forks are swept, and the gateway gets others', async () => {
  const simulator = await startSimulator(supervisor.url)
  assert.is(await ask(simulator), 'ok')
  const orphans = (await listForks()).map(({ Id }) => Id)
  await stop(supervisor.child, 'SIGKILL')
  supervisor = await startSupervisor({ port: Number(new URL(supervisor.url).port) })
  const isAnswering = async () => (await ask(simulator).catch(() => 'down')) === 'ok'
  await waitFor('it simulates again', isAnswering, { deadlineMs: 20_000 })
  const left = (await listForks()).map(({ Id }) => Id)
  assert.not(orphans.some((id) => left.includes(id)))
  await simulator.close()
})

for (const file of globSync('simulator/*.fork.test.ts', { cwd: root }).sort()) {
  // About processes as such, or about a fork's speed.
  if (/(fork|forkGuard|warmFork)\.fork\.test\.ts$/.test(file)) continue
  s(`passes ${file} as processes do`, async () => {
    const child = spawn(process.execPath, [join(root, file)], {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', FORKYARD_TEST_SIMULATORD: supervisor.url },
      // What hangs fails with what it printed.
      timeout: 240_000,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    const [total, passed] = [/Total:\s+(\d+)/, /Passed:\s+(\d+)/].map((line) => line.exec(output))
    assert.is(code, 0, output)
    assert.ok(Number(total?.[1]) > 0 && total?.[1] === passed?.[1], output)
  })
}
s.run()
