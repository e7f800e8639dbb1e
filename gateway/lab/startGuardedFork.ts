import { type Hex, hexToBigInt } from 'viem'
import { startAnvil } from '../../fixtures/anvil/anvil.ts'
import { createRpc } from '../../fixtures/anvil/rpc.ts'
import { forkThreads } from '../../simulator/anvilBinary.ts'
import type { AnvilSettings } from '../../simulator/forkSettings.ts'
import { hiddenLoopback } from '../../simulator/hiddenLoopback.ts'
import type { Chain } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { createPages } from '../http/pages.ts'
import { openChainDoor } from './chainDoor.ts'

export type GuardedFork = {
  /** For everybody: reads that would hang this anvil wait for each other. */
  readonly rpcUrl: string
  /** Past the guard: for whoever asks one thing at a time. */
  readonly anvilUrl: string
  /** The chain's newest block when it was forked. */
  readonly forkBlock: bigint
  close(): Promise<void>
}

const toFlags = ({ hardfork, network }: AnvilSettings) => [
  ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
  ...(network === undefined ? [] : ['--network', network]),
]

/**
 * A mutable fork of a chain on loopback, as the chain is now, with nothing added.
 * @throws Error that names the URL's setting, never the URL
 */
export async function startGuardedFork({
  chain,
  upstreamUrl,
  port,
  args = [],
  origins = [],
}: {
  readonly chain: Chain
  readonly upstreamUrl: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Further anvil flags. */
  readonly args?: readonly string[] | undefined
  /** Of pages that may read it, beside those of this machine. */
  readonly origins?: readonly string[] | undefined
}): Promise<GuardedFork> {
  const anvil = await startAnvil({
    ownGroup: true,
    host: hiddenLoopback(),
    args: [
      '--fork-url',
      upstreamUrl,
      '--chain-id',
      String(chain.chainId),
      '--accounts',
      '0',
      '--no-cors',
      '--auto-impersonate',
      '--no-storage-caching',
      '--timeout',
      '10000',
      '--threads',
      String(forkThreads),
      ...toFlags(chain.fork),
      ...args,
    ],
  }).catch((error: Error) => {
    // anvil prints the URL, which may hold a key, into every message about its upstream.
    throw new Error(
      `cannot fork ${chain.name}: ${error.message.replaceAll(upstreamUrl, `$${settingName(chain, 'RPC_URL')}`)}`,
    )
  })
  try {
    const forkBlock = hexToBigInt((await createRpc(anvil.rpcUrl)('eth_blockNumber')) as Hex)
    const guarded = await openChainDoor({
      anvilUrl: anvil.rpcUrl,
      port,
      isFork: true,
      pages: createPages({ origins }),
    })
    return {
      rpcUrl: guarded.rpcUrl,
      anvilUrl: anvil.rpcUrl,
      forkBlock,
      async close() {
        await Promise.all([guarded.close(), anvil.close()])
      },
    }
  } catch (error) {
    await anvil.close()
    throw error
  }
}
