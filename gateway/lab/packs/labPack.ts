import { type PackedChain, readPack } from '../../../simulator/pack/packFile.ts'
import { replayChain } from '../../../simulator/pack/replayChain.ts'
import { getChain } from '../../chain/chains.ts'
import { settingName } from '../../chain/settingName.ts'
import { describeChains } from './describePack.ts'
import { freezeVariable } from './freezeTime.ts'

export type LabPack = {
  /** RPC URLs of the chains that the pack holds, and the time they are held at, under the settings' names. */
  readonly env: Readonly<Record<string, string>>
  readonly chains: readonly PackedChain[]
  /** Reads that something needed and the pack does not hold. */
  readonly missing: () => readonly string[]
  /** Keys of the answers that were given of a chain. */
  readonly used: (chainId: number) => ReadonlySet<string>
  close(): Promise<void>
}

/** Serves the chains of a pack on loopback, in place of RPC endpoints; says how old they are. */
export async function openLabPack({
  path,
  print = () => undefined,
  onMissing = () => undefined,
  now = Date.now,
}: {
  readonly path: string
  readonly print?: ((text: string) => void) | undefined
  readonly onMissing?: ((read: string) => void) | undefined
  readonly now?: (() => number) | undefined
}): Promise<LabPack> {
  const chains = await readPack(path)
  const settings = chains.map((chain) => ({ chain, name: settingOf(path, chain) }))
  for (const line of describeChains(path, chains, now())) print(line)
  const missing: string[] = []
  const note = (read: string) => {
    missing.push(read)
    onMissing(read)
  }
  const used = new Map(chains.map(({ chainId }) => [chainId, new Set<string>()]))
  const served = await Promise.all(
    settings.map(async ({ chain, name }) => {
      const onUsed = (key: string) => used.get(chain.chainId)?.add(key)
      return { name, replayed: await replayChain({ onMissing: note, onUsed }, chain) }
    }),
  )
  return {
    env: {
      ...Object.fromEntries(served.map(({ name, replayed }) => [name, replayed.url])),
      ...frozenAt(chains),
    },
    chains,
    missing: () => missing,
    used: (chainId) => used.get(chainId) ?? new Set(),
    async close() {
      await Promise.all(served.map(({ replayed }) => replayed.close()))
    },
  }
}

function frozenAt(chains: readonly PackedChain[]): Readonly<Record<string, string>> {
  const times = chains.flatMap(({ isFrozen, timestampSecs }) =>
    isFrozen && timestampSecs !== undefined ? [Number(timestampSecs)] : [],
  )
  return times.length === 0 ? {} : { [freezeVariable]: String(Math.max(...times)) }
}

function settingOf(path: string, { chainId }: PackedChain): string {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`${path} holds chain ${chainId}, which is not known here`)
  return settingName(chain, 'RPC_URL')
}
