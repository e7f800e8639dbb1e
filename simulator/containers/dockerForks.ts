import { hostname } from 'node:os'
import type Docker from 'dockerode'
import { anvilFlags } from './anvilFlags.ts'
import { isStatus } from './engineError.ts'
import { anvilPort, type ForkEngine, type ForkLimits, forkLabel } from './forkEngine.ts'
import { readForkNetwork } from './forkNetwork.ts'
import { waitUntilUp } from './waitUntilUp.ts'

/** Of several supervisors of one name, the one that made the fork. */
const hostLabel = 'forkyard.simulatord.host'
const startTimeoutMs = 8_000
/** anvil's runtime makes up to 512 threads for reads that block, beside its workers. */
const pidsLimit = 700
const usualCpuShares = 1024

export async function createDockerForks(
  { docker }: { readonly docker: Docker },
  { name, limits }: { readonly name: string; readonly limits: ForkLimits },
): Promise<ForkEngine> {
  const network = await readForkNetwork({ docker }, { name })

  async function remove(id: string) {
    try {
      await docker.getContainer(id).remove({ force: true, v: true })
    } catch (error) {
      // Gone already, or its removal is under way.
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error
    }
  }
  /** A supervisor in a container, which others of its name leave its forks to. */
  async function isRunningElsewhere(host: string | undefined): Promise<boolean> {
    if (host === undefined || host === hostname()) return false
    try {
      return (await docker.getContainer(host).inspect()).State.Running
    } catch (error) {
      if (isStatus(error, 404)) return false
      throw error
    }
  }
  async function sweep() {
    const found = await docker.listContainers({
      all: true,
      filters: { label: [`${forkLabel}=${name}`] },
    })
    const removed = await Promise.all(
      found.map(async ({ Id, Labels }) => {
        if (await isRunningElsewhere(Labels[hostLabel])) return 0
        await remove(Id)
        return 1
      }),
    )
    return removed.reduce<number>((sum, count) => sum + count, 0)
  }
  return {
    host: network.host,
    async start({ niceness, ...block }, onExit) {
      const container = await docker.createContainer({
        Image: limits.image,
        Cmd: anvilFlags(block),
        Labels: {
          [forkLabel]: name,
          [hostLabel]: hostname(),
          'forkyard.chain': String(block.chainId),
          'forkyard.block': String(block.blockNumber),
        },
        HostConfig: {
          NetworkMode: network.id,
          ReadonlyRootfs: true,
          Tmpfs: { '/tmp': 'size=64m,mode=1777' },
          CapDrop: ['ALL'],
          SecurityOpt: ['no-new-privileges'],
          Memory: limits.memoryBytes,
          MemorySwap: limits.memoryBytes,
          NanoCpus: Math.round(limits.cpus * 1e9),
          CpuShares: Math.max(2, Math.round(usualCpuShares * 0.8 ** niceness)),
          PidsLimit: pidsLimit,
          // It prints its upstream's URL, and nobody would read it.
          LogConfig: { Type: 'none', Config: {} },
        },
      })
      const { id } = container
      try {
        await container.start()
        void container
          .wait()
          // The engine itself went away: what it ran is of no more use.
          .catch(() => undefined)
          .then(() => remove(id))
          .catch(() => undefined)
          .then(() => onExit(id))
        const { State, NetworkSettings } = await container.inspect()
        const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress
        const url = `http://${address}:${anvilPort}`
        await waitUntilUp(url, { timeoutMs: startTimeoutMs })
        return { id, url, pid: State.Pid }
      } catch {
        await remove(id)
        throw new Error('the fork did not start')
      }
    },
    stop: remove,
    async readMemoryBytes(id) {
      try {
        // One look: without it the engine takes two, a second apart, for the processors' share.
        const looked = await docker.getContainer(id).stats({ stream: false, 'one-shot': true })
        const { usage, stats } = looked.memory_stats
        return usage === undefined ? undefined : usage - (stats?.inactive_file ?? 0)
      } catch (error) {
        if (isStatus(error, 404) || isStatus(error, 409)) return undefined
        throw error
      }
    },
    sweep,
    close: async () => void (await sweep()),
  }
}
