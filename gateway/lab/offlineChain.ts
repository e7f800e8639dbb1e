import { startWorldChain } from '../../fixtures/world.ts'
import { hiddenLoopback } from '../../simulator/hiddenLoopback.ts'
import type { Chain } from '../chain/chains.ts'
import { createPages, readOrigins } from '../http/pages.ts'
import { openChainDoor } from './chainDoor.ts'
import { toChainEnvironment } from './chainEnvironment.ts'
import { type ChainToResume, resumeChain } from './keptChain.ts'
import type { LabChain, LabEnvironment } from './labChain.ts'
import { takeChainPort } from './ports.ts'

/** A chain of the offline world. */
export async function startOfflineChain({
  chain,
  env,
  kept,
}: {
  readonly chain: Chain
  readonly env: LabEnvironment
  readonly kept?: ChainToResume | undefined
}): Promise<LabChain> {
  const { chainId } = chain
  const port = await takeChainPort(chain, env)
  const started = await startWorldChain({
    chainId,
    ownGroup: true,
    host: hiddenLoopback(),
    ...(kept && { statePath: kept.statePath, settle: (rpc) => resumeChain(rpc, { kept }) }),
  })
  const { rpcUrl: anvilUrl, manifest: world } = started
  const codeless = readOrigins(env['LAB_CODELESS'])
  const door = await openChainDoor({
    anvilUrl,
    port,
    codeless,
    pages: createPages({ origins: readOrigins(env['LAB_ORIGINS']) }),
  }).catch(async (error: unknown) => {
    await started.close()
    throw error
  })
  const manifest = {
    executor: world.executor,
    quotaManager: world.quotaManager,
    proxyFactory: world.proxyFactory,
    proxyImplementation: world.proxyImplementation,
    relayer: world.relayer.address,
    tokens: world.tokens,
    dexes: world.dexes,
    accounts: world.accounts,
    // What stands on a chain that goes on is what stood there, whichever version starts it.
    ...kept?.manifest,
    rpcUrl: door.rpcUrl,
  }
  return {
    chainId,
    forked: false,
    manifest,
    anvilUrl,
    env: toChainEnvironment(chain, {
      // The gateway is no page: it goes the short way, where nothing is hidden from it.
      manifest: { ...manifest, rpcUrl: codeless.length > 0 ? door.rpcUrl : anvilUrl },
      relayerKey: world.relayer.privateKey,
    }),
    async close() {
      await Promise.all([door.close(), started.close()])
    },
  }
}
