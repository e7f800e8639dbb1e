import { execFile } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

/** A stack of one of the compose files, under a project name and at ports of its own; for tests. */
export type Stack = {
  readonly ports: Readonly<Record<string, number>>
  readonly docker: Docker
  compose(...args: readonly string[]): Promise<string>
  /** Ids of the containers of a service. */
  find(service?: string): Promise<readonly string[]>
  down(): Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** `portNames` are the variables by which the file publishes its ports. */
export async function startStack({
  file,
  portNames,
  env = {},
  args = [],
}: {
  readonly file: string
  readonly portNames: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}): Promise<Stack> {
  const docker = new Docker()
  const project = `forkyard-test-${process.pid}`
  const ports = Object.fromEntries(
    await Promise.all(portNames.map(async (name) => [name, await freePort()] as const)),
  )
  const asText = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `${port}`]))
  const compose = async (...rest: readonly string[]) => {
    const command = ['compose', '-p', project, '-f', join(root, 'docker', file), ...rest]
    const options = { cwd: root, env: { ...process.env, ...asText, ...env }, maxBuffer: 2 ** 26 }
    return (await run('docker', command, options)).stdout
  }
  const stack: Stack = {
    ports,
    docker,
    compose,
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
