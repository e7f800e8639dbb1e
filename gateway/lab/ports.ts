import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { type Chain, chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'

/** Of these browsers and `fetch` ask nothing, whoever listens: https://fetch.spec.whatwg.org/#port-blocking */
const refused: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10_080,
])

/**
 * Above the last of those, and below what systems hand out by themselves: such a port may be somebody's connection a
 * moment later.
 */
export const choice = { from: 10_081, below: 32_768 }

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

export const isRefused = (port: number) => refused.has(port)

/** A port that is free on loopback now; 0 leaves the choice to us. */
export async function takePort({ name, port }: { name: string; port: number }): Promise<number> {
  if (isRefused(port))
    throw new Error(`port ${port} is refused by browsers and fetch; set ${name} to another`)
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
