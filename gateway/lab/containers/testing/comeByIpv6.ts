import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { startDoor } from './startDoor.ts'

/**
 * Run in a network namespace of its own, whose loopback has every address of 2001:db8::/32: the proxy's own
 * configuration, at an IPv6 address, and callers from networks and sites there. Tells how many of each were let in.
 */
export type LetIn = {
  /** Of one /64, each from another address. */
  readonly ofNetwork: number
  /** Of another /64 of the same /48. */
  readonly ofNeighbour: number
  /** Of as many /64s of one /48 as have all that they may, and one more. */
  readonly ofSite: number
  readonly ofOtherSite: number
}

const run = promisify(execFile)
await run('ip', ['link', 'set', 'lo', 'up'])
// Of this namespace: callers choose any of its addresses.
writeFileSync('/proc/sys/net/ipv6/ip_nonlocal_bind', '1')
await run('ip', ['-6', 'route', 'add', 'local', '2001:db8::/32', 'dev', 'lo'])
// Nothing that is asked here reaches a gateway.
const door = await startDoor({ gatewayPort: 9, host: '::1' })
if (!door) process.exit(1)
const { plain: port } = door

const sockets: Socket[] = []
/** Whether it was answered over a connection that it keeps. */
const come = (localAddress: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '::1', port, localAddress })
    sockets.push(socket)
    socket.on('data', () => resolve(true)).on('close', () => resolve(false))
    // Told by its end.
    socket.on('error', () => undefined)
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n')
  })
/** So many from addresses of one /64. */
async function count(network: string, connections: number): Promise<number> {
  const addresses = Array.from({ length: connections }, (_, index) => `${network}::${index + 1}`)
  return (await Promise.all(addresses.map(come))).filter(Boolean).length
}

let ofSite = 0
for (let network = 0; network < 17; network += 1) ofSite += await count(`2001:db8:2:${network}`, 64)
const letIn: LetIn = {
  ofNetwork: await count('2001:db8:1:1', 65),
  ofNeighbour: await count('2001:db8:1:2', 1),
  ofSite,
  ofOtherSite: await count('2001:db8:3:1', 1),
}
process.stdout.write(`${JSON.stringify(letIn)}\n`)
for (const socket of sockets) socket.destroy()
await door.close()
