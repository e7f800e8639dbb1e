import { hostname } from 'node:os'
import type Docker from 'dockerode'
import { isStatus } from './engineError.ts'

export type ForkNetwork = {
  readonly id: string
  /** The supervisor's own address on it. */
  readonly host: string
}

/**
 * The network without a way out on which forks live. A supervisor in a container uses the internal
 * network that it is attached to; one that runs on the machine itself makes one and is its gateway.
 */
export async function readForkNetwork(
  { docker }: { readonly docker: Docker },
  { name }: { readonly name: string },
): Promise<ForkNetwork> {
  const networks = await readOwnNetworks(docker)
  if (!networks) return makeNetwork(docker, `${name}-forks`)
  for (const { NetworkID, IPAddress } of Object.values(networks)) {
    const { Internal } = await docker.getNetwork(NetworkID).inspect()
    if (Internal) return { id: NetworkID, host: IPAddress }
  }
  throw new Error('the supervisor is attached to no internal network, where forks could live')
}

/** Undefined where this process runs in no container of this engine. */
async function readOwnNetworks(docker: Docker) {
  try {
    return (await docker.getContainer(hostname()).inspect()).NetworkSettings.Networks
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}

async function makeNetwork(docker: Docker, name: string): Promise<ForkNetwork> {
  try {
    await docker.createNetwork({ Name: name, Internal: true, CheckDuplicate: true })
  } catch (error) {
    if (!isStatus(error, 409)) throw error
  }
  const { Id, IPAM, Internal } = await docker.getNetwork(name).inspect()
  const host: string | undefined = IPAM?.Config?.[0]?.Gateway
  if (!Internal) throw new Error(`the network ${name} is not internal`)
  // An empty one would be every address to the relay that listens there.
  if (!host) throw new Error(`the engine tells no gateway of the network ${name}`)
  return { id: Id, host }
}
