import { assert } from '../../../../fixtures/test.ts'
import { readBridgeAddress } from './readBridgeAddress.ts'
import { scanPorts } from './scanPorts.ts'
import type { Stack } from './stack.ts'

/** Of every service of ours, and the usual ones of what else may run. */
const knownPorts = [
  8080, 8081, 8082, 8090, 8095, 8443, 8545, 8546, 8555, 8556, 2375, 2376, 2377, 4789, 7946, 5432,
  6379, 9090, 3000, 80, 443,
]

/**
 * Of the running containers: the Docker socket is the supervisor's alone, who publishes nothing; and from
 * a network namespace that has nothing to do with the stack no port of it answers, at its own addresses
 * or, bound to loopback as it is in tests, at the machine's.
 */
export async function checkDoors(stack: Pick<Stack, 'docker' | 'find' | 'ports'>): Promise<void> {
  const { docker } = stack
  const inspected = await Promise.all(
    (await stack.find()).map((id) => docker.getContainer(id).inspect()),
  )
  assert.ok(inspected.length > 0)
  for (const { Config, Mounts, NetworkSettings } of inspected) {
    const service = Config.Labels['com.docker.compose.service']
    const holdsSocket = Mounts.some(({ Source }) => Source.includes('docker.sock'))
    assert.is(holdsSocket, service === 'simulatord', service)
    const published = Object.values(NetworkSettings.Ports).flatMap((ports) => ports ?? [])
    if (holdsSocket) assert.equal(published, [], service)
    for (const { HostIp } of published) assert.is(HostIp, '127.0.0.1', service)
  }
  const inside = inspected.flatMap(({ NetworkSettings }) =>
    Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
  )
  const machine = await readBridgeAddress({ docker })
  const published = Object.values(stack.ports)
  assert.equal(await scanPorts({ docker }, { hosts: inside, ports: knownPorts }), [])
  // What else listens on the machine is not the stack's.
  assert.equal(await scanPorts({ docker }, { hosts: [machine], ports: published }), [])
}
