import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { HttpError } from '../../http/httpError.ts'
import { gradeWhole } from '../gradeWhole.ts'
import type { QuoteDeps } from '../quoteRequest.ts'
import {
  type AgentRegistration,
  listLeftOut,
  listLeftOutPools,
  readChainStatus,
  readHealth,
} from '../registry.ts'
import { agentRegistration, fromAgent } from './agentRegistration.ts'
import * as examples from './examples.ts'
import { fromPool, poolParams, poolResponse } from './pool.ts'
import * as registry from './registry.ts'
import { fromStatus, statusResponse } from './status.ts'

/** What a service says of itself. */
export type ServiceFacts = {
  readonly serviceName: string
  readonly version: string
  /** Base URL as callers see it, without a slash at the end. */
  readonly publicUrl: string
  /** Whether there is a contract to buy quota from. Default: there is none. */
  readonly isQuotaSold?: boolean | undefined
  /** Whether x402 payments are settled here. */
  readonly x402Support: boolean
  /** ERC-8004 identities of this service, minted by whoever runs it. Default: none. */
  readonly registrations?: readonly AgentRegistration[] | undefined
  readonly mcpUrl?: string | undefined
  /** What else is not as it should be, in sentences: health is degraded while there is any. */
  readonly warnings?: (() => readonly string[]) | undefined
}

export type RegistryDeps = QuoteDeps & ServiceFacts & { readonly startedAtMs: number }

/** What needs no key: how the service is, and what it knows. */
export function registryEndpoints(deps: RegistryDeps): readonly Endpoint[] {
  const chainIds = [...deps.chains.keys()]
  return [
    endpoint({
      method: 'get',
      path: '/health',
      summary: 'Whether the service can quote',
      output: registry.healthResponse,
      auth: 'none',
      examples: examples.health,
      handle: async () =>
        registry.fromHealth({
          status: readHealth(deps),
          warnings: deps.warnings?.() ?? [],
          version: deps.version,
          uptimeMs: deps.now() - deps.startedAtMs,
          leftOut: listLeftOut(deps),
          leftOutPools: listLeftOutPools(deps),
          statuses: readChainStatus(deps),
          rssBytes: process.memoryUsage.rss(),
        }),
    }),
    endpoint({
      method: 'get',
      path: '/api/tokens',
      summary: 'Known tokens by address',
      output: registry.tokensResponse,
      auth: 'none',
      examples: examples.tokens,
      handle: async () => registry.fromTokens(deps.chains.values()),
    }),
    endpoint({
      method: 'get',
      path: '/api/chains',
      summary: 'Chains, their DEXes and how far they are synced',
      output: registry.chainsResponse,
      auth: 'none',
      examples: examples.chains,
      handle: async () => registry.fromChains(readChainStatus(deps)),
    }),
    endpoint({
      method: 'get',
      path: '/api/status',
      summary: 'Details of the synced state of every chain',
      output: statusResponse,
      auth: 'none',
      examples: examples.status,
      handle: async () => fromStatus(readHealth(deps), readChainStatus(deps)),
    }),
    endpoint({
      method: 'get',
      path: '/api/pool/:chain_id/:address',
      summary: 'State of one pool as quotes use it',
      params: poolParams(chainIds),
      output: poolResponse,
      auth: 'none',
      errors: { 404: 'No such pool is followed' },
      handle: async ({ params }) => {
        const chain = deps.chains.get(params.chain_id)
        const state = chain?.sync.current()
        const pool = state?.pools.get(params.address.toLowerCase())
        if (!chain || !state || !pool)
          throw new HttpError(404, 'pool_not_found', 'no pool of this address is followed')
        const grade = gradeWhole(chain, { state, record: pool })
        const { chainId } = chain
        return fromPool(pool, { chainId, block: state.head.number, grade })
      },
    }),
    endpoint({
      method: 'get',
      path: '/.well-known/agent-registration.json',
      summary: 'What agents may know of this service (ERC-8004)',
      output: agentRegistration,
      auth: 'none',
      handle: async () => fromAgent({ ...deps, active: readHealth(deps) !== 'error' }),
    }),
  ]
}
