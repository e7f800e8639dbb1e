import { type Static, Type } from 'typebox'
import { getAddress } from 'viem'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { httpError } from '../../http/httpError.ts'
import { address, named, oneOf, withDefault } from '../../http/schemas.ts'
import type { ListedPool } from '../../routing/listPools.ts'
import type { Routing } from '../../routing/service/routing.ts'

const pool = named(
  'FollowedPool',
  Type.Object({
    id: Type.String({ description: 'For GET /api/pool: its address, or its id in one contract' }),
    dex: Type.String(),
    protocol: Type.String(),
    tokens: Type.Array(Type.Object({ address: address(), symbol: Type.Optional(Type.String()) })),
    feePips: Type.Integer(),
    swapsSeen: Type.Integer(),
    changedBlock: Type.Integer(),
    pricing: oneOf(['local', 'quoted'], { description: 'quoted: by its protocol, on the chain' }),
    tried: Type.Optional(
      oneOf(['works', 'refuses', 'unknown'], {
        description: 'What its last swap in a dry run came to; absent: there was none yet',
      }),
    ),
  }),
)

function fromListed({ record, tokens, isQuoted, verdict }: ListedPool): Static<typeof pool> {
  return {
    id: record.id,
    dex: record.dex,
    protocol: record.protocol,
    tokens: tokens.map(({ address: token, symbol }) => ({
      address: getAddress(token),
      ...(symbol !== undefined && { symbol }),
    })),
    feePips: record.feePips,
    swapsSeen: record.swapsSeen,
    changedBlock: Number(record.changedBlock),
    pricing: isQuoted ? 'quoted' : 'local',
    ...(verdict !== undefined && { tried: verdict }),
  }
}

/** What operators see of the pools. */
export function poolEndpoints(routing: () => Pick<Routing, 'pools'>): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/ops/pools',
      summary: 'The followed pools of a chain, and those left out',
      query: Type.Object({
        chainId: Type.Integer(),
        search: withDefault(
          Type.String({
            default: '',
            maxLength: 200,
            description: 'Words: symbols, exchanges, addresses; a pool has all of them',
          }),
        ),
        limit: withDefault(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
      }),
      output: named(
        'PoolList',
        Type.Object({
          block: Type.Integer(),
          total: Type.Integer({ description: 'Followed' }),
          found: Type.Integer({ description: 'With all words; pools has the busiest of them' }),
          pools: Type.Array(pool),
          leftOut: Type.Array(
            Type.Object({ dex: Type.String(), pool: Type.String(), reason: Type.String() }),
          ),
        }),
      ),
      auth: 'none',
      examples: {
        query: { chainId: 8453, search: 'weth usdc' },
        output: { block: 38_512_044, total: 4_711, found: 0, pools: [], leftOut: [] },
      },
      handle: async ({ query: { chainId, search, limit } }) => {
        const listed = routing().pools(chainId, { search, limit })
        if (!listed) throw httpError('unavailable', `no pools of chain ${chainId} are loaded`)
        const { block, total, found, leftOut } = listed
        return {
          block: Number(block),
          total,
          found,
          pools: listed.pools.map(fromListed),
          leftOut: leftOut.map(({ dex, pool: id, reason }) => ({ dex, pool: id, reason })),
        }
      },
    }),
  ]
}
