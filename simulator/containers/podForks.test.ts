import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { assert, suite } from '../../fixtures/test.ts'
import { hiddenLoopback } from '../hiddenLoopback.ts'
import { waitFor } from '../testing/waitFor.ts'
import { ApiRefusal, type KubernetesApi, type WatchEvent } from './kubernetesApi.ts'
import { createPodForks } from './podForks.ts'
import type { Pod } from './readPod.ts'

/** Beside an API server that is a map of pods, and nodes that do what a row of a test says. */
const s = suite('simulator/containers/podForks')
const ip = hiddenLoopback()
let looks = 0
/** Until when what runs does not answer. */
let gate: Promise<void> | undefined
const anvil = createServer(async (request, response) => {
  looks += 1
  await text(request)
  await gate
  response.end('[{"id":0,"result":null}]')
}).listen(8545, ip)
await once(anvil, 'listening')
s.after(() => {
  anvil.closeAllConnections()
  anvil.close()
})
const closings: (() => Promise<void>)[] = []
s.after.each(async () => {
  for (const close of closings.splice(0)) await close()
  mock.restoreAll()
})
const turn = () => new Promise(setImmediate)
async function until(isTrue: () => boolean) {
  for (let n = 0; n < 100_000 && !isTrue(); n += 1) await turn()
  assert.ok(isTrue())
}
const path = '/api/v1/namespaces/n%2F/pods'
const own = { name: 'simulatord-0', uid: 'uid-0', ip: '10.0.0.1' }
const running = { podIP: ip, containerStatuses: [{ state: { running: {} } }] }
const request = {
  chainId: 8453,
  blockNumber: 17,
  upstreamHost: '10.0.0.1',
  upstreamPort: 4321,
  upstreamPath: '/se-cret',
  niceness: 0,
}
type Given = {
  /** What becomes of a pod that is made; default: it runs. */
  readonly node?: (pod: Pod) => Pod['status'] | undefined
  /** Which own forks, and are none. */
  readonly supervisors?: readonly Pod[]
  readonly refuse?: (method: string, path: string) => number | undefined
  readonly startTimeoutMs?: number
}
async function open({
  node = () => running,
  supervisors = [],
  refuse = () => undefined,
  startTimeoutMs = 5_000,
}: Given = {}) {
  const pods = new Map<string, Pod>()
  const asked: string[] = []
  const said: string[] = []
  const watchers = new Set<(event: WatchEvent<Pod>) => void>()
  const tell = (type: WatchEvent<Pod>['type'], object: Pod) => {
    for (const watcher of watchers) watcher({ type, object })
  }
  function become(name: string, status: Pod['status'], more: Partial<Pod['metadata']> = {}) {
    const pod = pods.get(name)
    if (!pod) throw new Error('there is none of that name')
    const changed = { metadata: { ...pod.metadata, ...more }, ...(status && { status }) }
    pods.set(name, changed)
    tell('MODIFIED', changed)
  }
  const api: KubernetesApi = {
    async ask({ method = 'GET', path: place, body }) {
      asked.push(`${method} ${place.replace(/fork-[-0-9a-f]+/, 'fork')}`)
      const code = refuse(method, place)
      if (code !== undefined) throw new ApiRefusal(code, `refused with ${code}`)
      const name = decodeURIComponent(place.split('/').at(-1) ?? '')
      if (method === 'POST') {
        const pod = body as Pod
        pods.set(pod.metadata.name, pod)
        tell('ADDED', pod)
        const status = node(pod)
        if (status) setImmediate(() => become(pod.metadata.name, status))
        return undefined as never
      }
      const pod = pods.get(name) ?? supervisors.find(({ metadata }) => metadata.name === name)
      if (place.includes('?'))
        return { items: [...pods.values()], metadata: { resourceVersion: '1' } } as never
      if (!pod) throw new ApiRefusal(404, 'not found')
      if (method === 'DELETE') {
        pods.delete(name)
        tell('DELETED', pod)
      }
      return pod as never
    },
    async *watch({ signal }) {
      const events: WatchEvent<Pod>[] = []
      let wake = () => {}
      const watcher = (event: WatchEvent<Pod>) => {
        events.push(event)
        wake()
      }
      watchers.add(watcher)
      signal.addEventListener('abort', () => wake())
      try {
        for (;;) {
          for (const event of events.splice(0)) yield event as never
          if (signal.aborted) throw new Error('aborted')
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      } finally {
        watchers.delete(watcher)
      }
    },
  }
  const forks = await createPodForks(
    { api, log: (line) => void said.push(line.replace(/fork-[-0-9a-f]+/, 'fork')) },
    {
      name: 'test',
      namespace: 'n/',
      own,
      limits: { image: 'anvil:1', memoryBytes: 2 ** 30, cpus: 1 },
      startTimeoutMs,
    },
  )
  closings.push(forks.close)
  // By then it watches.
  await turn()
  const exits: string[] = []
  return {
    forks,
    pods,
    asked,
    said,
    exits,
    become,
    tell,
    start: () => forks.start(request, (id) => void exits.push(id)),
    whyNot: () =>
      forks
        .start(request, (id) => void exits.push(id))
        .then(String, (error: Error) => error.message),
  }
}
const names = (pods: ReadonlyMap<string, Pod>) => [...pods.keys()]

s('makes a pod, and hands it out once it answers [teeth/pod-forks]', async () => {
  const { forks, start, pods, asked } = await open()
  assert.is(forks.host, '10.0.0.1')
  const { id, url, pid } = await start()
  assert.equal([url, pid, names(pods)], [`http://${ip}:8545`, undefined, [id]])
  assert.ok(asked.includes(`POST ${path}`))
  const list = new URLSearchParams({ labelSelector: 'forkyard.simulatord=test' })
  assert.is(asked[0], `GET ${path}?${list}`)
  assert.is(await forks.readMemoryBytes(id), undefined)
})
s('ends one when it is told to, and tells once that it has ended [teeth/pod-forks]', async () => {
  const { forks, start, pods, exits } = await open()
  const [one, other] = [await start(), await start()]
  await forks.stop(one.id)
  await turn()
  assert.equal([exits, names(pods)], [[one.id], [other.id]])
  await forks.stop(one.id)
  assert.is(exits.length, 1)
  let isRefusing = false
  const refused = await open({
    refuse: (method) => (isRefusing && method === 'DELETE' ? 500 : undefined),
  })
  const { id } = await refused.start()
  isRefusing = true
  const reason = await refused.forks.stop(id).then(String, (error: Error) => error.message)
  assert.equal([reason, refused.exits], ['refused with 500', [id]])
  isRefusing = false
})
s('tells of one that has ended by itself why, and removes it [teeth/pod-exits]', async () => {
  for (const [become, why] of [
    [{ phase: 'Failed', reason: 'Evicted', message: 'no memory' }, 'Evicted: no memory'],
    [{ containerStatuses: [{ state: { terminated: { reason: 'OOMKilled' } } }] }, 'OOMKilled'],
  ] as const) {
    const opened = await open()
    const { id } = await opened.start()
    opened.become(id, become)
    await until(() => opened.exits.length === 1 && opened.pods.size === 0)
    await turn()
    assert.equal([opened.exits, opened.said], [[id], [`fork: ${why}`]])
  }
  const { start, pods, exits, said, tell } = await open()
  const { id } = await start()
  const pod = pods.get(id)
  pods.delete(id)
  if (pod) tell('DELETED', pod)
  await until(() => exits.length === 1)
  assert.equal([exits, said], [[id], ['fork: it was deleted']])
})
s('removes one that nobody here holds, unless that is under way [teeth/pod-exits]', async () => {
  const { pods, tell } = await open()
  const stray = { metadata: { name: 'stray', uid: 'stray' }, status: running }
  const leaving = { metadata: { ...stray.metadata, name: 'leaving', deletionTimestamp: 'now' } }
  for (const pod of [leaving, stray]) {
    pods.set(pod.metadata.name, pod)
    tell('ADDED', pod)
  }
  await until(() => !pods.has('stray'))
  assert.equal(names(pods), ['leaving'])
})
const waiting = (reason: string) => ({ containerStatuses: [{ state: { waiting: { reason } } }] })
s('says why one did not start, and leaves nothing of it [teeth/pod-none]', async () => {
  const rows: readonly (readonly [given: Given, why: string])[] = [
    [{ node: () => waiting('ErrImagePull') }, 'ErrImagePull'],
    [{ node: () => ({ phase: 'Failed' }) }, 'it ended'],
    [{ refuse: (method) => (method === 'POST' ? 403 : undefined) }, 'refused with 403'],
  ]
  for (const [given, why] of rows) {
    const { whyNot, pods, exits } = await open(given)
    assert.is(await whyNot(), `the fork did not start: ${why}`)
    await until(() => pods.size === 0)
    assert.equal(exits, [])
  }
})
s('says what one waited for that did not start in time [teeth/pod-none]', async () => {
  const late = new AbortController()
  const { whyNot, pods, exits } = await open({ node: () => waiting('ContainerCreating') })
  mock.method(AbortSignal, 'timeout', () => late.signal)
  const told = whyNot()
  await until(() => [...pods.values()].some(({ status }) => status))
  await turn()
  late.abort()
  assert.is(await told, 'the fork did not start: not in time: ContainerCreating')
  await until(() => pods.size === 0)
  assert.equal(exits, [])
})
s('is told at once where it may not even list them [teeth/pod-none]', async () => {
  const refused = open({ refuse: () => 403 })
  assert.is(await refused.then(String, (error: Error) => error.message), 'refused with 403')
})
s('sweeps what is left, but for that of a supervisor that runs [teeth/pod-sweep]', async () => {
  const of = (name: string, owner?: { readonly name: string; readonly uid: string }): Pod => ({
    metadata: { name, uid: name, ...(owner && { ownerReferences: [owner] }) },
  })
  const other = { ...of('up'), status: { ...running, podIP: '10.0.0.2' } }
  const there = [
    of('nobody'),
    of('own', { name: 'simulatord-0', uid: 'uid-0' }),
    of('held', { name: 'up', uid: 'up' }),
    of('renewed', { name: 'up', uid: 'before' }),
    of('late', { name: 'down', uid: 'down' }),
    of('lost', { name: 'gone', uid: 'gone' }),
  ]
  const { forks, pods } = await open({ supervisors: [other, of('down')] })
  for (const pod of there) pods.set(pod.metadata.name, pod)
  assert.is(await forks.sweep(), 5)
  assert.equal(names(pods), ['held'])
})
s(
  'ends all that it holds when it is closed, and says nothing of it [teeth/pod-sweep]',
  async () => {
    const { forks, start, pods, exits, said } = await open()
    await start()
    await forks.close()
    assert.equal([pods.size, exits, said], [0, [], []])
  },
)
s('logs a trouble once, and again where the next list meets it [teeth/pod-sweep]', async () => {
  let [code, isFull]: [number | undefined, boolean] = [undefined, false]
  const { start, whyNot, said, asked, pods, become, forks } = await open({
    refuse(method) {
      if (method === 'DELETE') return code
      return isFull && method === 'POST' ? 403 : undefined
    },
  })
  const ids = [(await start()).id, (await start()).id]
  code = 500
  for (const id of ids) become(id, { phase: 'Failed' })
  await until(() => asked.filter((line) => line.startsWith('DELETE')).length === 2)
  await turn()
  const troubles = () => said.filter((line) => line.startsWith('refused'))
  assert.equal(troubles(), ['refused with 500'])
  // What does not start has all of them listed anew.
  isFull = true
  assert.is(await whyNot(), 'the fork did not start: refused with 403')
  await waitFor('it is told again', () => troubles().length > 1)
  await turn()
  assert.equal(troubles(), ['refused with 500', 'refused with 500'])
  code = undefined
  assert.is(await forks.sweep(), 2)
  assert.is(pods.size, 0)
})
s('is told by a list what no watch has told it [teeth/pod-exits]', async () => {
  let isFull = false
  const { start, whyNot, pods, exits, said } = await open({
    refuse: (method) => (isFull && method === 'POST' ? 403 : undefined),
  })
  const [lost, other] = [await start(), await start()]
  pods.delete(lost.id)
  pods.set('stray', { metadata: { name: 'stray', uid: 'stray' } })
  // What does not start has all of them listed anew.
  isFull = true
  await whyNot()
  await waitFor('they are listed', () => exits.length > 0 && !pods.has('stray'))
  assert.equal([exits, names(pods), said], [[lost.id], [other.id], ['fork: it is gone']])
})
s('removes what was made though nobody heard so [teeth/pod-none]', async () => {
  let id = ''
  const { whyNot, pods, asked } = await open({
    refuse(method, place) {
      if (method === 'DELETE') id = place.split('/').at(-1) ?? ''
      return method === 'POST' ? 500 : undefined
    },
  })
  assert.is(await whyNot(), 'the fork did not start: refused with 500')
  assert.is(asked.at(-1), `DELETE ${path}/fork`)
  pods.set(id, { metadata: { name: id, uid: id }, status: running })
  await waitFor('the next list finds it', () => !pods.has(id), { deadlineMs: 5_000 })
})
s(
  'hands out none that has ended, or is closed over, before it is up [teeth/pod-none]',
  async () => {
    for (const isClosed of [false, true]) {
      const { forks, whyNot, pods, become, exits } = await open()
      const held = Promise.withResolvers<void>()
      gate = held.promise
      const before = looks
      const starting = whyNot()
      await until(() => looks > before)
      const [id = ''] = names(pods)
      if (isClosed) await forks.close()
      else become(id, { phase: 'Failed', reason: 'Evicted' })
      await until(() => pods.size === 0)
      gate = undefined
      held.resolve()
      const why = isClosed ? 'Pending' : 'Evicted'
      assert.equal([await starting, exits], [`the fork did not start: ${why}`, []])
    }
  },
)
s('counts the time of its node among that in which it has to answer [teeth/pod-none]', async () => {
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  const { whyNot } = await open({
    node() {
      nowMs = 9_000
      // Where nobody listens.
      return { ...running, podIP: hiddenLoopback() }
    },
    startTimeoutMs: 10_000,
  })
  const starting = whyNot()
  await until(() => nowMs > 0)
  for (let n = 0; n < 5; n += 1) await turn()
  nowMs = 10_000
  assert.is(await starting, 'the fork did not start: not in time')
})
s('sweeps nothing where nobody tells whose it is [teeth/pod-sweep]', async () => {
  let code: number | undefined = 500
  const { forks, pods } = await open({
    refuse: (_, place) => (place.endsWith('/up') ? code : undefined),
  })
  const ownerReferences = [{ name: 'up', uid: 'up' }]
  pods.set('held', { metadata: { name: 'held', uid: 'held', ownerReferences } })
  const swept = forks.sweep().then(String, (error: Error) => error.message)
  assert.equal([await swept, names(pods)], ['refused with 500', ['held']])
  code = undefined
})
s.run()
