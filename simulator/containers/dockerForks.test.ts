import { once } from 'node:events'
import { createServer } from 'node:http'
import { hostname } from 'node:os'
import { text } from 'node:stream/consumers'
import type Docker from 'dockerode'
import { assert, suite } from '../../fixtures/test.ts'
import { hiddenLoopback } from '../hiddenLoopback.ts'
import { anvilFlags } from './anvilFlags.ts'
import { createDockerForks } from './dockerForks.ts'

/** Beside an engine that is a table; what it runs answers as an anvil does. */
const s = suite('simulator/containers/dockerForks')
const address = hiddenLoopback()
let looks = 0
const anvil = createServer(async (request, response) => {
  looks += 1
  await text(request)
  response.end('[{"id":0,"result":null}]')
}).listen(8545, address)
await once(anvil, 'listening')
s.after(() => {
  anvil.closeAllConnections()
  anvil.close()
})

const status = (statusCode: number) => Object.assign(new Error('refused'), { statusCode })
type Network = { readonly Internal: boolean; readonly IPAM?: object }
type Given = {
  /** Of the container that this process runs in; default: it runs in none. */
  readonly ownNetworks?: Readonly<Record<string, { NetworkID: string; IPAddress: string }>>
  readonly networks?: Readonly<Record<string, Network>>
  readonly createNetwork?: () => Promise<unknown>
  readonly listed?: readonly { readonly Id: string; readonly Labels: Record<string, string> }[]
  /** By their name: a supervisor's container. */
  readonly hosts?: Readonly<Record<string, boolean | Error>>
  readonly remove?: (id: string) => Promise<unknown>
  readonly stats?: () => Promise<unknown>
}
const ours = {
  'test-forks': { Internal: true, IPAM: { Config: [{ Gateway: '10.7.0.1' }] } },
} as const

function createEngine({
  ownNetworks,
  networks = ours,
  createNetwork = async () => undefined,
  listed = [],
  hosts = {},
  remove = async () => undefined,
  stats = async () => ({}),
}: Given = {}) {
  const created: { readonly options: Docker.ContainerCreateOptions; readonly end: () => void }[] =
    []
  const removed: (readonly [id: string, options: unknown])[] = []
  const told: unknown[] = []
  const docker = {
    getContainer: (id: string) => ({
      async inspect() {
        if (id === hostname()) {
          if (!ownNetworks) throw status(404)
          return { NetworkSettings: { Networks: ownNetworks } }
        }
        const host = hosts[id] ?? status(404)
        if (host instanceof Error) throw host
        return { State: { Running: host } }
      },
      async remove(options: unknown) {
        removed.push([id, options])
        await remove(id)
      },
      async stats(options: unknown) {
        told.push(options)
        return stats()
      },
    }),
    getNetwork: (id: string) => ({
      inspect: async () => ({ Id: `id of ${id}`, ...networks[id] }),
    }),
    async createNetwork(options: unknown) {
      told.push(options)
      return createNetwork()
    },
    async listContainers(options: unknown) {
      told.push(options)
      return listed
    },
    async createContainer(options: Docker.ContainerCreateOptions) {
      const exit = Promise.withResolvers<void>()
      created.push({ options, end: exit.resolve })
      return {
        id: `container ${created.length}`,
        start: async () => undefined,
        wait: () => exit.promise,
        inspect: async () => ({
          State: { Pid: 77 },
          NetworkSettings: { Networks: { forks: { IPAddress: address } } },
        }),
      }
    },
  } as unknown as Docker
  return { docker, created, removed, told }
}
const limits = { image: 'anvil:1', memoryBytes: 2 ** 30, cpus: 1.5 }
async function open(given?: Given) {
  const engine = createEngine(given)
  const forks = await createDockerForks({ docker: engine.docker }, { name: 'test', limits })
  return { ...engine, forks }
}
const whyNot = (given: Given) => open(given).then(String, (error: Error) => error.message)
const block = {
  chainId: 8453,
  blockNumber: 17,
  upstreamHost: '10.7.0.1',
  upstreamPort: 4321,
  upstreamPath: '/se-cret',
}
const wholly = { force: true, v: true }

