import { type Static, Type } from 'typebox'
import { named, oneOf, uint256 } from '../../http/schemas.ts'
import type { HeadAge } from '../headAge.ts'
import type { ChainStatus } from '../registry.ts'
import type { DexCoverage } from '../sync/coverage.ts'
import { toLag } from './registry.ts'

export const statusResponse = named(
  'Status',
  Type.Object({
    status: oneOf(['ok', 'degraded', 'error']),
    chains: Type.Array(
      named(
        'ChainStatus',
        Type.Object({
          chain_id: Type.Integer(),
          status: oneOf(['ok', 'degraded', 'down']),
          last_sync_block: Type.Integer(),
          last_sync_hash: Type.Optional(Type.String()),
          last_sync_timestamp: Type.Integer({ description: "Seconds, of the block's clock" }),
          sync_lag_ms: Type.Integer({
            description: 'Since the state was last known to be the head',
          }),
          head_age_secs: Type.Optional(
            Type.Integer({
              description: 'How old that block is, by its clock and ours; absent before the first',
            }),
          ),
          stands_still: Type.Optional(
            oneOf(['gateway', 'node', 'chain', 'chain_or_node'], {
              description:
                'Where it is over a minute old: this gateway where all RPC URLs know more, a node where another URL does, the chain where none does, and chain or node where there is one URL alone or one does not tell',
            }),
          ),
          pool_count: Type.Integer(),
          token_count: Type.Integer(),
          gas_price_wei: uint256(),
          simulator_ready: Type.Boolean(),
          load_secs_left: Type.Optional(
            Type.Integer({
              description:
                'Until all pools are loaded, at the pace so far; absent where none are being loaded, exchanges are still looked at, or nothing says yet how fast',
            }),
          ),
          coverage: Type.Optional(
            Type.Array(
              named(
                'DexCoverage',
                Type.Object({
                  dex: Type.String(),
                  known: Type.Integer({
                    description: 'What is neither loaded nor refused is still to be read',
                  }),
                  searched: Type.Boolean({
                    description:
                      'Whether its pools have been looked for; before, more may become known',
                  }),
                  loaded: Type.Integer(),
                  refused: Type.Array(
                    Type.Object({ reason: Type.String(), pools: Type.Integer() }),
                    {
                      description: 'Why pools are not loaded, the most frequent reason first',
                    },
                  ),
                  left_out: Type.Optional(
                    Type.String({ description: 'Why the DEX is not what its row says' }),
                  ),
                }),
              ),
              {
                description:
                  "Each DEX' pools; of another gateway that reads the chain as it told in the last seconds, absent until it does",
              },
            ),
          ),
        }),
      ),
    ),
  }),
)

export function fromStatus(
  status: 'ok' | 'degraded' | 'error',
  statuses: readonly ChainStatus[],
): Static<typeof statusResponse> {
  return {
    status,
    chains: statuses.map(({ chain, state, lagMs, headAge, health, simulatorReady }) => ({
      chain_id: chain.chainId,
      status: health,
      last_sync_block: Number(state?.head.number ?? 0n),
      ...(state && { last_sync_hash: state.head.hash }),
      last_sync_timestamp: Number(state?.head.timestampSecs ?? 0n),
      sync_lag_ms: toLag(lagMs),
      ...fromHeadAge(headAge),
      pool_count: state?.pools.size ?? 0,
      token_count: chain.sync.tokens().size,
      gas_price_wei: chain.gasPriceWei().toString(),
      simulator_ready: simulatorReady,
      ...fromLoadLeft(chain.sync.loadLeftMs()),
      ...fromCoverage(chain.sync.coverage()),
    })),
  }
}

const fromHeadAge = (head: HeadAge | undefined) =>
  head && {
    head_age_secs: Math.floor(head.ageMs / 1_000),
    ...(head.standsStill && { stands_still: head.standsStill }),
  }

const fromLoadLeft = (leftMs: number | undefined) =>
  leftMs === undefined ? {} : { load_secs_left: Math.ceil(leftMs / 1_000) }

function fromCoverage(coverage: readonly DexCoverage[] | undefined) {
  if (!coverage) return {}
  return {
    coverage: coverage.map(({ dex, known, isSearched, loaded, refused, leftOut }) => ({
      dex,
      known,
      searched: isSearched,
      loaded,
      refused: [...refused]
        .map(([reason, pools]) => ({ reason, pools }))
        .sort((one, other) => other.pools - one.pools),
      ...(leftOut !== undefined && { left_out: leftOut }),
    })),
  }
}
