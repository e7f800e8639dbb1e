import { once } from 'node:events'
import { connect } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../testing/waitFor.ts'
import type { ForkEngine } from './forkEngine.ts'
import { startSimulatord } from './simulatord.ts'

const s = suite('simulator/containers/simulatord')

async function start({ maxForks, most }: { readonly maxForks: number; readonly most: number }) {
  const waiting: PromiseWithResolvers<string>[] = []
  const forks: ForkEngine = {
    host: '127.0.0.1',
    async start() {
      const one = Promise.withResolvers<string>()
      waiting.push(one)
      // Whoever is let in beyond the bound is told so, and not kept.
      if (waiting.length > most) one.resolve('another')
      return { id: await one.promise, url: 'http://127.0.0.1:1' }
    },
    stop: async () => undefined,
    readMemoryBytes: async () => undefined,
    sweep: async () => 0,
    close: async () => undefined,
  }
  const { url, close } = await startSimulatord(
    { forks, log: () => undefined },
    { port: 0, maxForks },
  )
  const ask = async (method: string, parameter: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [parameter] })
    const answer = await fetch(url, { method: 'POST', body })
    const { result, error } = (await answer.json()) as {
      result?: unknown
      error?: { message: string }
    }
    return error?.message ?? result
  }
  const block = { chainId: 1, blockNumber: 1, upstreamPort: 1, upstreamPath: '/', niceness: 0 }
  const session = await ask('openSession', {})
  return { waiting, close, startFork: () => ask('startFork', { session, ...block }) }
}

const idOf = (answer: unknown) => (answer as { readonly id?: string }).id

const { waiting, close, startFork } = await start({ maxForks: 2, most: 2 })
s.after(close)

s('counts forks that are being started among those that it may have [24/fork-bound]', async () => {
  const begun = (count: number) => waitFor(`${count} are begun`, () => waiting.length === count)
  const first = [startFork(), startFork()]
  await begun(2)
  const beyond = startFork()
  assert.is(await beyond, 'too many forks')
  waiting[0]?.reject(new Error('no image'))
  assert.is(await first[0], 'the fork did not start')
  waiting[1]?.resolve('second')
  assert.is(idOf(await first[1]), 'second')
  // The one that failed has left its place.
  assert.is(idOf(await startFork()), 'another')
  assert.is(await startFork(), 'too many forks')
})

const closings: (() => Promise<void>)[] = []
s.after.each(async () => {
  for (const each of closings.splice(0)) await each()
})
type Request = Parameters<ForkEngine['start']>[0]
async function open({
  port = 0,
  swept = 0,
  stop = async () => undefined,
  starting = async () => undefined,
}: {
  readonly port?: number
  readonly swept?: number
  readonly stop?: (id: string) => Promise<unknown>
  readonly starting?: () => Promise<unknown>
} = {}) {
  const said: string[] = []
  const stopped: string[] = []
  const order: string[] = []
  const started: { readonly request: Request; readonly end: () => void }[] = []
  const held: Record<string, number | undefined> = {}
  const { url, close: closeAll } = await startSimulatord(
    {
      forks: {
        host: '127.0.0.1',
        async start(request, onExit) {
          const id = `fork ${started.length + 1}`
          started.push({ request, end: () => onExit(id) })
          await starting()
          return { id, url: `http://127.0.0.1:1/${started.length}` }
        },
        async stop(id) {
          stopped.push(id)
          await stop(id)
        },
        readMemoryBytes: async (id) => held[id],
        async sweep() {
          order.push('sweep')
          return swept
        },
        close: async () => void order.push('close'),
      },
      log: (line) => void said.push(line),
    },
    { port, maxForks: 9 },
  )
  closings.push(closeAll)
  const post = async (body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(url, { method: 'POST', body: text })
    return [answer.status, answer.headers.get('content-type'), await answer.json()] as const
  }
  const ask = async (method: string, ...params: readonly unknown[]) => {
    const [, , answer] = await post({ jsonrpc: '2.0', id: 7, method, params })
    const { result, error } = answer as { result?: unknown; error?: { message: string } }
    return error?.message ?? result
  }
  return { url, post, ask, said, stopped, order, started, held, close: closeAll }
}
const block = {
  chainId: 8453,
  blockNumber: 17,
  upstreamPort: 4321,
  upstreamPath: '/a',
  niceness: 3,
}

