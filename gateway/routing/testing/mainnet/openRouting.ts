import { chains } from '../../../chain/chains.ts'
import { createChainClient } from '../../../chain/client.ts'
import { createRouting } from '../../service/routing.ts'
import type { SyncEvent } from '../../sync/syncEvent.ts'
import type { StartedMainnet } from './startMainnet.ts'

/** As a gateway in production follows. */
const live = {
  loadsFirst: 'majors',
  refreshMs: 2_000,
  limits: { floorUsd: 100, mostPools: 10_000, mostTokens: 10_000 },
} as const

/** The routing of a gateway on made-up chains behind their nodes. */
export async function openRouting(
  started: readonly StartedMainnet[],
  {
    observe,
    now,
    isPaced = true,
  }: {
    readonly observe: (event: SyncEvent) => void
    readonly now?: (() => number) | undefined
    readonly isPaced?: boolean | undefined
  },
) {
  const clients = started.flatMap(({ chainId, node }) => {
    const chain = chains.find((each) => each.chainId === chainId)
    if (!chain) return []
    return createChainClient({ chain, rpcUrls: [node.url], wsUrl: node.wsUrl, trust: 'shown' })
  })
  const routing = await createRouting({
    now,
    chains: clients.map((chainClient) => ({ chainClient, executor: undefined, isPaced, ...live })),
    startWithinMs: 0,
    simulator: undefined,
    serviceName: 'test',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    observe,
  })
  return {
    routing,
    async close() {
      await routing.close()
      for (const client of clients) client.close()
      await Promise.all(started.map(({ close }) => close()))
    },
  }
}
