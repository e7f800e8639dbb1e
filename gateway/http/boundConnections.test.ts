import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { promisify } from 'node:util'
import { assert, suite } from '../../fixtures/test.ts'
import { waitFor } from '../../simulator/testing/waitFor.ts'
import { boundConnections, type ConnectionBound } from './boundConnections.ts'
import { createReadConnectionIp } from './clientIp.ts'

const s = suite('http/boundConnections')

s('counts who is gone before he is looked at by no address at all [teeth/gone]', () => {
  const server = createServer()
  const asked: unknown[] = []
  boundConnections(server, {
    most: 1,
    ipOf(address) {
      asked.push(address)
      return undefined
    },
  })
  server.emit('connection', new Socket())
  assert.equal(asked, [''])
})

s(
  'has 4 connections of one address wait for headers, and answers another [24/connections]',
  async () => {
    const server = createServer((_, response) => response.end('{}'))
    // Two callers of this machine: the whole of 127.0.0.0/8 is its own.
    boundConnections(server, { most: 4, ipOf: (address) => address })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const opened: Socket[] = []
    let refused = 0
    const open = (localAddress: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        refused += 1
      })
      // Headers that never end.
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n')
      opened.push(socket)
      return socket
    }
    for (let count = 0; count < 10; count += 1) open('127.0.0.2')
    await waitFor('six of ten are ended', () => refused === 6)
    const other = open('127.0.0.3')
    other.write('\r\n')
    const [answer] = await once(other, 'data')
    assert.match(String(answer), 'HTTP/1.1 200')
    // Who lets one go may open another.
    const kept = opened.filter((socket) => !socket.destroyed && socket !== other)
    assert.is(kept.length, 4)
    kept[0]?.destroy()
    const countOpen = promisify(server.getConnections.bind(server))
    await waitFor('it is gone', async () => (await countOpen()) === 4)
    const again = open('127.0.0.2')
    again.write('\r\n')
    await Promise.race([once(again, 'data'), once(again, 'close').then(() => assert.unreachable())])
    for (const socket of opened) socket.destroy()
    server.closeAllConnections()
    server.close()
  },
)

/** A server that anybody may connect to, from any address. */
function createDoor(bound: ConnectionBound) {
  const server = new EventEmitter()
  boundConnections(server as Server, bound)
  return (remoteAddress: string) => {
    let isRefused = false
    const resetAndDestroy = () => {
      isRefused = true
    }
    const socket = Object.assign(new EventEmitter(), { remoteAddress, resetAndDestroy })
    server.emit('connection', socket)
    return { isRefused, close: () => socket.emit('close') }
  }
}

s('has room for as many as have gone, and no more [24/connections]', () => {
  const open = createDoor({ most: 2, ipOf: (address) => address })
  const tell = (count: number) => Array.from({ length: count }, () => open('203.0.113.9').isRefused)
  const [first, second] = [open('203.0.113.9'), open('203.0.113.9')]
  assert.equal(tell(1), [true])
  first.close()
  const third = open('203.0.113.9')
  assert.equal([third.isRefused, ...tell(1)], [false, true])
  second.close()
  third.close()
  assert.equal(tell(3), [false, false, true])
})

s('counts an IPv6 /64 as one, and no proxy and nobody of this machine [24/connections]', () => {
  const ipOf = createReadConnectionIp(['10.0.0.0/8', '2001:db8:ffff::/48'])
  const open = createDoor({ most: 1, ipOf })
  const tell = (...addresses: readonly string[]) =>
    addresses.map((address) => open(address).isRefused)
  assert.equal(tell('2001:db8:0:7::1', '2001:db8:0:7:ffff::9', '2001:db8:0:8::1'), [
    false,
    true,
    false,
  ])
  assert.equal(tell('::ffff:203.0.113.9', '203.0.113.9', '203.0.113.10'), [false, true, false])
  for (const free of ['10.9.8.7', '2001:db8:ffff::1', '127.0.0.1', '::1', '::ffff:127.0.0.1'])
    assert.equal(tell(free, free), [false, false], free)
})

s("of one site are four addresses' at most [attack/connection-sites]", () => {
  const open = createDoor({ most: 2, ipOf: (address) => address })
  const opened = Array.from({ length: 64 }, (_, n) => open(`2001:db8:7:${n.toString(16)}::1`))
  const held = opened.filter(({ isRefused }) => !isRefused)
  assert.is(held.length, 8)
  assert.is(open('2001:db8:8::1').isRefused, false)
  held[0]?.close()
  assert.equal(
    ['a', 'b'].map((n) => open(`2001:db8:7:ff${n}::1`).isRefused),
    [false, true],
  )
})
s.run()
