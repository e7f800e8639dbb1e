import type { LabManifest } from './manifest.ts'

type ChainsAnswer = readonly {
  readonly chain_id: number
  readonly dexes: readonly { readonly name: string; readonly pool_count: number }[]
}[]

/** How many pools of each DEX the gateway has found: the lab itself knows only what it made. */
export async function countPools(
  manifest: LabManifest,
  { routingUrl = manifest.services.routing } = {},
): Promise<LabManifest> {
  const response = await fetch(`${routingUrl}/api/chains`)
  // Our own gateway's answer, of the documented shape.
  const answer = (await response.json()) as ChainsAnswer
  const countOf = (chainId: string, name: string) =>
    answer
      .find((chain) => String(chain.chain_id) === chainId)
      ?.dexes.find((dex) => dex.name === name)?.pool_count ?? 0
  const chains = Object.entries(manifest.chains).map(([chainId, chain]) => [
    chainId,
    {
      ...chain,
      dexes: chain.dexes.map((dex) => ({ ...dex, pools: countOf(chainId, dex.name) || dex.pools })),
    },
  ])
  return { ...manifest, chains: Object.fromEntries(chains) }
}
