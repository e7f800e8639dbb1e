import type { Address } from 'viem'
import type { Simulator } from '../../../simulator/simulator.ts'
import type { SeedToken, TokenFeed } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import type { Coordination } from '../../store/coordination.ts'
import type { Feeds } from '../../store/feeds.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolLimits } from '../sync/bounds/standing.ts'
import type { ChainSyncParameters } from '../sync/chainSync.ts'
import type { SyncEvent } from '../sync/syncEvent.ts'
import type { TrustedParts } from '../trust/trust.ts'
import type { ServiceFacts } from '../wire/registryRoutes.ts'

export type RoutingChainConfig = {
  readonly chainClient: ChainClient
  /** The SwapExecutor; quotes of a chain without one carry no payload. */
  readonly executor: Address | undefined
  /** Default: the DEXes known of the chain. */
  readonly dexes?: readonly Dex[] | undefined
  /** Tokens whose pools are looked for at start. Default: those of the registry. */
  readonly seeds?: readonly SeedToken[] | undefined
  /** Between two looks at the head. Default: a quarter of the block time, 100 to 500 ms. */
  readonly pollMs?: number | undefined
  /** Its blocks come by themselves: each is looked for when it is due, and so often where it is late only. */
  readonly isPaced?: boolean | undefined
  /** A quote asks for the head itself when it was confirmed longer ago. Lab chains: 0. Default: 500. */
  readonly maxAgeMs?: number | undefined
  /** Default: the Chainlink feeds known of the chain. */
  readonly feeds?: readonly TokenFeed[] | undefined
  /** How far the market may grow. Default: as far as it likes. */
  readonly limits?: PoolLimits | undefined
  /** Rate providers, hooks and oracles that are believed, beside those of the chain's row. */
  readonly trusted?: TrustedParts | undefined
  /** Default: nothing is quoted before all is loaded. */
  readonly loadsFirst?: ChainSyncParameters['loadsFirst']
  readonly refreshMs?: ChainSyncParameters['refreshMs']
  /** Where the chain is a fork: what it was forked from, for the first load. */
  readonly origin?: ChainSyncParameters['origin']
}

export type RoutingDeps = ServiceFacts & {
  readonly chains: readonly RoutingChainConfig[]
  readonly simulator: Simulator | undefined
  /** Where synced pools are kept between runs. */
  readonly snapshots?: PoolSnapshots | undefined
  /** For gateways that share a database: one of them is elected to read a chain for all. */
  readonly shared?: { readonly feeds: Feeds; readonly coordination: Coordination } | undefined
  /** Beyond this lag health is degraded and quotes are not executable. */
  readonly maxLagMs?: number | undefined
  /** Threads that search beside the one that serves. Default: none. */
  readonly searchThreads?: number | undefined
  /** How long a quote waits for strangers' pools to be tried where it has another route. Default: 250. */
  readonly patienceMs?: number | undefined
  readonly observe?: ((event: SyncEvent) => void) | undefined
  /** After this the start goes on without the chains that are still being loaded. Default: never. */
  readonly startWithinMs?: number | undefined
  /** Monotonic, in milliseconds. */
  readonly now?: (() => number) | undefined
}
