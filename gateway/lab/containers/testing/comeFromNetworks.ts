import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { type Door, startDoor } from './startDoor.ts'

/**
 * Run in a network namespace of its own, whose loopback has every address of 2001:db8::/32 and of 198.18.0.0/15: the
 * proxy's own configuration, at an address of each kind, and callers from networks and sites there. Tells how many of
 * each were let in.
 */
export type LetIn = {
  readonly byIpv6: {
    /** Of one /64, each from another address. */
    readonly ofNetwork: number
    /** Of another /64 of the same /48. */
    readonly ofNeighbour: number
    /** Of as many /64s of one /48 as have all that they may, and one more. */
    readonly ofSite: number
    readonly ofOtherSite: number
  }
  readonly byIpv4: {
    readonly ofAddress: number
    /** Of the address beside it. */
    readonly ofNeighbour: number
    /** Of 256 addresses where each may have four, and tries for five. */
    readonly ofMany: number
    readonly besideMany: number
  }
}

const run = promisify(execFile)
await run('ip', ['link', 'set', 'lo', 'up'])
// Of this namespace: callers choose any of its addresses.
for (const [family, addresses] of [
  ['6', '2001:db8::/32'],
  ['4', '198.18.0.0/15'],
] as const) {
  writeFileSync(`/proc/sys/net/ipv${family}/ip_nonlocal_bind`, '1')
  await run('ip', [`-${family}`, 'route', 'add', 'local', addresses, 'dev', 'lo'])
}
// Nothing that is asked here reaches a gateway.
const doors = await Promise.all([
  startDoor({ gatewayPort: 9, host: '::1' }),
  startDoor({ gatewayPort: 9 }),
  startDoor({
    gatewayPort: 9,
    change: (text) => text.replace('limit_conn networks 64', 'limit_conn networks 4'),
  }),
])
const [doorOfIpv6, doorOfIpv4, doorOfFew] = doors
if (!doorOfIpv6 || !doorOfIpv4 || !doorOfFew) process.exit(1)

const sockets: Socket[] = []
/** Whether it was answered over a connection that it keeps. */
const come = ({ host, plain: port }: Door, localAddress: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, localAddress })
    sockets.push(socket)
    socket.on('data', () => resolve(true)).on('close', () => resolve(false))
    // Told by its end.
    socket.on('error', () => undefined)
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n')
  })
const countFrom = async (door: Door, addresses: readonly string[]) =>
  (await Promise.all(addresses.map((address) => come(door, address)))).filter(Boolean).length
/** So many from addresses of one /64. */
const count = (network: string, connections: number) =>
  countFrom(
    doorOfIpv6,
    Array.from({ length: connections }, (_, index) => `${network}::${index + 1}`),
  )

let ofSite = 0
for (let network = 0; network < 17; network += 1) ofSite += await count(`2001:db8:2:${network}`, 64)
const letIn: LetIn = {
  byIpv6: {
    ofNetwork: await count('2001:db8:1:1', 65),
    ofNeighbour: await count('2001:db8:1:2', 1),
    ofSite,
    ofOtherSite: await count('2001:db8:3:1', 1),
  },
  byIpv4: {
    ofAddress: await countFrom(doorOfIpv4, Array(65).fill('198.18.0.1')),
    ofNeighbour: await countFrom(doorOfIpv4, ['198.18.0.2']),
    ofMany: await countFrom(
      doorOfFew,
      Array.from({ length: 5 * 256 }, (_, index) => `198.19.0.${index % 256}`),
    ),
    besideMany: await countFrom(doorOfFew, ['198.18.0.1']),
  },
}
process.stdout.write(`${JSON.stringify(letIn)}\n`)
for (const socket of sockets) socket.destroy()
await Promise.all([doorOfIpv6, doorOfIpv4, doorOfFew].map((door) => door.close()))
