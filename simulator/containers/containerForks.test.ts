import dns from 'node:dns/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import net, { type AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert, suite } from '../../fixtures/test.ts'
import { waitUntilLeft } from '../testing/waitUntilLeft.ts'
import { createContainerForks } from './containerForks.ts'

/** Beside a supervisor that answers what a row of a test says, and runs nothing. */
const s = suite('simulator/containers/containerForks')
const closings: (() => void | Promise<void>)[] = []
s.after.each(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
  mock.restoreAll()
  syncBuiltinESMExports()
})

type Parameter = Readonly<Record<string, unknown>>
type Wait = {
  readonly session: string
  readonly exit: (...ids: string[]) => void
  readonly cut: () => void
}
async function start({
  isRefusing = () => false,
  isSilent = () => false,
}: {
  isRefusing?: (method: string) => boolean
  isSilent?: (method: string) => boolean
} = {}) {
  const asked: (readonly [method: string, parameter: Parameter])[] = []
  const hosts = new Set<string | undefined>()
  const waits: Wait[] = []
  let waiting = Promise.withResolvers<void>()
  const unanswered = Promise.withResolvers<{ readonly cut: () => void }>()
  let [sessions, forks] = [0, 0]
  let memory: unknown = {}
  const server = createServer(async (request, response) => {
    hosts.add(request.headers.host)
    const [{ id, method, params }] = JSON.parse(await text(request)) as [
      { id: number; method: string; params: readonly [Parameter] },
    ]
    const [parameter] = params
    const tell = (result: unknown) => response.end(JSON.stringify([{ id, result }]))
    if (method === 'waitForExits') {
      waits.push({
        session: String(parameter['session']),
        exit: (...ids) => void tell(ids),
        cut: () => void request.socket.destroy(),
      })
      waiting.resolve()
      return
    }
    asked.push([method, parameter])
    if (isSilent(method)) return unanswered.resolve({ cut: () => void request.socket.destroy() })
    if (isRefusing(method))
      return void response.end(JSON.stringify([{ id, error: { code: 1, message: 'no' } }]))
    if (method === 'openSession') tell(`session ${++sessions}`)
    else if (method === 'readMemory') tell(memory)
    else if (method === 'stopFork') tell(null)
    else {
      forks += 1
      tell({ id: `fork ${forks}`, url: `http://127.0.0.1:1/${forks}`, pid: 70 + forks })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const containers = createContainerForks({ url })
  closings.push(() => {
    server.closeAllConnections()
    server.close()
  }, containers.close)
  const startFork = (chainId = 8453) =>
    containers.startFork({
      chainId,
      upstreamUrl: 'http://10.0.0.1:4321/se-cret/slow',
      blockNumber: 17n,
    })
  return {
    containers,
    asked,
    url,
    hosts,
    startFork,
    isLeft: () => waitUntilLeft(server),
    methods: () => asked.map(([method]) => method),
    /** Of the request that it is silent about, once it has come. */
    unanswered: unanswered.promise,
    /** The wait that is open now, or will be next. */
    async nextWait() {
      if (waits.length === 0) await waiting.promise
      waiting = Promise.withResolvers()
      const wait = waits.shift()
      if (!wait) throw new Error('nobody waits')
      return wait
    },
    hold(bytes: unknown) {
      memory = bytes
    },
  }
}

s(
  'asks one supervisor for all forks, by what a fork is started with [teeth/container-forks]',
  async () => {
    const { containers, startFork, asked } = await start()
    const fork = await startFork()
    assert.equal([fork.url, fork.pid, fork.isAlive()], ['http://127.0.0.1:1/1', 71, true])
    await containers.startFork({
      chainId: 42161,
      upstreamUrl: 'http://10.0.0.1:4321/se-cret',
      blockNumber: 18n,
      niceness: 19,
      settings: { hardfork: 'isthmus', network: 'optimism' },
    })
    const block = { session: 'session 1', upstreamPort: 4321 }
    assert.equal(asked, [
      ['openSession', {}],
      [
        'startFork',
        { ...block, chainId: 8453, blockNumber: 17, upstreamPath: '/se-cret/slow', niceness: 0 },
      ],
      [
        'startFork',
        {
          ...block,
          chainId: 42161,
          blockNumber: 18,
          upstreamPath: '/se-cret',
          niceness: 19,
          hardfork: 'isthmus',
          network: 'optimism',
        },
      ],
    ])
  },
)
s('hears which of them have ended, one wait after the other [teeth/container-exits]', async () => {
  const { startFork, nextWait } = await start()
  const [first, second] = [await startFork(), await startFork()]
  const wait = await nextWait()
  assert.is(wait.session, 'session 1')
  wait.exit('fork 1', 'fork of somebody else')
  await first.exited
  assert.equal([first.isAlive(), second.isAlive()], [false, true])
  const next = await nextWait()
  next.exit()
  const last = await nextWait()
  assert.ok(second.isAlive())
  last.exit('fork 2')
  await second.exited
})
s(
  'loses all of them with a supervisor that is gone, and asks the next [teeth/container-exits]',
  async () => {
    const { startFork, nextWait, asked, methods, isLeft } = await start()
    const forks = [await startFork(), await startFork()]
    const wait = await nextWait()
    wait.cut()
    await Promise.all(forks.map(({ exited }) => exited))
    assert.equal(
      forks.map(({ isAlive }) => isAlive()),
      [false, false],
    )
    await isLeft()
    const before = asked.length
    await Promise.all(forks.map(({ kill }) => kill()))
    assert.is(asked.length, before, 'there is nothing left to end')
    assert.ok((await startFork()).isAlive())
    assert.equal(methods().slice(before), ['openSession', 'startFork'])
    assert.is(asked.at(-1)?.[1]['session'], 'session 2')
  },
)
s('ends one, once, whether its supervisor says so or not [teeth/container-kill]', async () => {
  for (const isRefused of [false, true]) {
    const { startFork, asked } = await start({
      isRefusing: (method) => isRefused && method === 'stopFork',
    })
    const [one, other] = [await startFork(), await startFork()]
    await one.kill()
    await one.exited
    assert.equal([one.isAlive(), other.isAlive()], [false, true])
    await one.kill()
    assert.equal(asked.slice(3), [['stopFork', { session: 'session 1', fork: 'fork 1' }]])
  }
})
s('knows what the forks of a chain hold, where it is told [teeth/container-memory]', async () => {
  const { containers, startFork, nextWait, hold, methods } = await start()
  assert.is(await containers.memoryBytes(8453), 0)
  assert.equal(methods(), [], 'without a session there is nobody to ask')
  for (const chainId of [8453, 8453, 42161]) await startFork(chainId)
  hold({ 'fork 1': 10, 'fork 2': 5, 'fork 3': 70 })
  const both = [containers.memoryBytes(8453), containers.memoryBytes(42161)]
  assert.equal(await Promise.all(both), [15, 70])
  assert.is(methods().filter((method) => method === 'readMemory').length, 1)
  hold({ 'fork 1': 10 })
  assert.equal(
    [await containers.memoryBytes(8453), await containers.memoryBytes(42161)],
    [10, undefined],
  )
  assert.is(await containers.memoryBytes(1), 0)
  // Of one that has ended nothing is held.
  const wait = await nextWait()
  hold({ 'fork 1': 10, 'fork 3': 7 })
  wait.exit('fork 3')
  await nextWait()
  assert.is(await containers.memoryBytes(42161), 0)
})
s('goes on where nobody tells what they hold [teeth/container-memory]', async () => {
  const { containers, startFork } = await start({ isRefusing: (method) => method === 'readMemory' })
  await startFork()
  assert.is(await containers.memoryBytes(8453), undefined)
})
s(
  'lets nobody who asks that wait for one that hangs as it begins [24/hung-supervisor]',
  async () => {
    const { containers, startFork, unanswered } = await start({
      isSilent: (method) => method === 'openSession',
    })
    const starting = startFork().catch((error: Error) => error)
    const { cut } = await unanswered
    assert.is(await Promise.race([containers.memoryBytes(8453), nextTurn('waits')]), 0)
    cut()
    assert.instance(await starting, Error)
  },
)
s(
  'says so where there is no supervisor, or it refuses, and tries again [teeth/container-none]',
  async () => {
    let isRefused = true
    const { startFork, isLeft } = await start({ isRefusing: () => isRefused })
    const fails = () => startFork().then(String, (error: Error) => error.message)
    assert.is(await fails(), 'the supervisor refused')
    assert.is(await fails(), 'the supervisor refused')
    await isLeft()
    isRefused = false
    assert.ok((await startFork()).isAlive())
  },
)
s('knows by which of its addresses forks reach it [teeth/container-none]', async () => {
  const { containers, url, isLeft } = await start()
  assert.is(await containers.findHost(), '127.0.0.1')
  await isLeft()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const away = createContainerForks({ url: url.replace(/\d+$/, String(port)) })
  const reason = await away.findHost().catch((error: Error) => error.message)
  assert.is(reason, 'the simulation supervisor does not answer')
  await away.close()
})
s('waits for nothing more once it is closed [teeth/container-none]', async () => {
  const { containers, startFork, nextWait, methods, url } = await start()
  const fork = await startFork()
  const wait = await nextWait()
  await containers.close()
  await fork.exited
  wait.cut()
  // Whoever comes later is heard after all that it might still ask.
  const other = createContainerForks({ url })
  closings.push(other.close)
  const upstreamUrl = 'http://10.0.0.1:4321/se-cret'
  await other.startFork({ chainId: 8453, upstreamUrl, blockNumber: 17n })
  const asked = ['openSession', 'startFork']
  assert.equal([methods(), (await nextWait()).session], [[...asked, ...asked], 'session 2'])
})
s('stays with one of several supervisors behind a name [teeth/container-forks]', async () => {
  const { url, hosts } = await start()
  const { port } = new URL(url)
  // Nobody listens at the others.
  const found = ['127.0.0.9', '127.0.0.1', '127.0.0.8'].map((address) => ({ address, family: 4 }))
  const asked: unknown[] = []
  mock.method(dns, 'lookup', async (...given: readonly unknown[]) => {
    asked.push(given)
    return found
  })
  mock.method(Math, 'random', () => 0.34)
  syncBuiltinESMExports()
  const containers = createContainerForks({ url: `http://simulators.test:${port}` })
  closings.push(containers.close)
  for (let n = 0; n < 2; n += 1)
    await containers.startFork({
      chainId: 1,
      upstreamUrl: 'http://10.0.0.1:4321/a',
      blockNumber: 1n,
    })
  assert.equal([...hosts], [`127.0.0.1:${port}`])
  assert.equal(asked, [['simulators.test', { all: true, family: 4 }]])
})
s(
  'takes no address for one that is not connected, nor waits for it [teeth/container-none]',
  async () => {
    const asked: unknown[] = []
    const sockets: Socket[] = []
    mock.method(net, 'connect', (given: unknown) => {
      asked.push(given)
      const socket = new Socket()
      sockets.push(socket)
      return socket
    })
    syncBuiltinESMExports()
    const containers = createContainerForks({ url: 'http://simulator.test:4321' })
    for (const event of ['connect', 'timeout']) {
      const host = containers.findHost().catch((error: Error) => error.message)
      sockets.at(-1)?.emit(event)
      assert.is(await host, 'the simulation supervisor does not answer')
      assert.ok(sockets.at(-1)?.destroyed)
    }
    assert.equal(asked[0], { host: 'simulator.test', port: 4321, timeout: 2_000 })
    await containers.close()
  },
)
s.run()
