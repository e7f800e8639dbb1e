import { ensureWorld } from '../../fixtures/world.ts'
import { type Chain, getChain, chains as knownChains } from '../chain/chains.ts'
import { startForkedChain } from './forkedChain.ts'
import type { LabChainManifest } from './manifest.ts'
import { startOfflineChain } from './offlineChain.ts'

export type LabChain = {
  readonly chainId: number
  readonly forked: boolean
  readonly manifest: LabChainManifest
  /** What the gateway is told about this chain. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

export type LabEnvironment = Readonly<Record<string, string | undefined>>

const upstreamOf = (env: LabEnvironment, { envPrefix }: Chain) =>
  env[`${envPrefix}_RPC_URL`]?.split(',')[0]?.trim()

type Steps = { readonly env: LabEnvironment; readonly step: (message: string) => void }

async function loadWorld(step: Steps['step']): Promise<void> {
  step('loading the offline world')
  // The chains are built at the same time, and tell their steps in turn.
  const shown = new Set<string>()
  await ensureWorld({
    onProgress: (progress) => {
      const message = `building the offline world (first use): chain ${progress.chainId || 'contracts'}, ${progress.step}`
      if (!shown.has(message)) step(message)
      shown.add(message)
    },
  })
}

function startOne(chain: Chain, env: LabEnvironment): Promise<LabChain> {
  const upstreamUrl = upstreamOf(env, chain)
  return upstreamUrl
    ? startForkedChain({ chain, upstreamUrl, env })
    : startOfflineChain({ chain, env })
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
  return startOne(chain, env)
}

/** Starts the chains of the lab side by side: forks where an RPC URL is given, the offline world elsewhere. */
export async function startLabChains({ env, step }: Steps): Promise<readonly LabChain[]> {
  if (knownChains.some((chain) => !upstreamOf(env, chain))) await loadWorld(step)
  step('starting two chains')
  const started = await Promise.allSettled(knownChains.map((chain) => startOne(chain, env)))
  const chains = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (!failure) return chains
  await Promise.all(chains.map((chain) => chain.close()))
  throw failure.reason
}
