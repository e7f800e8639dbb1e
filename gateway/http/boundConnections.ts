import type { Server, Socket } from 'node:net'
import { createNetworkSlots } from './networkSlots.ts'

export type ConnectionBound = {
  /** Of one IPv4 address or IPv6 /64. */
  readonly most: number
  /** Who is counted; undefined: its connections have no bound. */
  readonly ipOf: (remoteAddress: string) => string | undefined
}

/**
 * Ends what a network opens beyond its bound, before a byte of it is read: headers that never end, or nothing
 * at all, take no more places than that from anybody else.
 */
export function boundConnections(server: Server, { most, ipOf }: ConnectionBound): void {
  const slots = createNetworkSlots(most)
  server.on('connection', (socket: Socket) => {
    const ip = ipOf(socket.remoteAddress ?? '')
    if (ip === undefined) return
    const release = slots.take(ip)
    if (release) socket.once('close', release)
    else socket.resetAndDestroy()
  })
}
