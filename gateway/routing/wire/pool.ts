import { type Static, Type } from 'typebox'
import { getAddress, zeroAddress } from 'viem'
import { address, chainId, named, oneOf, uint256 } from '../../http/schemas.ts'
import { kindOf } from '../countPools.ts'
import type { Grade } from '../gradePool.ts'
import { binPriceX128 } from '../protocols/book/liquidityBook.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'

export const poolParams = (chainIds: readonly number[]) =>
  Type.Object({
    chain_id: chainId(chainIds),
    address: Type.Unsafe<string>({
      type: 'string',
      format: 'pool',
      description: 'Address, or the id of a pool within one contract',
    }),
  })

export const poolResponse = named(
  'Pool',
  Type.Object({
    chain_id: Type.Integer(),
    address: address(),
    dex: Type.String(),
    protocol: Type.String(),
    token0: address(),
    token1: address(),
    tokens: Type.Array(address()),
    fee_pips: Type.Integer(),
    changed_block: Type.Integer(),
    swaps_seen: Type.Integer(),
    reserve0: Type.Optional(uint256()),
    reserve1: Type.Optional(uint256()),
    balances: Type.Optional(Type.Array(uint256())),
    stable: Type.Optional(Type.Boolean()),
    tick_spacing: Type.Optional(Type.Integer()),
    sqrt_price_x96: Type.Optional(uint256()),
    tick: Type.Optional(Type.Integer()),
    liquidity: Type.Optional(uint256()),
    ticks: Type.Optional(
      Type.Array(
        named(
          'PoolTick',
          Type.Object({
            index: Type.Integer(),
            liquidity_gross: uint256(),
            liquidity_net: Type.String(),
          }),
        ),
      ),
    ),
    bin_step_bps: Type.Optional(Type.Integer()),
    active_id: Type.Optional(Type.Integer({ description: 'The bin that holds the price' })),
    bins: Type.Optional(
      Type.Array(
        named(
          'PoolBin',
          Type.Object({
            id: Type.Integer(),
            reserve0: uint256(),
            reserve1: uint256(),
            liquidity: uint256({ description: "Both in token1, at the bin's price" }),
          }),
        ),
      ),
    ),
    last_sync_block: Type.Integer(),
    found_in: Type.Array(oneOf(['v2', 'v3', 'v4', 'other']), {
      description: 'What kind of pool it is; the member of that name says its state once more',
    }),
    grade: Type.Optional(
      oneOf(['A', 'B', 'C', 'D', 'E', 'F'], {
        description: "As pool_grades, for a sale of one native coin's worth in its worse direction",
      }),
    ),
    v2: Type.Optional(
      Type.Object({
        token0: address(),
        token1: address(),
        reserve0: uint256(),
        reserve1: uint256(),
        dex: Type.String(),
      }),
    ),
    v3: Type.Optional(
      Type.Object(
        {
          token0: address(),
          token1: address(),
          fee: Type.Integer({ description: 'Pips' }),
          liquidity: uint256(),
          tick: Type.Integer(),
          tick_count: Type.Integer(),
        },
        { description: 'Of pools with ticks, those of v4 too' },
      ),
    ),
  }),
)

export function fromPool(
  pool: PoolRecord,
  {
    chainId: chain,
    block,
    grade,
  }: { readonly chainId: number; readonly block: bigint; readonly grade: Grade | undefined },
): Static<typeof poolResponse> {
  const token0 = getAddress(pool.tokens[0] ?? zeroAddress)
  const token1 = getAddress(pool.tokens[1] ?? zeroAddress)
  return {
    chain_id: chain,
    address: pool.address,
    found_in: [kindOf(pool)],
    ...(grade && { grade }),
    dex: pool.dex,
    protocol: pool.protocol,
    token0,
    token1,
    tokens: pool.tokens.map((token) => getAddress(token)),
    fee_pips: pool.feePips,
    changed_block: Number(pool.changedBlock),
    swaps_seen: pool.swapsSeen,
    last_sync_block: Number(block),
    ...('stable' in pool && { stable: pool.stable }),
    ...('reserve0' in pool && {
      reserve0: pool.reserve0.toString(),
      reserve1: pool.reserve1.toString(),
      v2: {
        token0,
        token1,
        reserve0: pool.reserve0.toString(),
        reserve1: pool.reserve1.toString(),
        dex: pool.dex,
      },
    }),
    ...('balances' in pool && { balances: pool.balances.map(String) }),
    ...('bins' in pool && {
      bin_step_bps: pool.binStepBps,
      active_id: pool.activeId,
      bins: pool.bins.map(({ id, reserveX, reserveY }) => ({
        id,
        reserve0: reserveX.toString(),
        reserve1: reserveY.toString(),
        liquidity: (((reserveX * binPriceX128(id, pool.binStepBps)) >> 128n) + reserveY).toString(),
      })),
    }),
    ...('sqrtPriceX96' in pool && {
      tick_spacing: pool.tickSpacing,
      sqrt_price_x96: pool.sqrtPriceX96.toString(),
      tick: pool.tick,
      liquidity: pool.liquidity.toString(),
      v3: {
        token0,
        token1,
        fee: pool.feePips,
        liquidity: pool.liquidity.toString(),
        tick: pool.tick,
        tick_count: pool.ticks.length,
      },
      ticks: pool.ticks.map(({ index, gross, net }) => ({
        index,
        liquidity_gross: gross.toString(),
        liquidity_net: net.toString(),
      })),
    }),
  }
}
