import { ensureWorld, worldChainIds } from '../../fixtures/world.ts'
import { type Chain, chains, getChain } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { startForkedChain } from './forkedChain.ts'
import type { ChainToResume } from './keptChain.ts'
import type { LabChain, LabEnvironment } from './labChain.ts'
import { startOfflineChain } from './offlineChain.ts'

const upstreamOf = (env: LabEnvironment, chain: Chain) =>
  env[settingName(chain, 'RPC_URL')]?.split(',')[0]?.trim()

type Steps = { readonly env: LabEnvironment; readonly step: (message: string) => void }

async function loadWorld(step: Steps['step']): Promise<void> {
  step('loading the offline world')
  // The chains are built at the same time, and tell their steps in turn.
  const shown = new Set<string>()
  await ensureWorld({
    onProgress: (progress) => {
      const message = `building the offline world (first use): chain ${progress.chainId}, ${progress.step}`
      if (!shown.has(message)) step(message)
      shown.add(message)
    },
  })
}

function startOne(
  chain: Chain,
  { env, kept }: { readonly env: LabEnvironment; readonly kept?: ChainToResume | undefined },
): Promise<LabChain> {
  const upstreamUrl = upstreamOf(env, chain)
  return upstreamUrl
    ? startForkedChain({ chain, upstreamUrl, env, kept })
    : startOfflineChain({ chain, env, kept })
}

/** One chain of the lab: a fork where its RPC URL is given, else of the offline world. */
export async function startLabChain({
  chainId,
  env,
  step,
}: Steps & { readonly chainId: number }): Promise<LabChain> {
  const chain = getChain(chainId)
  if (!chain) throw new Error(`there is no chain ${chainId}`)
  if (!upstreamOf(env, chain)) await loadWorld(step)
  return startOne(chain, { env })
}

/** The chains that the offline world knows, where there is one, and those whose RPC URL is given. */
export async function labChains(env: LabEnvironment): Promise<readonly Chain[]> {
  const inWorld = await worldChainIds()
  return chains.filter((chain) => upstreamOf(env, chain) || inWorld.includes(chain.chainId))
}

/** Starts the chains of the lab side by side: forks where an RPC URL is given, the offline world elsewhere. */
export async function startLabChains({
  env,
  step,
  kept = {},
}: Steps & {
  /** Chains to go on from. */
  readonly kept?: Readonly<Record<string, ChainToResume>> | undefined
}): Promise<readonly LabChain[]> {
  const wanted = await labChains(env)
  checkKept({ kept, wanted, env })
  // Of none at all it says what to do.
  if (wanted.length === 0 || wanted.some((chain) => !upstreamOf(env, chain))) await loadWorld(step)
  step(`starting ${wanted.map(({ displayName }) => displayName).join(', ')}`)
  const started = await Promise.allSettled(
    wanted.map((chain) => startOne(chain, { env, kept: kept[chain.chainId] })),
  )
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (!failure) return running
  await Promise.all(running.map((chain) => chain.close()))
  throw failure.reason
}

/** A chain can't go on as another kind of chain, and its database knows of it where it is missing. */
function checkKept({
  kept,
  wanted,
  env,
}: {
  readonly kept: Readonly<Record<string, ChainToResume>>
  readonly wanted: readonly Chain[]
  readonly env: LabEnvironment
}): void {
  for (const [chainId, { forked }] of Object.entries(kept)) {
    const chain = getChain(Number(chainId))
    if (!chain) throw new Error(`the kept chain ${chainId} is not known here`)
    const name = settingName(chain, 'RPC_URL')
    const isForked = Boolean(upstreamOf(env, chain))
    if (forked && !isForked) throw new Error(`the kept ${chain.name} is a fork: set ${name}`)
    if (!forked && isForked) throw new Error(`the kept ${chain.name} is no fork: leave ${name} out`)
    if (!wanted.includes(chain)) throw new Error(`the kept ${chain.name} has no offline world here`)
  }
}
