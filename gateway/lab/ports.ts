import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { type Chain, chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'

/** Below what systems hand out by themselves: such a port may be somebody's connection a moment later. */
const choice = { from: 10_000, below: 32_768 }

/** Any ports for the chains. */
export const anyChainPorts = Object.fromEntries(
  chains.map((chain) => [settingName(chain, 'CHAIN_PORT'), '0']),
)

/** Settings of a lab that may stand beside whatever else the machine runs. */
export const anyPorts = {
  ROUTING_PORT: '0',
  META_PORT: '0',
  RELAY_PORT: '0',
  OPS_PORT: '0',
  ...anyChainPorts,
}

/** A port that is free on loopback now; 0 leaves the choice to us. */
export async function takePort({ name, port }: { name: string; port: number }): Promise<number> {
  if (port !== 0) {
    if (await isFree(port)) return port
    throw new Error(`port ${port} is taken by another process; set ${name} to a free one`)
  }
  for (;;) {
    const chosen = randomInt(choice.from, choice.below)
    if (await isFree(chosen)) return chosen
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** The usual port of a lab chain where it is free, any other where not; `BASE_CHAIN_PORT` insists on one. */
export async function takeChainPort(
  chain: Chain,
  env: Readonly<Record<string, string | undefined>>,
) {
  const name = settingName(chain, 'CHAIN_PORT')
  const asked = env[name]
  if (asked) return takePort({ name, port: Number(asked) })
  return takePort({ name, port: chain.labPort }).catch(() => takePort({ name, port: 0 }))
}
