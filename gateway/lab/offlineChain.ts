import { startWorldChain } from '../../fixtures/world.ts'
import type { Chain } from '../chain/chains.ts'
import { toChainEnvironment } from './chainEnvironment.ts'
import type { LabChain, LabEnvironment } from './chains.ts'
import { takeChainPort } from './ports.ts'

/** A chain of the offline world. */
export async function startOfflineChain({
  chain,
  env,
}: {
  readonly chain: Chain
  readonly env: LabEnvironment
}): Promise<LabChain> {
  const { chainId } = chain
  const started = await startWorldChain({ chainId, port: await takeChainPort(chain, env) })
  const { rpcUrl, manifest: world } = started
  const manifest = {
    rpcUrl,
    executor: world.executor,
    quotaManager: world.quotaManager,
    proxyFactory: world.proxyFactory,
    proxyImplementation: world.proxyImplementation,
    relayer: world.relayer.address,
    tokens: world.tokens,
    dexes: world.dexes,
    accounts: world.accounts,
  }
  return {
    chainId,
    forked: false,
    manifest,
    env: toChainEnvironment(chain, { manifest, relayerKey: world.relayer.privateKey }),
    close: started.close,
  }
}
