import { createServer } from 'node:net'

/** A port that is free on loopback now; 0 asks the system for one. */
export async function takePort({ name, port }: { name: string; port: number }): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} is taken by another process; set ${name} to a free one`)
          : error,
      ),
    )
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const taken = typeof address === 'object' && address ? address.port : port
      server.close(() => resolve(taken))
    })
  })
}

const chainPorts: Readonly<Record<number, number>> = { 8453: 8545, 42161: 8546 }

/** The usual port of a lab chain where it is free, any other where not; `BASE_CHAIN_PORT` insists on one. */
export async function takeChainPort(
  { chainId, envPrefix }: { readonly chainId: number; readonly envPrefix: string },
  env: Readonly<Record<string, string | undefined>>,
) {
  const name = `${envPrefix}_CHAIN_PORT`
  const asked = env[name]
  if (asked) return takePort({ name, port: Number(asked) })
  return takePort({ name, port: chainPorts[chainId] ?? 0 }).catch(() => takePort({ name, port: 0 }))
}
