import type { Server, Socket } from 'node:net'

export type ConnectionBound = {
  readonly most: number
  /** Whose the connections of an address are; undefined: they have no bound. */
  readonly networkOf: (remoteAddress: string) => string | undefined
}

/**
 * Ends what a network opens beyond its bound, before a byte of it is read: headers that never end, or nothing
 * at all, take no more places than that from anybody else.
 */
export function boundConnections(server: Server, { most, networkOf }: ConnectionBound): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '')
    if (network === undefined) return
    const own = open.get(network) ?? 0
    if (own >= most) {
      socket.resetAndDestroy()
      return
    }
    open.set(network, own + 1)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}
