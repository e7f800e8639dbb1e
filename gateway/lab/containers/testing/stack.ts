import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { freePort } from '../../../../fixtures/freePort.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import { chains } from '../../../chain/chains.ts'
import { settingName } from '../../../chain/settingName.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')

/** A stack of one of the compose files, under a project name and at ports of its own; for tests. */
export type Stack = {
  readonly ports: Readonly<Record<string, number>>
  readonly docker: Docker
  compose(...args: readonly string[]): Promise<string>
  /** The same with a file for its input, or for what it prints, byte for byte. */
  pipe(
    args: readonly string[],
    file: { readonly from: string } | { readonly to: string },
  ): Promise<void>
  /** Ids of the containers of a service. */
  find(service?: string): Promise<readonly string[]>
  down(): Promise<void>
}

type Parameters = {
  readonly file: string
  readonly portNames: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** More compose files, absolute, that change the first. */
  readonly overrides?: readonly string[]
}

/** The variables by which docker/compose.yaml publishes its ports. */
export const labPortNames = [
  'ROUTING_PORT',
  'META_PORT',
  'RELAY_PORT',
  'OPS_PORT',
  ...chains.flatMap((chain) => [
    settingName(chain, 'CHAIN_PORT'),
    settingName(chain, 'ADMIN_PORT'),
  ]),
]

/** Free ports, by the names of their variables. */
export async function takePorts(names: readonly string[]) {
  const taken = await Promise.all(names.map(async (name) => [name, await freePort()] as const))
  return {
    ports: Object.fromEntries(taken),
    env: Object.fromEntries(taken.map(([name, port]) => [name, String(port)])),
  }
}

/** `portNames` are the variables by which the file publishes its ports. */
export async function startStack({
  file,
  portNames,
  env = {},
  args = [],
  overrides = [],
}: Parameters): Promise<Stack> {
  const docker = new Docker()
  const project = `forkyard-test-${process.pid}`
  const { ports, env: portEnv } = await takePorts(portNames)
  const files = [join(root, 'docker', file), ...overrides].flatMap((path) => ['-f', path])
  const command = ['compose', '-p', project, ...files]
  const options = { cwd: root, env: { ...process.env, ...portEnv, ...env }, maxBuffer: 2 ** 26 }
  const compose = async (...rest: readonly string[]) =>
    (await run('docker', [...command, ...rest], options)).stdout
  const stack: Stack = {
    ports,
    docker,
    compose,
    pipe: (rest, end) => pipeDocker([...command, ...rest], { ...options, ...end }),
    async find(service) {
      const label = [`com.docker.compose.project=${project}`]
      if (service) label.push(`com.docker.compose.service=${service}`)
      const found = await docker.listContainers({ all: true, filters: { label } })
      return found.map(({ Id }) => Id)
    },
    async down() {
      await compose('--profile', '*', 'down', '--volumes', '--timeout', '20')
    },
  }
  try {
    await compose('up', '--detach', '--no-build', ...args)
  } catch (error) {
    await stack.down()
    throw error
  }
  return stack
}

