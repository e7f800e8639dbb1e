import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findDebianProgram, passOver } from '../../fixtures/debianPrograms.ts'
import { createAnvilNode } from '../../fixtures/kubernetes/anvilNode.ts'
import { startApiServer } from '../../fixtures/kubernetes/apiServer.ts'
import { makeAuthority } from '../../fixtures/kubernetes/makeAuthority.ts'
import { statuses } from '../../fixtures/kubernetes/statuses.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { createSimulator } from '../simulator.ts'
import { startSwapWorld } from '../testing/swapWorld.ts'
import { waitFor } from '../testing/waitFor.ts'
import { createContainerForks } from './containerForks.ts'
import { forkLabel } from './forkEngine.ts'
import { createKubernetesApi } from './kubernetesApi.ts'
import { createPodForks } from './podForks.ts'
import { ownerLabel } from './podManifest.ts'
import { startSimulatord } from './simulatord.ts'

/** An API server that stands in, and pods that are real anvils on loopback: no cluster is at hand. */
const s = suite('forks in pods')
const openssl = findDebianProgram('openssl')
const cli = join(import.meta.dirname, '../../gateway/cli.ts')
const own = { name: 'simulatord-0', uid: 'uid-0', ip: '127.0.0.1' }
const limits = { image: 'registry.example/forkyard-anvil:1', memoryBytes: 2 ** 30, cpus: 1 }
const running = {
  phase: 'Running',
  containerStatuses: [{ state: { running: {} } }],
}

async function openCluster(program: string) {
  const node = createAnvilNode()
  const server = await startApiServer({ openssl: program, node })
  const api = createKubernetesApi(server)
  const said: string[] = []
  const log = (line: string) => void said.push(line)
  const forks = await createPodForks(
    { api, log },
    { name: 'test', namespace: server.namespace, own, limits, startTimeoutMs: 4_000 },
  )
  const names = () => server.store.list().map(({ metadata }) => metadata.name)
  return {
    node,
    server,
    api,
    said,
    log,
    forks,
    names,
    isEmpty: () => names().length === 0,
    async close() {
      await forks.close()
      await server.close()
    },
  }
}
type Cluster = Awaited<ReturnType<typeof openCluster>>

if (openssl) addTests(openssl, await startSwapWorld())
else s('needs openssl', () => passOver({ name: 'openssl', debianPackage: 'openssl' }))

