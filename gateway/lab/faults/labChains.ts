import { readFile } from 'node:fs/promises'
import { httpError } from '../../http/httpError.ts'
import { createLeasedChain, type LeasedChain } from '../../testing/leaseChain.ts'
import type { LabChainManifest, LabManifest } from '../manifest.ts'

type Use<value> = (chain: LeasedChain, manifest: LabChainManifest) => Promise<value>

export type LabChains = {
  /** Refuses (400) a chain that the lab does not have. */
  on<value>(chainId: number, use: Use<value>): Promise<value>
  /** The one that was named, else each of the lab. */
  each(use: Use<void>): Promise<void>
}

/** The chains of the lab whose manifest stands there: opened for each use, since it may be another by now. */
export function createLabChains({
  manifestPath,
}: {
  readonly manifestPath: string
}): (chainId?: number) => LabChains {
  async function on<value>(chainId: number, use: Use<value>): Promise<value> {
    const found = (await readChains(manifestPath))[String(chainId)]
    if (!found) throw httpError('invalidRequest', `the lab has no chain ${chainId}`)
    const { chain, close } = createLeasedChain({ ...found, chainId })
    try {
      return await use(chain, found)
    } finally {
      await close()
    }
  }
  return (named) => ({
    on,
    async each(use) {
      const ids = named === undefined ? Object.keys(await readChains(manifestPath)) : [named]
      await Promise.all(ids.map((id) => on(Number(id), use)))
    },
  })
}

export async function readChains(manifestPath: string): Promise<LabManifest['chains']> {
  // Written by this lab.
  return (JSON.parse(await readFile(manifestPath, 'utf8')) as LabManifest).chains
}