async function pipeDocker(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv } & ({ from: string } | { to: string }),
): Promise<void> {
  const [file, at] =
    'from' in options ? [openSync(options.from, 'r'), 0] : [openSync(options.to, 'w'), 1]
  const { cwd, env } = options
  const stdio: (number | 'ignore' | 'inherit')[] = ['ignore', 'ignore', 'inherit']
  stdio[at] = file
  try {
    const [code] = await once(spawn('docker', args, { cwd, env, stdio }), 'exit')
    if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}`)
  } finally {
    closeSync(file)
  }
}

const gatewayBridge = 'docker_gwbridge'

/** A swarm's tasks publish their ports by this bridge, which it makes itself where there is none. */
async function bindToLoopback(docker: Docker): Promise<void> {
  const networks = await docker.listNetworks()
  if (networks.some(({ Name }) => Name === gatewayBridge))
    await docker.getNetwork(gatewayBridge).remove()
  await docker.createNetwork({
    Name: gatewayBridge,
    Driver: 'bridge',
    Options: {
      'com.docker.network.bridge.host_binding_ipv4': '127.0.0.1',
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': gatewayBridge,
    },
  })
}

/** By the machine: what the engine is asked to kill counts as stopped by hand, and stays so. */
export async function sendKill(docker: Docker, id: string): Promise<number> {
  const { Pid } = (await docker.getContainer(id).inspect()).State
  process.kill(Pid, 'SIGKILL')
  return Pid
}

/** Until the engine knows of it: before, it still lists the container among those that run. */
export async function killContainer(docker: Docker, id: string): Promise<void> {
  const pid = await sendKill(docker, id)
  const isKnown = async () => (await docker.getContainer(id).inspect()).State.Pid !== pid
  await waitFor('the engine knows of it', isKnown, { deadlineMs: 60_000 })
}

/** Those that bear the labels, until none is left: who owns them may be removing them as well. */
export async function removeContainers(
  { docker }: { readonly docker: Docker },
  { label }: { readonly label: string[] },
): Promise<void> {
  const list = () => docker.listContainers({ all: true, filters: { label } })
  for (const { Id } of await list())
    await docker
      .getContainer(Id)
      .remove({ force: true })
      .catch((error: { readonly statusCode?: number }) => {
        if (error.statusCode !== 404 && error.statusCode !== 409) throw error
      })
  await waitFor('they are gone', async () => (await list()).length === 0, { deadlineMs: 60_000 })
}

/** An engine that leaves its swarm forgets the names of all containers, other networks' too (libnetwork). */
async function waitForOthers(docker: Docker): Promise<void> {
  const label = 'com.docker.compose.project'
  const areGone = async () => {
    const running = await docker.listContainers({ filters: { label: [label] } })
    return !running.some(({ Labels }) => Labels[label]?.startsWith('forkyard-test-'))
  }
  await waitFor('no other stack is tested', areGone, { deadlineMs: 1_200_000, everyMs: 500 })
}

/** The same as a stack of a swarm of this one machine, which is made where there is none. */
export async function startSwarmStack({ file, portNames, env = {} }: Parameters): Promise<Stack> {
  const docker = new Docker()
  const project = `forkyard-test-${process.pid}`
  const { ports, env: portEnv } = await takePorts(portNames)
  const { Swarm } = (await docker.info()) as { Swarm?: { LocalNodeState?: string } }
  const isOurs = Swarm?.LocalNodeState !== 'active'
  if (isOurs) {
    await bindToLoopback(docker)
    await run('docker', ['swarm', 'init', '--advertise-addr', '127.0.0.1'])
  }
  // Of the node that keeps the volumes; docker/compose.scale.yaml asks for it.
  const node = (await run('docker', ['info', '--format', '{{.Swarm.NodeID}}'])).stdout.trim()
  await run('docker', ['node', 'update', '--label-add', 'forkyard.volumes=true', node])

  async function find(service?: string) {
    const label = service
      ? [`com.docker.swarm.service.name=${project}_${service}`]
      : [`com.docker.stack.namespace=${project}`]
    const found = await docker.listContainers({ filters: { label } })
    return found.map(({ Id }) => Id)
  }
  async function stopServices() {
    const { stdout } = await run('docker', ['stack', 'services', '-q', project])
    const ids = stdout.split('\n').filter(Boolean)
    if (ids.length > 0) await run('docker', ['service', 'rm', ...ids])
    await waitFor('it has ended', async () => (await find()).length === 0, { deadlineMs: 60_000 })
    return stdout
  }
  const stack: Stack = {
    ports,
    docker,
    /** A swarm knows of no `exec`: in the first container of the service. */
    async compose(command, ...rest) {
      if (command === 'stop') return stopServices()
      if (command !== 'exec') throw new Error(`a swarm has no ${command}`)
      const [service = '', ...program] = rest.filter((word) => word !== '-T')
      const [id = ''] = await find(service)
      return (await run('docker', ['exec', id, ...program])).stdout
    },
    async pipe() {
      throw new Error('no test asks a swarm for it')
    },
    find,
    async down() {
      // A network is in use until the last task on it has quite ended.
      const remove = () => run('docker', ['stack', 'rm', project])
      const isRemoved = () =>
        remove().then(
          () => true,
          () => false,
        )
      await waitFor('it is gone', isRemoved, { deadlineMs: 120_000, everyMs: 1_000 })
      await waitFor('it has ended', async () => (await find()).length === 0, { deadlineMs: 60_000 })
      if (isOurs) {
        await waitForOthers(docker)
        await run('docker', ['swarm', 'leave', '--force'])
        await docker.getNetwork(gatewayBridge).remove()
      }
      // Ended tasks are kept, and keep their volumes.
      const label = [`com.docker.stack.namespace=${project}`]
      await removeContainers({ docker }, { label })
      const filters = JSON.stringify({ label })
      const { Volumes } = await docker.listVolumes({ filters })
      await Promise.all(Volumes.map(({ Name }) => docker.getVolume(Name).remove({ force: true })))
    },
  }
  try {
    const options = { cwd: root, env: { ...process.env, ...portEnv, ...env } }
    await run('docker', ['stack', 'deploy', '-c', join('docker', file), project], options)
  } catch (error) {
    await stack.down()
    throw error
  }
  return stack
}
