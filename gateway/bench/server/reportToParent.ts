import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Ready = { readonly url: string; readonly apiKey: string }

/** Tells the benchmark where this server listens, and then what CPU it has used each time it is asked. */
export function reportToParent(server: Server, apiKey: string): void {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}/quote`, apiKey } satisfies Ready)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMicros: user + system })
  })
  process.on('disconnect', () => process.exit(0))
}
