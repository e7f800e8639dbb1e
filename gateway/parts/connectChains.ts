import { type ChainClient, createChainClient, isCausedBy, WrongChain } from '../chain/client.ts'
import type { EndpointParameters } from '../chain/nodes/endpoint.ts'
import type { Config } from '../config/config.ts'
import type { Observed } from './observed.ts'
import type { CallBudgets } from './openBudgets.ts'

/** A node of another chain ends the start; one that is away is asked for its chain before its first use. */
export async function connectChains(
  { chains }: Config,
  {
    log,
    budgets,
    lab,
  }: Pick<Observed, 'log'> & {
    readonly budgets: CallBudgets
    /** Of a lab: what goes wrong on demand. */
    readonly lab?: { alterSend(chainId: number): EndpointParameters['alterSend'] } | undefined
  },
): Promise<readonly ChainClient[]> {
  const clients = chains.map(({ chain, rpcUrls, wsUrl }) =>
    createChainClient({
      chain,
      rpcUrls,
      wsUrl,
      trust: 'shown',
      spend: budgets.get(chain.chainId),
      alterSend: lab?.alterSend(chain.chainId),
    }),
  )
  const check = (client: ChainClient) =>
    client.checkChainId().catch((error: unknown) => {
      // Whatever else a node says now, it may answer later.
      if (isCausedBy(error, WrongChain)) throw error
      log.warn({ chainId: client.chainId }, 'this chain is out of reach: it starts when it answers')
    })
  await Promise.all(clients.map(check))
  return clients
}
