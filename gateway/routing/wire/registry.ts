import { type Static, Type } from 'typebox'
import { getAddress } from 'viem'
import { address, named, oneOf } from '../../http/schemas.ts'
import { countPools, type PoolCounts } from '../countPools.ts'
import type { ChainStatus } from '../registry.ts'
import type { RoutingChain } from '../routingChain.ts'
import { mostWaiting } from '../searchQueue.ts'
import type { AuditStatus } from '../sync/audit.ts'
import type { BoundsStatus } from '../sync/bounds/poolBounds.ts'

export const healthResponse = named(
  'Health',
  Type.Object({
    status: oneOf(['ok', 'degraded', 'error']),
    version: Type.String(),
    uptime_secs: Type.Integer(),
    forks: Type.Array(
      named(
        'SimulationFork',
        Type.Object({
          chain_id: Type.Integer(),
          ready: Type.Boolean(),
          block_number: Type.Optional(Type.Integer()),
          age_ms: Type.Integer({
            description:
              'Since that block was last known to be the head; 0 at rest, where whoever asks waits for a new one',
          }),
        }),
      ),
      { description: 'The simulation forks' },
    ),
    syncs: Type.Array(
      named(
        'ChainSync',
        Type.Object({
          chain_id: Type.Integer(),
          role: oneOf(['alone', 'leader', 'follower']),
          last_sync_block: Type.Integer(),
          sync_lag_ms: Type.Integer(),
          pools: Type.Integer(),
          tokens: Type.Integer(),
          pools_shelved: Type.Optional(
            Type.Integer({
              description: 'Below the floor or beyond the bound: known, not followed',
            }),
          ),
          pools_evicted: Type.Optional(
            Type.Integer({ description: 'Followed once; they made room' }),
          ),
          pools_healed: Type.Optional(
            Type.Integer({ description: 'Read anew in rounds, and found to be something else' }),
          ),
        }),
      ),
      {
        description:
          'Who reads each chain: this gateway, or the elected one whose pools it follows',
      },
    ),
    dexes_left_out: Type.Array(
      named(
        'DexLeftOut',
        Type.Object({ chain_id: Type.Integer(), dex: Type.String(), reason: Type.String() }),
      ),
      { description: 'Configured DEXes that are not what their rows say on that chain' },
    ),
    pools_left_out: Type.Array(
      named(
        'PoolLeftOut',
        Type.Object({
          chain_id: Type.Integer(),
          dex: Type.String(),
          pool: Type.String(),
          reason: Type.String(),
        }),
      ),
      {
        description:
          'Pools that are not quoted since reading them failed, the latest ones of each chain; they are tried again',
      },
    ),
    pools: Type.Object(
      {
        total: Type.Integer(),
        v2: Type.Integer({ description: 'Pairs with reserves' }),
        v3: Type.Integer({ description: 'Contracts with ticks' }),
        v4: Type.Integer({ description: "Pools in Uniswap v4's manager" }),
      },
      { description: 'Followed pools of all chains; the total has all other kinds, too' },
    ),
    sync: Type.Object({
      max_lag_ms: Type.Integer({ description: 'Of the chain that lags most' }),
    }),
    system: Type.Object({ rss_mb: Type.Integer({ description: 'Memory of this process' }) }),
    quotes: Type.Object(
      {
        semaphore_total: Type.Integer({ description: 'Searches that may wait' }),
        semaphore_available: Type.Integer(),
        semaphore_waiting: Type.Integer({ description: 'Searches that do' }),
      },
      { description: 'Places for searches; beyond them a request is answered 503' },
    ),
    warnings: Type.Array(Type.String(), {
      description:
        'What is not as it should be, one sentence each, the troubles of each chain first',
    }),
  }),
)

export function fromHealth({
  status,
  version,
  uptimeMs,
  leftOut,
  leftOutPools,
  warnings,
  statuses,
  rssBytes,
}: {
  readonly status: 'ok' | 'degraded' | 'error'
  readonly version: string
  readonly uptimeMs: number
  readonly leftOut: readonly { chainId: number; dex: string; reason: string }[]
  readonly leftOutPools: readonly {
    chainId: number
    dex: string
    pool: string
    reason: string
  }[]
  readonly warnings: readonly string[]
  readonly statuses: readonly ChainStatus[]
  readonly rssBytes: number
}): Static<typeof healthResponse> {
  return {
    status: status === 'ok' && warnings.length > 0 ? 'degraded' : status,
    version,
    uptime_secs: Math.floor(uptimeMs / 1000),
    forks: statuses.flatMap(fromFork),
    syncs: statuses.map(({ chain, state, lagMs }) => ({
      chain_id: chain.chainId,
      role: chain.sync.role(),
      last_sync_block: Number(state?.head.number ?? 0n),
      sync_lag_ms: toLag(lagMs),
      pools: state?.pools.size ?? 0,
      tokens: chain.sync.tokens().size,
      ...fromBounds(chain.sync.bounds()),
      ...fromAudit(chain.sync.audit()),
    })),
    dexes_left_out: leftOut.map(({ chainId: chain, dex, reason }) => ({
      chain_id: chain,
      dex,
      reason,
    })),
    pools_left_out: leftOutPools.map(({ chainId: chain, ...named }) => ({
      chain_id: chain,
      ...named,
    })),
    ...fromLoad(statuses),
    system: { rss_mb: Math.round(rssBytes / 1e6) },
    warnings: [...statuses.flatMap(({ troubles }) => troubles), ...warnings],
  }
}

