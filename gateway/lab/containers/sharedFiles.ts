import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chain } from '../../chain/chains.ts'
import { writeJson } from '../labFiles.ts'
import type { LabChainManifest } from '../manifest.ts'

/** What the containers of one lab tell each other, in a volume that they share. */
export type SharedFiles = {
  /** A secret that any of them may ask for first. */
  readonly secret: (name: 'pepper' | 'admin-token') => string
  /** What is made once and then stays. */
  readonly keep: (name: string, make: () => Promise<string>) => Promise<string>
  readonly chain: (chainId: number) => SharedChain | undefined
  readonly putChain: (chainId: number, chain: SharedChain | undefined) => void
}

export type SharedChain = {
  readonly manifest: LabChainManifest
  readonly forked: boolean
  /** What the gateway is told about this chain. */
  readonly env: Readonly<Record<string, string>>
}

/** Where a chain's container listens for the others. */
export const chainPort = 8545
/** The ports at which chains are published: a filtered one, and one for tests, with a token. */
export const doorsOf = ({ labPort }: Chain) => ({ open: labPort, admin: labPort + 10 })
/** The chain's container is named so in the compose file. */
export const hostOf = ({ name }: Chain) => `chain-${name}`

const createSecret = () => randomBytes(32).toString('base64url')

/**
 * Of several that write at once the first one counts. The file appears with its text in it: an empty one,
 * seen or left by a crash, would be an empty token.
 */
function keepFirst(path: string, text: string): string {
  const draft = `${path}.${createSecret()}`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, path)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(path, 'utf8')
  } finally {
    rmSync(draft)
  }
}

export function openSharedFiles(dir: string): SharedFiles {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const chainPath = (chainId: number) => join(dir, `chain-${chainId}.json`)
  return {
    secret(name) {
      const path = join(dir, name)
      return existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, createSecret())
    },
    async keep(name, make) {
      const path = join(dir, name)
      return existsSync(path) ? readFileSync(path, 'utf8') : keepFirst(path, await make())
    },
    chain(chainId) {
      if (!existsSync(chainPath(chainId))) return undefined
      // Written by putChain below, so whole and of our shape.
      return JSON.parse(readFileSync(chainPath(chainId), 'utf8')) as SharedChain
    },
    putChain(chainId, chain) {
      if (chain) writeJson(chainPath(chainId), chain)
      else rmSync(chainPath(chainId), { force: true })
    },
  }
}
