import { connect, type Socket } from 'node:net'
import { type AddressKind, addressesOf } from './networks.ts'

/**
 * A process of strangers at the front door. On a message it says how its connections stand; it ends with its parent.
 *
 * `slow`: headers that never end, a byte each second; who is cut off comes again after a while.
 * `idle`: one request, and nothing more on a connection that is kept; who is cut off stays away.
 * `brief`: half a greeting of TLS, gone as soon as it is sent; `connections` a second.
 */
export type StrangerKind = 'slow' | 'idle' | 'brief'

/** Connections that were tried, and that are open. */
export type Counted = {
  readonly tried: number
  readonly open: number
  /** Bytes of headers that never end. */
  readonly dripped: number
}

const [
  kind = 'slow',
  host = '',
  port = '0',
  from = 'ipv4',
  first = '0',
  addresses = '1',
  connections = '1',
  againMs = '1000',
] = process.argv.slice(2)
const halfGreeting = Buffer.from('160301', 'hex')
const tickMs = 20
let [tried, open, dripped] = [0, 0, 0]

function come(index: number, connected: (socket: Socket) => void) {
  tried += 1
  const at = (Number(first) + index) % Number(addresses)
  const localAddress = addressesOf[from as AddressKind](at)
  const socket = connect({ host, port: Number(port), localAddress })
  let isOpen = false
  socket.on('connect', () => {
    isOpen = true
    open += 1
    connected(socket)
  })
  // Told by its end.
  socket.on('error', () => undefined).resume()
  socket.on('close', () => {
    if (isOpen) open -= 1
    if (kind === 'slow') setTimeout(() => come(index, connected), Number(againMs))
  })
}

/** Who sends a byte at each of the ticks of a second: a timer for each would be most of their time. */
const dripping = Array.from({ length: 1_000 / tickMs }, () => new Set<Socket>())

function comeSlowly(index: number) {
  come(index, (socket) => {
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nx-a: ')
    const among = dripping[index % dripping.length]
    among?.add(socket)
    socket.on('close', () => among?.delete(socket))
  })
}

function drip() {
  let tick = 0
  setInterval(() => {
    const among = dripping[tick % dripping.length] ?? []
    for (const socket of among) {
      socket.write('a')
      dripped += 1
    }
    tick += 1
  }, tickMs)
}

/** So many each tick, so that they come evenly. */
function paced(count: number, perSecond: number, work: (index: number) => void) {
  const startedAt = performance.now()
  let done = 0
  const timer = setInterval(() => {
    const due = Math.min(count, ((performance.now() - startedAt) / 1_000) * perSecond)
    for (; done < due; done += 1) work(done)
    if (done >= count) clearInterval(timer)
  }, tickMs)
}

const each = Number(connections)
if (kind === 'slow') {
  drip()
  paced(each, 2_000, comeSlowly)
} else if (kind === 'idle')
  paced(each, 2_000, (index) =>
    come(index, (socket) => socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n')),
  )
else
  paced(Number.POSITIVE_INFINITY, each, (index) =>
    come(index, (socket) => socket.write(halfGreeting, () => socket.destroy())),
  )

process.on('message', () => process.send?.({ tried, open, dripped } satisfies Counted))
process.on('disconnect', () => process.exit(0))