/** What is followed, how far behind, and how much waits. */
function fromLoad(statuses: readonly ChainStatus[]) {
  const counts = statuses.flatMap(({ state }) => (state ? countPools(state.pools) : []))
  const sum = (kind: keyof PoolCounts) => counts.reduce((total, each) => total + each[kind], 0)
  // Chains share one queue.
  const waiting = statuses[0]?.chain.searches.waiting?.() ?? 0
  const places = mostWaiting * statuses.length
  return {
    pools: { total: sum('total'), v2: sum('v2'), v3: sum('v3'), v4: sum('v4') },
    sync: { max_lag_ms: Math.max(0, ...statuses.map(({ lagMs }) => toLag(lagMs))) },
    quotes: {
      semaphore_total: places,
      semaphore_available: places - waiting,
      semaphore_waiting: waiting,
    },
  }
}

/** Nothing where the elected gateway keeps the bounds. */
function fromBounds(bounds: BoundsStatus | undefined) {
  return bounds && { pools_shelved: bounds.shelved, pools_evicted: bounds.evicted }
}

function fromAudit(audit: AuditStatus | undefined) {
  return audit && { pools_healed: audit.healed }
}

function fromFork({ chain, fork }: ChainStatus) {
  if (!fork) return []
  const { ready, blockNumber, ageMs } = fork
  const block = blockNumber === undefined ? {} : { block_number: Number(blockNumber) }
  return [{ chain_id: chain.chainId, ready, ...block, age_ms: Math.round(ageMs) }]
}

export const tokensResponse = named(
  'Tokens',
  Type.Record(
    Type.String(),
    named(
      'Token',
      Type.Object({ chain_id: Type.Integer(), symbol: Type.String(), decimals: Type.Integer() }),
    ),
  ),
)

/** Address to token; where one address exists on two chains the second is `<chain_id>:<address>`. */
export function fromTokens(chains: Iterable<RoutingChain>): Static<typeof tokensResponse> {
  const entries: Static<typeof tokensResponse> = {}
  for (const { chainId: chain, sync } of chains)
    for (const { address: token, symbol, decimals } of sync.tokens().values()) {
      const key = getAddress(token)
      entries[key in entries ? `${chain}:${key}` : key] = { chain_id: chain, symbol, decimals }
    }
  return entries
}

export const chainsResponse = named(
  'Chains',
  Type.Array(
    named(
      'Chain',
      Type.Object({
        name: Type.String(),
        chain_id: Type.Integer(),
        dex_count: Type.Integer(),
        pool_count: Type.Integer(),
        executor: Type.Union([address(), Type.Null()]),
        last_sync_block: Type.Integer(),
        sync_lag_ms: Type.Integer(),
        tokens: Type.Array(address(), {
          description:
            'Those of /api/tokens that this gateway was given; others bear what symbol their maker chose',
        }),
        dexes: Type.Array(
          named(
            'ChainDex',
            Type.Object({
              name: Type.String(),
              protocol: Type.String(),
              pool_count: Type.Integer(),
            }),
          ),
        ),
      }),
    ),
  ),
)

export function fromChains(statuses: readonly ChainStatus[]): Static<typeof chainsResponse> {
  return statuses.map(({ chain, state, lagMs }) => {
    const pools = [...(state?.pools.values() ?? [])]
    const dexes = chain.dexes
      .map(({ name, protocol }) => ({
        name,
        protocol,
        pool_count: pools.filter(({ dex }) => dex === name).length,
      }))
      .filter(({ pool_count }) => pool_count > 0)
    return {
      name: chain.chainClient.chain.name,
      chain_id: chain.chainId,
      dex_count: dexes.length,
      pool_count: pools.length,
      executor: chain.executor ?? null,
      last_sync_block: Number(state?.head.number ?? 0n),
      sync_lag_ms: toLag(lagMs),
      tokens: chain.chainClient.chain.tokens.map(([, , token]) => token),
      dexes,
    }
  })
}

/** A chain never synced has no lag; JSON has no infinity. */
export const toLag = (lagMs: number) => Math.min(lagMs, Number.MAX_SAFE_INTEGER)
