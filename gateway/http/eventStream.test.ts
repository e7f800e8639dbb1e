import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { assert, suite } from '../../fixtures/test.ts'
import { writeEventStream } from './eventStream.ts'
import type { StreamReply } from './reply.ts'

const s = suite('http/eventStream')
/** More than the kernel takes for a connection. */
const large = 'x'.repeat(32 * 1024 * 1024)

const closers: (() => void)[] = []
s.after(() => {
  for (const close of closers) close()
})

/** One stream over a connection that reads nothing until told to. */
async function open(run: StreamReply['run'], stallMs: number) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>()
  const written = Promise.withResolvers<void>()
  const server = createServer((_, res) => {
    const signal = new AbortController().signal
    writeEventStream(res, { run, requestId: 'r', signal, stallMs }).then(
      written.resolve,
      written.reject,
    )
    arrive(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  const res = await arrived
  const closed = new Promise<void>((resolve) => res.once('close', resolve))
  closers.push(() => {
    socket.destroy()
    server.close()
  })
  return { res, socket, closed, written: written.promise }
}

s('gives up a client that has stopped reading, and whoever waits for it', async () => {
  const { closed, written, res } = await open(async (sink) => {
    sink.send('one', large)
    await sink.drained()
  }, 100)
  await Promise.all([closed, written])
  assert.not.ok(res.writableFinished)
})

s('gives up a client that never reads the end', async () => {
  const { closed, written, res } = await open(async (sink) => sink.done('done', large), 100)
  await Promise.all([closed, written])
  assert.not.ok(res.writableFinished)
})

s('waits for a client that reads late, and gives it all', async () => {
  const { closed, socket, res } = await open(async (sink) => {
    sink.send('one', large)
    await sink.drained()
    sink.done('done', {})
  }, 120_000)
  assert.ok(res.writableNeedDrain)
  let size = 0
  socket.on('data', (chunk) => {
    size += chunk.length
  })
  socket.resume()
  await closed
  assert.ok(res.writableFinished)
  await new Promise((resolve) => socket.once('close', resolve))
  assert.ok(size > large.length)
})

s.run()
