import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { Agent, request, type ServerResponse } from 'node:http'
import { connect, Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Type } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { ServiceStops } from './ending.ts'
import { endpoint } from './endpoint.ts'
import { httpError } from './httpError.ts'
import { createService } from './service.ts'

/** How a service stops: who is let finish, who is told, and that nobody who was heard is forgotten. */
const s = suite('http/listen')
const log = { debug() {}, info() {}, warn() {}, error() {} }

/** A service whose one request works until it is let go, or its signal fires. */
async function serveWork() {
  const begun = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  const seen: { reason?: unknown } = {}
  const answer = endpoint({
    method: 'get',
    path: '/work',
    summary: 'Works',
    output: Type.Object({}),
    auth: 'none',
    handle: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        seen.reason = signal.reason
        work.reject(httpError('unavailable'))
      })
      begun.resolve()
      await work.promise
      return {}
    },
  })
  const server = await createService({ name: 'work', endpoints: [answer], log }).listen()
  return { server, begun: begun.promise, finish: () => work.resolve(), seen }
}

/** The outcome of a GET: its status, or the code of what broke. */
function get(url: string, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request(url, { agent }, (answer) => {
      text(answer).then(
        () => resolve(answer.statusCode ?? 0),
        (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message),
      )
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    asked.end()
  })
}

/** Until nobody new is taken. */
function untilShut(port: number) {
  const isRefused = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(false))
      socket.on('connect', () => socket.destroy()).on('error', () => resolve(true))
    })
  return waitFor('the port is closed', isRefused, { deadlineMs: 60_000, everyMs: 10 })
}

s('lets a request that is under way finish, untold [24/grace]', async () => {
  const { server, begun, finish, seen } = await serveWork()
  const agent = new Agent()
  const answered = get(`${server.url}/work`, agent)
  await begun
  const closed = server.close({ graceMs: 60_000 })
  await untilShut(server.port)
  assert.is(seen.reason, undefined)
  finish()
  assert.is(await answered, 200)
  await closed
})

s('lets who reads slowly have the whole of an answer', async () => {
  // More than the kernel takes for a connection.
  const large = 'x'.repeat(32 * 1024 * 1024)
  const answer = endpoint({
    method: 'get',
    path: '/large',
    summary: 'Answers at length',
    output: Type.Object({ large: Type.String() }),
    auth: 'none',
    handle: async () => ({ large }),
  })
  const server = await createService({ name: 'large', endpoints: [answer], log }).listen()
  const started = Promise.withResolvers<{ readonly response: ServerResponse }>()
  const note = (message: unknown) => started.resolve(message as never)
  subscribe('http.server.request.start', note)
  const client = connect(server.port, '127.0.0.1')
    .on('error', () => undefined)
    .pause()
  client.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n')
  const { response } = await started.promise
  unsubscribe('http.server.request.start', note)
  await waitFor('it is answered', () => response.writableEnded)
  const closed = server.close({ graceMs: 60_000 })
  await untilShut(server.port)
  let size = 0
  for await (const chunk of client) size += chunk.length
  await closed
  assert.ok(size > large.length, `${size} bytes`)
})

/** Those that this machine has. */
const loopbacks = Object.values(networkInterfaces())
  .flatMap((found = []) => found.map(({ address }) => address))
  .filter((address) => ['127.0.0.1', '::1'].includes(address))

s('is open at addresses of both kinds at `::` [24/dual-stack]', async () => {
  const server = await createService({ name: 'open', endpoints: [], log }).listen({ host: '::' })
  assert.is(server.url, `http://127.0.0.1:${server.port}`)
  assert.ok(loopbacks.includes('127.0.0.1'))
  for (const address of loopbacks) {
    const host = address.includes(':') ? `[${address}]` : address
    assert.is(await get(`http://${host}:${server.port}/none`, new Agent()), 404)
  }
  await server.close()
})

s('is open at those of IPv4 where there are no others, and says so [24/dual-stack]', async () => {
  const { listen } = Server.prototype
  const warned: string[] = []
  const told = { ...log, warn: (_: object, message: string) => void warned.push(message) }
  const service = createService({ name: 'open', endpoints: [], log: told })
  // As of a kernel without IPv6, which no test can take from the one that it runs on.
  const refuse = mock.method(
    Server.prototype,
    'listen',
    function (this: Server, address: { readonly host: string }, opened: () => void) {
      if (address.host !== '::') return listen.call(this, address, opened)
      const error = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' })
      setImmediate(() => this.emit('error', error))
      return this
    },
  )
  try {
    const server = await service.listen({ host: '::' })
    assert.is(await get(`http://127.0.0.1:${server.port}/none`, new Agent()), 404)
    assert.equal(warned, ['this machine has no IPv6: open at its IPv4 addresses alone'])
    await server.close()
    const refused = await service
      .listen({ host: '192.0.2.1' })
      .catch((error: NodeJS.ErrnoException) => error.code)
    assert.is(refused, 'EADDRNOTAVAIL')
  } finally {
    refuse.mock.restore()
  }
})

