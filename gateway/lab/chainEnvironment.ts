import type { Hex } from 'viem'
import type { Chain } from '../chain/chains.ts'
import type { LabChainManifest } from './manifest.ts'

/** The gateway's settings for one lab chain, as environment variables. */
export function toChainEnvironment(
  { envPrefix }: Chain,
  { manifest, relayerKey }: { readonly manifest: LabChainManifest; readonly relayerKey: Hex },
): Readonly<Record<string, string>> {
  return {
    [`${envPrefix}_RPC_URL`]: manifest.rpcUrl,
    [`${envPrefix}_EXECUTOR`]: manifest.executor,
    [`${envPrefix}_QUOTA_MANAGER`]: manifest.quotaManager,
    [`${envPrefix}_PROXY_FACTORY`]: manifest.proxyFactory,
    [`${envPrefix}_RELAYER_PRIVATE_KEY`]: relayerKey,
  }
}
