import { type ChainClient, createChainClient, isCausedBy, WrongChain } from '../chain/client.ts'
import type { EndpointParameters } from '../chain/nodes/endpoint.ts'
import type { Config } from '../config/config.ts'
import type { Observed } from './observed.ts'
import type { CallBudgets } from './openBudgets.ts'

/**
 * A chain whose nodes are all of another ends the start; one of several is left out, and one that is away is asked
 * for its chain before its first use.
 */
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
      budget: budgets.get(chain.chainId),
      alterSend: lab?.alterSend(chain.chainId),
    }),
  )
  const check = async (client: ChainClient) => {
    const { chainId } = client
    // Nobody waits for those that do not answer.
    void client.findStrays().then((strays) => {
      for (const stray of strays)
        log.warn({ chainId, ...stray }, 'an RPC URL of this chain serves another: it is left out')
    })
    await client.checkChainId().catch((error: unknown) => {
      // Whatever else a node says now, it may answer later.
      if (isCausedBy(error, WrongChain)) throw error
      log.warn({ chainId }, 'this chain is out of reach: it starts when it answers')
    })
  }
  await Promise.all(clients.map(check))
  return clients
}