s(
  'runs a fork that may do nothing, on a network without a way out [teeth/docker-forks]',
  async () => {
    const { forks, created, removed } = await open()
    assert.is(forks.host, '10.7.0.1')
    const exits: string[] = []
    const fork = await forks.start({ ...block, niceness: 0 }, (id) => void exits.push(id))
    assert.equal(fork, { id: 'container 1', url: `http://${address}:8545`, pid: 77 })
    assert.is(looks, 1, 'it is up')
    const [container] = created
    assert.equal(container?.options, {
      Image: 'anvil:1',
      Cmd: anvilFlags(block),
      Labels: {
        'forkyard.simulatord': 'test',
        'forkyard.simulatord.host': hostname(),
        'forkyard.chain': '8453',
        'forkyard.block': '17',
      },
      HostConfig: {
        NetworkMode: 'id of test-forks',
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': 'size=64m,mode=1777' },
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: 2 ** 30,
        MemorySwap: 2 ** 30,
        NanoCpus: 1_500_000_000,
        CpuShares: 1_024,
        PidsLimit: 700,
        LogConfig: { Type: 'none', Config: {} },
      },
    })
    assert.equal([removed, exits], [[], []])
    container?.end()
    for (let n = 0; n < 5; n += 1) await new Promise(setImmediate)
    assert.equal([removed, exits], [[['container 1', wholly]], ['container 1']])
    const nice = async (niceness: number) => {
      await forks.start({ ...block, niceness }, () => undefined)
      return created.at(-1)?.options.HostConfig?.CpuShares
    }
    assert.equal([await nice(1), await nice(19), await nice(40)], [819, 15, 2])
  },
)
s(
  'tells of its end though the engine is gone, and removes what did not start [teeth/docker-forks]',
  async () => {
    const gone = await open({ remove: () => Promise.reject(status(500)) })
    const exited = Promise.withResolvers<string>()
    await gone.forks.start({ ...block, niceness: 0 }, exited.resolve)
    gone.created[0]?.end()
    assert.is(await exited.promise, 'container 1')
    const { forks, removed, docker } = await open()
    const made = await docker.createContainer({})
    Object.assign(docker, {
      createContainer: async () => ({ ...made, start: () => Promise.reject(status(500)) }),
    })
    const started = forks.start({ ...block, niceness: 0 }, () => undefined)
    assert.is(await started.then(String, (error: Error) => error.message), 'the fork did not start')
    assert.equal(removed, [['container 1', wholly]])
  },
)
s('takes a fork that is gone, or on its way, for removed [teeth/docker-removed]', async () => {
  for (const code of [404, 409]) {
    const { forks, removed } = await open({ remove: () => Promise.reject(status(code)) })
    await forks.stop('one')
    assert.equal(removed, [['one', wholly]])
  }
  const { forks } = await open({ remove: () => Promise.reject(status(500)) })
  assert.is(await forks.stop('one').then(String, (error: Error) => error.message), 'refused')
})
s(
  'removes what is left of its name, but for that of one that runs [teeth/docker-removed]',
  async () => {
    const of = (Id: string, host?: string) => {
      const Labels: Record<string, string> = host ? { 'forkyard.simulatord.host': host } : {}
      return { Id, Labels }
    }
    const listed = [of('a'), of('b', hostname()), of('c', 'up'), of('d', 'down'), of('e', 'gone')]
    const { forks, removed, told } = await open({
      listed,
      hosts: { up: true, down: false },
      // Whoever sweeps runs there itself, and asks nothing about that.
      ownNetworks: { a: { NetworkID: 'shut', IPAddress: '10.2.0.2' } },
      networks: { shut: { Internal: true } },
    })
    assert.is(await forks.sweep(), 4)
    assert.equal(
      removed.map(([id]) => id),
      ['a', 'b', 'd', 'e'],
    )
    assert.equal(told.at(-1), { all: true, filters: { label: ['forkyard.simulatord=test'] } })
    await forks.close()
    assert.is(removed.length, 8)
    const unsure = await open({ listed, hosts: { up: status(500) } })
    assert.is(await unsure.forks.sweep().then(String, (error: Error) => error.message), 'refused')
  },
)
s('knows what a fork holds, without files that could be let go [teeth/docker-memory]', async () => {
  const held = async (memory: object | Error) => {
    const { forks, told } = await open({
      stats: async () => {
        if (memory instanceof Error) throw memory
        return { memory_stats: memory }
      },
    })
    const bytes = await forks.readMemoryBytes('one')
    assert.equal(told.at(-1), { stream: false, 'one-shot': true })
    return bytes
  }
  assert.is(await held({ usage: 10, stats: { inactive_file: 3 } }), 7)
  assert.equal([await held({ usage: 10, stats: {} }), await held({ usage: 10 })], [10, 10])
  assert.equal(
    [await held({}), await held(status(404)), await held(status(409))],
    [undefined, undefined, undefined],
  )
  assert.is(await held(status(500)).catch((error: Error) => error.message), 'refused')
})
s(
  'lives on a network of its own container that leads nowhere, or makes one [teeth/docker-network]',
  async () => {
    const of = (id: string, ip: string) => ({ NetworkID: id, IPAddress: ip })
    const ownNetworks = { a: of('open', '10.1.0.2'), b: of('shut', '10.2.0.2') }
    const networks = { open: { Internal: false }, shut: { Internal: true } }
    assert.is((await open({ ownNetworks, networks })).forks.host, '10.2.0.2')
    assert.is(
      await whyNot({ ownNetworks: { a: ownNetworks.a }, networks }),
      'the supervisor is attached to no internal network, where forks could live',
    )
    const { told } = await open()
    assert.equal(told, [{ Name: 'test-forks', Internal: true, CheckDuplicate: true }])
    const there = await open({ createNetwork: () => Promise.reject(status(409)) })
    assert.is(there.forks.host, '10.7.0.1')
    assert.is(await whyNot({ createNetwork: () => Promise.reject(status(500)) }), 'refused')
    const made = (network: Network) => whyNot({ networks: { 'test-forks': network } })
    assert.is(
      await made({ ...ours['test-forks'], Internal: false }),
      'the network test-forks is not internal',
    )
    for (const IPAM of [{}, { Config: [] }, { Config: [{}] }])
      assert.is(
        await made({ Internal: true, IPAM }),
        'the engine tells no gateway of the network test-forks',
      )
    const own = Object.assign(createEngine().docker, {
      getContainer: () => ({ inspect: () => Promise.reject(status(500)) }),
    })
    const failed = createDockerForks({ docker: own }, { name: 'test', limits })
    assert.is(await failed.then(String, (error: Error) => error.message), 'refused')
  },
)
s.run()
