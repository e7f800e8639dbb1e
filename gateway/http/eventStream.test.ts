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
async function open(run: StreamReply['run'], stallMs: number, commentMs?: number) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<ServerResponse>()
  const written = Promise.withResolvers<void>()
  const server = createServer((_, res) => {
    const signal = new AbortController().signal
    writeEventStream(res, { run, requestId: 'r', signal, stallMs, commentMs }).then(
      written.resolve,
      written.reject,
    )
    arrive(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket: Socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  // HTTP/1.0: the body comes as it was written, not in chunks.
  socket.write('GET / HTTP/1.0\r\nhost: x\r\n\r\n')
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

s('keeps the connection open without a block of its own [http/stream-comments]', async () => {
  const { promise: kept, resolve: keep } = Promise.withResolvers<void>()
  const run: StreamReply['run'] = async (sink) => {
    await kept
    sink.send('one', {})
    sink.done('done', {})
  }
  const { socket } = await open(run, 120_000, 1)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
    // Three signs of life before anything is said.
    if (text.endsWith(':\n:\n:\n')) keep()
  })
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
  const blocks = text.split('\r\n\r\n')[1]?.split('\n\n') ?? []
  assert.match(blocks[0] ?? '', /^: ok\nretry: 3000\n(:\n){3,}event: one\nid: r:1\ndata: \{\}$/)
  assert.match(blocks[1] ?? '', /^(:\n)*event: done\nid: r:done\ndata: \{\}$/)
})

s.run()
