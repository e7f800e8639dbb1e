import { ensureWorld } from '../../fixtures/world.ts'
import { chains as knownChains } from '../chain/chains.ts'
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

/** Starts the chains of the lab side by side: forks where an RPC URL is given, the offline world elsewhere. */
export async function startLabChains({
  env,
  step,
}: {
  readonly env: LabEnvironment
  readonly step: (message: string) => void
}): Promise<readonly LabChain[]> {
  const upstreamOf = (envPrefix: string) => env[`${envPrefix}_RPC_URL`]?.split(',')[0]?.trim()
  if (knownChains.some(({ envPrefix }) => !upstreamOf(envPrefix))) {
    step('loading the offline world')
    let shown = ''
    await ensureWorld({
      onProgress: (progress) => {
        const message = `building the offline world (first use): chain ${progress.chainId || 'contracts'}, ${progress.step}`
        if (message !== shown) step(message)
        shown = message
      },
    })
  }
  step('starting two chains')
  const started = await Promise.allSettled(
    knownChains.map((chain) => {
      const upstreamUrl = upstreamOf(chain.envPrefix)
      return upstreamUrl
        ? startForkedChain({ chain, upstreamUrl, env })
        : startOfflineChain({ chain, env })
    }),
  )
  const chains = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (!failure) return chains
  await Promise.all(chains.map((chain) => chain.close()))
  throw failure.reason
}
