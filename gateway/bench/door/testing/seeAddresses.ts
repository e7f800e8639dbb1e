import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { forkHonest, forkStrangers } from '../callers.ts'
import { type AddressKind, doors, joinNetworks } from '../networks.ts'

/** Run apart. From where honest callers come, one by each family, and strangers of each kind, three of them. */
type Seen = Readonly<Record<keyof typeof doors | `strangers of ${AddressKind}`, string[]>>

type Caller = (door: { readonly host: string; readonly port: number }) => ChildProcess

joinNetworks()

async function see(family: keyof typeof doors, come: Caller, count: number): Promise<string[]> {
  const host = doors[family]
  const seen: string[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const listener = createServer((socket) => {
    seen.push(String(socket.remoteAddress))
    // It may not be TLS that it wants.
    socket.on('error', () => undefined).destroy()
    if (seen.length === count) resolve()
  }).listen(0, host)
  await once(listener, 'listening')
  const child = come({ host, port: (listener.address() as AddressInfo).port })
  await all
  child.disconnect()
  listener.close()
  return seen.toSorted()
}

const honest = (family: keyof typeof doors) =>
  see(family, (door) => forkHonest(door, { perSecond: 1, seconds: 1 }), 1)
const strangers = (from: AddressKind) => {
  const three = { kind: 'idle', from, addresses: 3, connections: 3 } as const
  return see(from === 'ipv4' ? 'ipv4' : 'ipv6', (door) => forkStrangers(door, three), 3)
}
const seen: Seen = {
  ipv4: await honest('ipv4'),
  ipv6: await honest('ipv6'),
  'strangers of ipv4': await strangers('ipv4'),
  'strangers of network': await strangers('network'),
  'strangers of networks': await strangers('networks'),
  'strangers of sites': await strangers('sites'),
}
process.stdout.write(JSON.stringify(seen))
process.exit(0)
