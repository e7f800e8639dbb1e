import type { GenerationStatus } from '../../simulator/generations.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { type HeadAge, readHeadAge } from './headAge.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'
import type { LeftOutPool } from './sync/troubledPools.ts'

/** An ERC-8004 identity: its number in a registry named `eip155:<chain id>:<address>`. */
export type AgentRegistration = { readonly agentId: number; readonly agentRegistry: string }

export type ChainStatus = {
  readonly chain: RoutingChain
  readonly state: SyncedState | undefined
  readonly lagMs: number
  /** Undefined where nothing has been read. */
  readonly headAge: HeadAge | undefined
  /** Whether quotes are answered, and whether everything they rest on is within bounds. */
  readonly health: 'ok' | 'degraded' | 'down'
  readonly simulatorReady: boolean
  readonly fork: GenerationStatus | undefined
  /** Why it is not `ok`, one sentence each; the same words as long as it lasts. */
  readonly troubles: readonly string[]
}

export type StatusDeps = {
  readonly chains: ReadonlyMap<number, RoutingChain>
  readonly simulator: Simulator | undefined
  readonly maxLagMs: number
  /** As blocks tell it. */
  readonly dateMs?: (() => number) | undefined
}

/** The condition of every chain right now. */
export function readChainStatus({
  chains,
  simulator,
  maxLagMs,
  dateMs = Date.now,
}: StatusDeps): ChainStatus[] {
  return [...chains.values()].map((chain) => {
    const state = chain.sync.current()
    const lagMs = chain.sync.lagMs()
    const fork = simulator?.status(chain.chainId)
    const simulatorReady = fork?.ready ?? false
    const { name } = chain.chainClient.chain
    const other = chain.chainClient.otherChain()
    const troubles: string[] = []
    if (other !== undefined) troubles.push(`${name}: an RPC endpoint serves chain ${other} instead`)
    if (!state) troubles.push(`${name}: its pools are not loaded`)
    else if (lagMs > maxLagMs) troubles.push(`${name}: its pools are over ${maxLagMs / 1000} s old`)
    if (simulator && !simulatorReady) troubles.push(`${name}: no simulation fork is ready`)
    return {
      chain,
      state,
      lagMs,
      headAge: state && readHeadAge(chain, { head: state.head, dateMs: dateMs() }),
      simulatorReady,
      fork,
      troubles,
      health: state ? (troubles.length === 0 ? 'ok' : 'degraded') : 'down',
    }
  })
}

/** `error` when no chain can be quoted, `degraded` when any chain is not as it should be. */
export function readHealth(deps: StatusDeps): 'ok' | 'degraded' | 'error' {
  const statuses = readChainStatus(deps)
  if (statuses.every(({ health }) => health === 'down')) return 'error'
  return statuses.every(({ health }) => health === 'ok') ? 'ok' : 'degraded'
}

/** DEXes of all chains that are not what their rows say; nothing is amiss where one may be missing. */
export function listLeftOut({
  chains,
}: StatusDeps): readonly { chainId: number; dex: string; reason: string }[] {
  return [...chains.values()].flatMap(({ chainId, sync, dexes }) =>
    sync
      .leftOut()
      .filter(({ dex }) => !dexes.some(({ name, isOptional }) => name === dex && isOptional))
      .map(({ dex, reason }) => ({ chainId, dex, reason })),
  )
}

/** Pools of all chains that are not followed, since reading them failed: the latest of each first. */
export function listLeftOutPools({
  chains,
}: Pick<StatusDeps, 'chains'>): readonly (LeftOutPool & { readonly chainId: number })[] {
  return [...chains.values()].flatMap(({ chainId, sync }) =>
    sync
      .leftOutPools()
      .slice(0, mostNamed)
      .map((pool) => ({ chainId, ...pool })),
  )
}

/** Of each chain: there is no end of pools that anybody may make. */
const mostNamed = 20
