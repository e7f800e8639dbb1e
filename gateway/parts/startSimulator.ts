import type { Abi } from 'viem'
import {
  quotaManager,
  swapExecutor,
  userProxyFactoryV6,
  userProxyV6,
} from '../../contracts/artifacts.ts'
import { createContainerForks } from '../../simulator/containers/containerForks.ts'
import type { Freshness } from '../../simulator/freshness.ts'
import type { RpcOutcome } from '../../simulator/rpc/rpcBatch.ts'
import { createSimulator, type Simulator } from '../../simulator/simulator.ts'
import type { AskUpstream } from '../../simulator/upstream.ts'
import { seedTokens } from '../chain/chains.ts'
import type { ChainClient } from '../chain/client.ts'
import type { RpcAnswer } from '../chain/nodes/readReply.ts'
import type { Config } from '../config/config.ts'
import { createForkMetrics } from '../observe/forkMetrics.ts'
import { namePools } from '../routing/buildExecution.ts'
import type { Store } from '../store/ports.ts'
import type { Holders } from './holders.ts'
import type { Observed } from './observed.ts'

/** Whose custom errors simulations show by name. */
const knownAbis: readonly Abi[] = [
  quotaManager.abi,
  swapExecutor.abi,
  userProxyFactoryV6.abi,
  userProxyV6.abi,
]

/** A lab's chain mines with each transaction, which must be seen at once; a live one has fast blocks. */
export const freshnessOf: Record<Config['freshness'], Freshness> = {
  head: { mode: 'head' },
  interval: { mode: 'interval', everyMs: 1_000, lagBlocks: 1, restAfterMs: 30_000 },
}

/** Forks read through the client that the gateway reads with: what nodes take is learned once. */
export function askThrough(client: Pick<ChainClient, 'askEach'>): AskUpstream {
  return async (calls, purpose, whom) => {
    const answers = await client.askEach(calls, purpose, whom)
    if (answers === 'over_budget') return answers
    return answers.map((answer) => answer && toOutcome(answer))
  }
}

function toOutcome(answer: RpcAnswer): RpcOutcome {
  if ('result' in answer) return { ok: true, result: answer.result }
  const { code, message, data } = answer.error
  return { ok: false, code, message, data: typeof data === 'string' ? data : undefined }
}

/** The forks that everything is tried on. */
export const startSimulator = async (
  { chains, freshness, mode, simulatordUrl, heldTimeMs }: Config,
  {
    log,
    metrics,
    store,
    clients,
    holders,
  }: Observed & {
    readonly store: Store
    readonly clients: readonly ChainClient[]
    readonly holders: Holders
  },
): Promise<Simulator> => {
  const forkMetrics = createForkMetrics(metrics)
  const simulator = await createSimulator({
    chains: chains.flatMap(({ chain, executor, rpcUrls: [upstreamUrl, ...fallbackUrls] }) =>
      upstreamUrl
        ? [
            {
              chainId: chain.chainId,
              upstreamUrl,
              fallbackUrls,
              freshness: freshnessOf[freshness],
              settings: chain.fork,
              knownTokens: seedTokens(chain.chainId).map(({ address }) => address),
              // A route that never ends is no other route's fault.
              kindOf: ({ target, data }) =>
                target.toLowerCase() === executor?.toLowerCase() ? namePools(data) : undefined,
              ask: clients.filter(({ chainId }) => chainId === chain.chainId).map(askThrough)[0],
            },
          ]
        : [],
    ),
    ...(simulatordUrl === undefined ? {} : { forks: createContainerForks({ url: simulatordUrl }) }),
    // A small node is asked for pools first. Nobody uses a lab before all of it is there.
    ...(mode === 'live' ? { startsAfter: holders.known } : {}),
    abis: knownAbis,
    slots: store.slots,
    listHolders: holders.list,
    ...(heldTimeMs === undefined ? {} : { now: () => heldTimeMs }),
    log(event) {
      forkMetrics.happened(event)
      log.info(event, 'simulator')
    },
  })
  forkMetrics.show(
    simulator,
    chains.map(({ chain }) => chain.chainId),
  )
  return simulator
}