s(
  'starts forks of a session for who asks, tells of their ends, and ends them [teeth/supervisor]',
  async () => {
    const { ask, started, stopped, held } = await open()
    const session = await ask('openSession', {})
    assert.equal(await ask('startFork', { session, ...block, hardfork: 'isthmus' }), {
      id: 'fork 1',
      url: 'http://127.0.0.1:1/1',
    })
    assert.equal(started[0]?.request, { ...block, hardfork: 'isthmus', upstreamHost: '127.0.0.1' })
    await ask('startFork', { session, ...block })
    held['fork 1'] = 70
    assert.equal(await ask('readMemory', { session }), { 'fork 1': 70 })
    started[1]?.end()
    assert.equal(await ask('waitForExits', { session }), ['fork 2'])
    assert.is(await ask('stopFork', { session, fork: 'fork 2' }), 'no such fork')
    assert.is(await ask('stopFork', { session, fork: 'fork 1' }), true)
    assert.equal(stopped, ['fork 1'])
    // Another session has nothing to do with it.
    const other = await ask('openSession')
    assert.is(await ask('stopFork', { session: other, fork: 'fork 1' }), 'no such fork')
    assert.equal(await ask('readMemory', { session: other }), {})
  },
)
s(
  'ends what a gateway held that is gone, also what was on its way [teeth/supervisor]',
  async () => {
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    const { ask, url, stopped, started } = await open({
      starting: () => (isHeld ? gate.promise : Promise.resolve()),
    })
    const session = await ask('openSession', {})
    await ask('startFork', { session, ...block })
    isHeld = true
    const late = ask('startFork', { session, ...block })
    await waitFor('it is begun', () => started.length === 2)
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    const body = JSON.stringify({ id: 1, method: 'waitForExits', params: [{ session }] })
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    const isOver = async () => (await ask('readMemory', { session })) === 'no such session'
    // By when this is answered it waits.
    assert.equal(await ask('readMemory', { session }), {})
    socket.destroy()
    await waitFor('the session is over', isOver)
    assert.equal(stopped, ['fork 1'])
    gate.resolve()
    await late
    assert.equal(stopped, ['fork 1', 'fork 2'])
  },
)
s('answers nothing that is no method of its own [teeth/supervisor-asked]', async () => {
  const { ask, post, url } = await open()
  const methods = 'methods are openSession, waitForExits, startFork, stopFork, readMemory'
  assert.is(await ask('eth_call', {}), methods)
  for (const body of ['', '{', 'null', '7'])
    assert.equal(await post(body), [
      200,
      'application/json',
      { jsonrpc: '2.0', id: null, error: { code: -32000, message: methods } },
    ])
  const [, , batch] = await post([
    { id: 1, method: 'openSession' },
    { id: 2, method: 'no' },
  ])
  const [first, second] = batch as { id: number; result?: string; error?: object }[]
  assert.equal([first?.id, typeof first?.result, second?.id], [1, 'string', 2])
  const session = first?.result
  assert.is(await ask('readMemory', { session: 'none' }), 'no such session')
  const wrong: readonly (readonly [method: string, ...parameters: object[]])[] = [
    ['readMemory', {}],
    ['readMemory', { session, more: 1 }],
    ['startFork', { session, ...block, upstreamPath: '../x' }],
    ['startFork', { session, ...block, upstreamPort: 0 }],
    ['startFork', { session, ...block, upstreamPort: 65_536 }],
    ['startFork', { session, ...block, niceness: 20 }],
    ['startFork', { session, ...block, niceness: -1 }],
    ['startFork', { session, ...block, blockNumber: -1 }],
    ['startFork', { session, ...block, chainId: 0 }],
    ['startFork', { session, ...block, chainId: 2 ** 32 + 1 }],
    ['startFork', { session, ...block, hardfork: '--x' }],
    ['startFork', { session, ...block, network: 'other' }],
    ['stopFork', { session, fork: 'x'.repeat(65) }],
    ['stopFork', { session, fork: '' }],
    ['readMemory', { session }, {}],
  ]
  for (const [method, ...parameters] of wrong) {
    const answer = String(await ask(method, ...parameters))
    assert.match(answer, new RegExp(`^${method}: `), JSON.stringify(parameters))
  }
  for (const fork of ['x', 'x'.repeat(64)])
    assert.is(await ask('stopFork', { session, fork }), 'no such fork')
  const edge = { upstreamPort: 65_535, niceness: 19, blockNumber: 0, chainId: 2 ** 32 }
  assert.type(await ask('startFork', { session, ...block, ...edge }), 'object')
  assert.type(
    await ask('startFork', { session, ...block, upstreamPort: 1, niceness: 0, chainId: 1 }),
    'object',
  )
  const padded = (length: number) => JSON.stringify({ method: 'openSession' }).padEnd(length)
  const isOpened = async (length: number) => 'result' in ((await post(padded(length)))[2] as object)
  assert.equal([await isOpened(4_096), await isOpened(4_097)], [true, false])
  const health = await fetch(`${url}/healthz`)
  assert.equal([health.status, await health.text()], [200, 'ok'])
  for (const [path, method] of [
    ['/', 'GET'],
    ['/healthz', 'PUT'],
  ] as const)
    assert.is((await fetch(url + path, { method })).status, 405)
})
s(
  'tells its own log what fails, and whoever asked no more than that [teeth/supervisor-asked]',
  async () => {
    const { ask, said } = await open({ stop: () => Promise.reject(new Error('se-cret')) })
    const session = await ask('openSession', {})
    await ask('startFork', { session, ...block })
    assert.is(await ask('stopFork', { session, fork: 'fork 1' }), 'the fork did not start')
    assert.equal(said, ['se-cret'])
    await ask('stopFork', { session, fork: 'none' })
    assert.is(said.length, 1)
  },
)
s(
  'sweeps what an earlier run left, and says how much that was [teeth/supervisor-asked]',
  async () => {
    const left = await open({ swept: 3 })
    assert.equal([left.said, left.order], [['removed 3 forks of an earlier run'], ['sweep']])
    await left.close()
    assert.equal(left.order, ['sweep', 'close'])
    assert.equal((await open({ swept: 1 })).said, ['removed 1 forks of an earlier run'])
    assert.equal((await open()).said, [])
  },
)
s('is heard no more once it is closed, whoever waits for it [teeth/supervisor]', async () => {
  const { ask, url, close: closeAll } = await open()
  const session = await ask('openSession', {})
  const waits = ask('waitForExits', { session }).then(String, () => 'cut')
  // By when this is answered it waits.
  await ask('readMemory', { session })
  await closeAll()
  assert.is(await waits, 'cut')
  assert.is(await fetch(url).then(String, () => 'closed'), 'closed')
})
s('says so where its port is taken [teeth/supervisor-asked]', async () => {
  const { port } = new URL((await open()).url)
  const code = (error: NodeJS.ErrnoException) => error.code
  assert.is(await open({ port: Number(port) }).then(String, code), 'EADDRINUSE')
})
s.run()
