import { type PackedChain, readPack } from '../../simulator/pack/packFile.ts'
import { replayChain } from '../../simulator/pack/replayChain.ts'
import { getChain } from '../chain/chains.ts'

export type LabPack = {
  /** RPC URLs of the chains that the pack holds, under the names of the settings. */
  readonly env: Readonly<Record<string, string>>
  /** Reads that something needed and the pack does not hold. */
  readonly missing: () => readonly string[]
  close(): Promise<void>
}

/** Serves the chains of a pack on loopback, in place of RPC endpoints. */
export async function openLabPack({
  path,
  onMissing = () => undefined,
}: {
  readonly path: string
  readonly onMissing?: ((read: string) => void) | undefined
}): Promise<LabPack> {
  const chains = await readPack(path)
  const settings = chains.map((chain) => ({ chain, name: settingOf(path, chain) }))
  const missing: string[] = []
  const note = (read: string) => {
    missing.push(read)
    onMissing(read)
  }
  const served = await Promise.all(
    settings.map(async ({ chain, name }) => ({
      name,
      replayed: await replayChain({ onMissing: note }, chain),
    })),
  )
  return {
    env: Object.fromEntries(served.map(({ name, replayed }) => [name, replayed.url])),
    missing: () => missing,
    async close() {
      await Promise.all(served.map(({ replayed }) => replayed.close()))
    },
  }
}

function settingOf(path: string, { chainId }: PackedChain): string {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`${path} holds chain ${chainId}, which is not known here`)
  return `${chain.envPrefix}_RPC_URL`
}
