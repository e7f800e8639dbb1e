import type { LookupFunction } from 'node:net'
import { buildConnector, Client } from 'undici'

export type Connections = {
  /** Runs one request on a connection of its own; when the signal fires, that is closed at once. */
  use<value>(signal: AbortSignal, run: (client: Client) => Promise<value>): Promise<value>
  close(): Promise<void>
}

/** One for all: capturing a stack for each of many requests given up at once would delay the rest. */
const givenUp = new Error('the request was given up')

/**
 * Connections to one origin, kept open between requests. undici's own pool is not used, since its
 * clients connect anew for a request that was aborted, before they notice that it was.
 */
export function createConnections({
  origin,
  lookup,
}: {
  readonly origin: string
  /** Undefined: the system's. */
  readonly lookup: LookupFunction | undefined
}): Connections {
  const connect = buildConnector({ timeout: 3_000, ...(lookup && { lookup }) })
  const all = new Set<Client>()
  const idle: Client[] = []

  function take(): Client {
    const known = idle.pop()
    if (known) return known
    const made = new Client(origin, { connect, keepAliveTimeout: 30_000 })
    all.add(made)
    return made
  }

  return {
    async use(signal, run) {
      signal.throwIfAborted()
      const client = take()
      let isGone = false
      const leave = () => {
        isGone = true
        all.delete(client)
        // Closes the socket before it returns.
        void client.destroy(givenUp)
      }
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await run(client)
      } finally {
        signal.removeEventListener('abort', leave)
        if (!isGone) idle.push(client)
      }
    },
    async close() {
      await Promise.all([...all].map((client) => client.destroy(givenUp)))
    },
  }
}
