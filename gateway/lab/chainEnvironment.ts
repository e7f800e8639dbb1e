import type { Hex } from 'viem'
import type { Chain } from '../chain/chains.ts'
import { oneNode } from '../chain/oneNode.ts'
import { settingName } from '../chain/settingName.ts'
import type { LabChainManifest } from './manifest.ts'

/** The gateway's settings for one lab chain, as environment variables. */
export function toChainEnvironment(
  chain: Chain,
  { manifest, relayerKey }: { readonly manifest: LabChainManifest; readonly relayerKey: Hex },
): Readonly<Record<string, string>> {
  return {
    ...oneNode(chain, manifest.rpcUrl),
    [settingName(chain, 'EXECUTOR')]: manifest.executor,
    [settingName(chain, 'QUOTA_MANAGER')]: manifest.quotaManager,
    [settingName(chain, 'PROXY_FACTORY')]: manifest.proxyFactory,
    [settingName(chain, 'RELAYER_PRIVATE_KEY')]: relayerKey,
  }
}