function addTests(program: string, world: Awaited<ReturnType<typeof startSwapWorld>>) {
  s.after(() => world.chain.close())
  const { port } = new URL(world.chain.rpcUrl)
  const request = {
    chainId: 8453,
    blockNumber: 1,
    upstreamHost: '127.0.0.1',
    upstreamPort: Number(port),
    upstreamPath: '/',
    niceness: 0,
  }
  const start = ({ forks }: Cluster, onExit: (id: string) => void = () => undefined) =>
    forks.start(request, onExit)
  const whyNot = (cluster: Cluster) =>
    start(cluster).then(
      () => 'it started',
      (error: Error) => error.message,
    )
  /** With a cluster of its own. */
  const inCluster = (what: string, run: (cluster: Cluster) => Promise<void>) =>
    s(what, async () => {
      const cluster = await openCluster(program)
      try {
        await run(cluster)
      } finally {
        await cluster.close()
      }
    })

  inCluster(
    'simulate in pods that hold nothing, and are gone with the gateway [24/pods]',
    async (cluster) => {
      const { forks, server, log, isEmpty } = cluster
      const supervisor = await startSimulatord({ forks, log }, { port: 0, maxForks: 4 })
      const simulator = await createSimulator({
        chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
        forks: createContainerForks({ url: supervisor.url }),
      })
      const candidates = [world.swapAForB()]
      const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
      assert.is(results[0]?.status, 'ok')
      assert.is(await simulator.memoryBytes(8453), undefined)
      const [pod] = server.store.list()
      const { spec, metadata } = pod ?? {}
      const whole = JSON.parse(JSON.stringify(spec)) as {
        containers: readonly { resources: { limits: Record<string, string> } }[]
        [field: string]: unknown
      }
      assert.equal(
        [whole['restartPolicy'], whole['automountServiceAccountToken']],
        ['Never', false],
      )
      assert.equal(whole.containers[0]?.resources.limits, { cpu: '1000m', memory: String(2 ** 30) })
      assert.equal(metadata?.ownerReferences, [
        { apiVersion: 'v1', kind: 'Pod', name: own.name, uid: own.uid },
      ])
      await simulator.close()
      await waitFor('no pod is left', isEmpty)
      await supervisor.close()
    },
  )

  inCluster(
    'end alone when one takes too much memory, or is evicted [24/pods-oom]',
    async (cluster) => {
      const { node, server, said, names } = cluster
      const exits: string[] = []
      const [one, other] = [await start(cluster, (id) => exits.push(id)), await start(cluster)]
      const oom = { reason: 'OOMKilled', exitCode: 137 }
      await node.die(server.store, one.id, {
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: oom } }],
      })
      await waitFor('it is told', () => exits.length === 1)
      assert.equal(exits, [one.id])
      assert.equal(said, [`${one.id}: OOMKilled`])
      await waitFor('its pod is gone', () => names().length === 1)
      assert.equal(names(), [other.id])
      const evicted = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }
      await node.die(server.store, other.id, evicted)
      await waitFor('its pod is gone', () => names().length === 0)
      assert.is(said.at(-1), `${other.id}: Evicted: The node was low on memory.`)
    },
  )

  inCluster('say why one does not start, and leave nothing [24/pods-refused]', async (cluster) => {
    const { server, node, isEmpty } = cluster
    const { meet } = server
    for (const status of [
      statuses.exists('x'),
      statuses.invalid('x', 'spec.containers[0].image: Required value'),
      statuses.violates('x', ['runAsNonRoot != true']),
    ]) {
      meet('create', status)
      assert.is(await whyNot(cluster), `the fork did not start: ${status.message}`)
    }
    server.limit(0)
    assert.match(await whyNot(cluster), 'exceeded quota: forks, requested: pods=1')
    server.limit(10)
    server.allowed.delete('create')
    assert.match(await whyNot(cluster), 'cannot create resource "pods"')
    server.allowed.add('create')
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' }
    node.decide({ phase: 'Pending', containerStatuses: [{ state: { waiting } }] })
    assert.match(await whyNot(cluster), 'did not start: ImagePullBackOff: Back-off pulling')
    const reason = 'Unschedulable'
    const unscheduled = { type: 'PodScheduled', status: 'False', reason, message: '0/3 nodes' }
    node.decide({ phase: 'Pending', conditions: [unscheduled] })
    assert.is(
      await whyNot(cluster),
      'the fork did not start: not in time: Unschedulable: 0/3 nodes',
    )
    await waitFor('no pod is left', isEmpty)
    assert.equal(server.asked.includes('list'), true)
  })

  inCluster(
    'outlive a server that hangs, breaks off or has too much to do [24/pods-server]',
    async (cluster) => {
      const { server, names, isEmpty, forks } = cluster
      server.meet('create', 'too many')
      const { id } = await start(cluster)
      assert.is(server.asked.filter((verb) => verb === 'create').length, 2)
      server.meet('create', 'hangs')
      assert.is(
        await whyNot(cluster),
        'the fork did not start: not in time: the API server is silent',
      )
      // It was made all the same; nobody was told.
      server.meet('create', 'hangs after')
      server.meet('delete', 'breaks')
      assert.match(await whyNot(cluster), 'not in time')
      await waitFor('only the first is left', () => names().length === 1)
      server.meet('delete', 'breaks')
      await forks.stop(id).catch(() => undefined)
      server.cut()
      await waitFor('what could not be deleted is found', isEmpty)
    },
  )

  inCluster('hear of what ended while no watch was open [24/pods-watch]', async (cluster) => {
    const { server, node } = cluster
    const exits: string[] = []
    const ids = [await start(cluster, (id) => exits.push(id))]
    // The list is answered, and the watch from it is too old.
    server.meet('list', 'breaks')
    server.meet('watch', 'breaks')
    server.cut()
    await node.end(ids[0]?.id ?? '')
    server.store.remove(ids[0]?.id ?? '')
    server.store.compact()
    await waitFor('its end is told', () => exits.length === 1)
    const again = await start(cluster, (id) => exits.push(id))
    server.store.compact()
    server.cut()
    await node.die(server.store, again.id, { phase: 'Failed', reason: 'Shutdown' })
    await waitFor('its end is told', () => exits.length === 2)
  })

  inCluster(
    'take the newest token, and talk to nobody else than its server [24/pods-token]',
    async (cluster) => {
      const { server } = cluster
      server.rotate()
      const { id } = await start(cluster)
      assert.ok(server.store.get(id))
      server.trust(makeAuthority(program).ca)
      assert.match(await whyNot(cluster), 'certificate')
      server.trust()
    },
  )

  inCluster(
    'sweep what dead supervisors left, and not what others hold [24/pods-sweep]',
    async (cluster) => {
      const { server, forks, names } = cluster
      const add = (name: string, labels: Readonly<Record<string, string>>, owner?: typeof own) =>
        server.store.add({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, uid: name, labels, ...(owner && { ownerReferences: [owner] }) },
          spec: { containers: [] },
          status: { ...running, podIP: '10.0.0.1' },
        })
      const labels = { [forkLabel]: 'test' }
      const [other, gone] = [
        { ...own, name: 'simulatord-1', uid: 'simulatord-1' },
        { ...own, name: 'simulatord-2', uid: 'uid-2' },
      ]
      add('simulatord-1', {})
      add('simulatord-2', {})
      add('held', { ...labels, [ownerLabel]: other.uid }, other)
      // A pod of that name is another one by now.
      add('left', { ...labels, [ownerLabel]: gone.uid }, gone)
      add('ownerless', labels)
      add('foreign', { [forkLabel]: 'somebody else' })
      assert.is(await forks.sweep(), 2)
      await waitFor('they are gone', () => names().length === 4)
      assert.equal(names(), ['simulatord-1', 'simulatord-2', 'held', 'foreign'])
    },
  )

  s(
    'are swept by the next supervisor after kill -9, whose command line finds its cluster [24/pods-killed]',
    async () => {
      const server = await startApiServer({ openssl: program, node: createAnvilNode() })
      const startOne = async (pod: string) => {
        const command = ['simulatord', '--engine', 'kubernetes', '--port', '0']
        const child = spawn(process.execPath, [cli, ...command, '--account', server.account], {
          stdio: ['ignore', 'pipe', 'inherit'],
          env: {
            ...process.env,
            KUBERNETES_SERVICE_HOST: server.host,
            KUBERNETES_SERVICE_PORT: String(server.port),
            POD_NAME: pod,
            POD_UID: pod,
            POD_IP: '127.0.0.1',
          },
        })
        let printed = ''
        child.stdout.on('data', (chunk) => {
          printed += chunk
        })
        const url = () => /listening on (\S+)\n/.exec(printed)?.[1]
        await waitFor('it listens', () => url() !== undefined, { why: () => printed })
        return { child, url: url() ?? '', printed: () => printed }
      }
      const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
        const gone = once(child, 'exit')
        child.kill(signal)
        await gone
      }
      const first = await startOne('pod-1')
      const forks = createContainerForks({ url: first.url })
      const upstreamUrl = world.chain.rpcUrl
      await forks.startFork({ chainId: 8453, upstreamUrl, blockNumber: 1n })
      await end(first.child, 'SIGKILL')
      await forks.close()
      assert.is(server.store.list().length, 1)
      const second = await startOne('pod-2')
      assert.match(second.printed(), 'removed 1 forks of an earlier run')
      await waitFor('no pod is left', () => server.store.list().length === 0)
      await end(second.child, 'SIGTERM')
      await server.close()
    },
  )

  s('say at once what a service account may not', async () => {
    const server = await startApiServer({ openssl: program, node: createAnvilNode() })
    server.allowed.delete('list')
    const settings = { name: 'test', namespace: server.namespace, own, limits }
    const api = createKubernetesApi(server)
    const opening = createPodForks({ api, log: () => undefined }, settings)
    const message = await opening.then(
      () => '',
      (error: Error) => error.message,
    )
    assert.match(message, 'User "system:serviceaccount:forkyard-forks:simulatord" cannot list')
    await server.close()
  })
}
s.run()