/** A service whose loop turns by a clock of its own, and into which somebody comes in each turn. */
async function crowd(turns: number) {
  let server: Server | undefined
  const { listen } = Server.prototype
  const finding = mock.method(
    Server.prototype,
    'listen',
    function (this: Server, ...given: Parameters<typeof listen>) {
      server = this
      return listen.apply(this, given)
    },
  )
  const service = await createService({ name: 'open', endpoints: [], log }).listen()
  finding.mock.restore()
  if (!server) throw new Error('nobody listens')
  let [nowMs, came] = [0, 0]
  const clock = mock.method(performance, 'now', () => {
    nowMs += 1
    return nowMs
  })
  const found = server
  function come() {
    if (came === turns || !found.listening) return
    came += 1
    const connection = new Duplex({ read() {} })
    found.emit('connection', connection)
    connection.destroy()
    setImmediate(come)
  }
  const checked = mock.method(server, 'close')
  come()
  const startedMs = nowMs
  await service.close({ graceMs: 60_000 })
  clock.mock.restore()
  return { came, tookMs: nowMs - startedMs, checks: checked.mock.callCount() }
}
s('waits for a turn in which nobody comes, however short they are [24/queued-turns]', async () => {
  const { came, checks, tookMs } = await crowd(100)
  assert.is(came, 100)
  assert.ok(tookMs < 220, `${tookMs} ms`)
  // Ends its look at slow requests, too.
  assert.is(checks, 1)
})
s('waits a quarter of a second for that, and no longer [24/queued-turns]', async () => {
  const { tookMs } = await crowd(Number.POSITIVE_INFINITY)
  assert.ok(tookMs >= 250 && tookMs < 270, `${tookMs} ms`)
})

s('tells it that its grace is over, and waits no longer', async () => {
  const { server, begun, seen } = await serveWork()
  const answered = get(`${server.url}/work`, new Agent())
  await begun
  await server.close({ graceMs: 50 })
  assert.ok(seen.reason instanceof ServiceStops)
  assert.is(await answered, 'ECONNRESET')
})

s(
  'loses no request on its way over an open connection, and answers all it has heard [24/nothing-lost]',
  async () => {
    let heard = 0
    const count = endpoint({
      method: 'get',
      path: '/count',
      summary: 'Counts',
      output: Type.Object({}),
      auth: 'none',
      handle: async () => {
        heard += 1
        await new Promise((resolve) => setImmediate(resolve))
        return {}
      },
    })
    const outcomes = {
      kept: new Map<number | string, number>(),
      opened: new Map<number | string, number>(),
    }
    for (let round = 1; round <= 5; round += 1) {
      const server = await createService({ name: 'count', endpoints: [count], log }).listen()
      const callers = Array.from({ length: 16 }, async (_, index) => {
        const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
        const counts = index % 2 === 0 ? outcomes.kept : outcomes.opened
        for (let outcome: number | string = 200; outcome === 200; ) {
          outcome = await get(`${server.url}/count`, agent)
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
        }
        agent.destroy()
      })
      const enough = heard + 200
      await waitFor('all are busy', () => heard > enough, { deadlineMs: 60_000, everyMs: 5 })
      await server.close({ lingerMs: 60_000, graceMs: 60_000 })
      await Promise.all(callers)
    }
    // They come on a connection of their own next, where nobody listens: another gateway is asked.
    assert.equal([...outcomes.kept.keys()], [200, 'ECONNREFUSED'])
    // A new connection may end unheard, in the system's queue of those that nobody has accepted yet.
    assert.is((outcomes.kept.get(200) ?? 0) + (outcomes.opened.get(200) ?? 0), heard)
  },
)

/** Somebody in a thread of its own, who is taken in by this one only when its loop goes on. */
async function waitToCall(port: number) {
  const steps = new Int32Array(new SharedArrayBuffer(8))
  const caller = new Worker(
    `const { parentPort, workerData: { port, steps } } = require('node:worker_threads')
    const { connect } = require('node:net')
    const tell = (what) => parentPort.postMessage(what)
    const ask = (done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('GET /work HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n', done)
      })
      return socket.setEncoding('utf8').on('error', ({ code }) => tell(code)).on('data', tell)
    }
    // The second time is fast.
    ask(() => undefined).on('close', () => {
      Atomics.wait(steps, 0, 0)
      ask(() => {
        Atomics.store(steps, 1, 1)
        Atomics.notify(steps, 1)
      })
    })`,
    { eval: true, workerData: { port, steps } },
  )
  await once(caller, 'message')
  const told = once(caller, 'message')
  return {
    /** Until its request is with the system. */
    call() {
      Atomics.store(steps, 0, 1)
      Atomics.notify(steps, 0)
      assert.is.not(Atomics.wait(steps, 1, 0, 60_000), 'timed-out')
    },
    async answer(): Promise<string> {
      const [text] = await told
      await caller.terminate()
      return String(text)
    },
  }
}

s(
  'takes in those who wait to be when it is told to stop, and answers them [24/queued]',
  async () => {
    const { server, finish } = await serveWork()
    finish()
    const caller = await waitToCall(server.port)
    caller.call()
    await server.close({ graceMs: 60_000 })
    assert.match(await caller.answer(), /^HTTP\/1.1 200 /)
  },
)

s('and who came within the turn in which it looked for them [24/queued-late]', async () => {
  const { server, finish } = await serveWork()
  finish()
  const caller = await waitToCall(server.port)
  // In the first turn whose length is looked at, after those who wait were taken in and before it is over.
  setImmediate(() => setImmediate(() => caller.call()))
  await server.close({ graceMs: 60_000 })
  assert.match(await caller.answer(), /^HTTP\/1.1 200 /)
})

s.run()
