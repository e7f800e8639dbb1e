import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert, suite } from '../../fixtures/test.ts'
import { writeEventStream } from './eventStream.ts'
import type { StreamReply } from './reply.ts'

/** How long a stream waits for whom, by a clock that is set here, over a connection whose reader is. */
const s = suite('http/eventStreamTimes')
const [stallMs, commentMs] = [1_000, 300]
/** More than a response keeps before it says that it is full. */
const large = 'x'.repeat(1_000_000)

s.before(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }))
s.after(() => mock.timers.reset())

type Sink = Parameters<StreamReply['run']>[0]

/** A stream that is told what to send, and when its client reads what was sent. */
async function open() {
  let text = ''
  let pending: (() => void)[] = []
  let isReading = false
  const connection = new Duplex({
    read() {},
    write(chunk, _, done) {
      text += chunk
      if (isReading) done()
      else pending.push(done)
    },
  })
  const started = Promise.withResolvers<{ readonly res: ServerResponse; readonly sink: Sink }>()
  const over = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const server = createServer((_, res) => {
    const run: StreamReply['run'] = (sink) => {
      started.resolve({ res, sink })
      return over.promise
    }
    const signal = new AbortController().signal
    const stream = { run, requestId: 'r', signal, stallMs, commentMs }
    writeEventStream(res, stream).then(written.resolve, written.reject)
  })
  server.emit('connection', connection)
  connection.push('GET / HTTP/1.0\r\n\r\n')
  const { res, sink } = await started.promise
  return {
    ...sink,
    res,
    /** What has come out, a turn later. */
    async text() {
      await nextTurn()
      return text
    },
    async end() {
      over.resolve()
      await written.promise
    },
    async read() {
      const drained = once(res, 'drain')
      isReading = true
      for (const done of pending) done()
      pending = []
      await drained
    },
    async leave() {
      const closed = once(res, 'close')
      connection.destroy()
      await closed
    },
    stopReading() {
      isReading = false
    },
  }
}

s('gives a client its time once, however often more is sent to it', async () => {
  const { res, send } = await open()
  assert.not.ok(send('one', large))
  mock.timers.tick(stallMs - 1)
  assert.not.ok(res.destroyed)
  assert.not.ok(send('two', large))
  mock.timers.tick(1)
  assert.ok(res.destroyed)
})
s('gives who has read all its time anew', async () => {
  const { res, read, stopReading, send } = await open()
  for (const event of ['one', 'two']) send(event, large)
  mock.timers.tick(stallMs - 1)
  await read()
  mock.timers.tick(10 * stallMs)
  assert.not.ok(res.destroyed, 'it waits for nothing')
  stopReading()
  assert.not.ok(send('three', large))
  mock.timers.tick(stallMs - 1)
  assert.not.ok(res.destroyed)
  mock.timers.tick(1)
  assert.ok(res.destroyed)
})
s('gives up a client that never reads the end, however short it is', async () => {
  const { res, end, done } = await open()
  done('done', {})
  await end()
  mock.timers.tick(stallMs - 1)
  assert.not.ok(res.destroyed)
  mock.timers.tick(1)
  assert.ok(res.destroyed)
})
s('has nobody wait for a client that has left', async () => {
  const { res, send, drained, leave } = await open()
  assert.not.ok(send('one', large))
  const waited = drained()
  await leave()
  await waited
  assert.ok(send('two', large))
  await drained()
  mock.timers.tick(commentMs)
  assert.ok(res.destroyed)
})
s('shows signs of life until it is over, and none to whoever does not read', async () => {
  const { read, text, end, send, done } = await open()
  const comments = async () => (await text()).match(/(?<=\n):\n/g)?.length ?? 0
  send('one', large)
  mock.timers.tick(commentMs)
  await read()
  assert.is(await comments(), 0)
  mock.timers.tick(2 * commentMs)
  assert.is(await comments(), 2)
  done('done', {})
  await end()
  mock.timers.tick(2 * commentMs)
  assert.is(await comments(), 2)
})
s.run()
