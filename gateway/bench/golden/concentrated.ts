import { createAlgebraV19Pool } from '../../routing/protocols/concentrated/algebraV19.ts'
import type { LiquidityTick } from '../../routing/protocols/concentrated/tickRanges.ts'
import { createUniswapV3Pool } from '../../routing/protocols/concentrated/uniswapV3.ts'
import type { EnginePool } from '../../routing/protocols/maths/enginePool.ts'
import type { GoldenFamily, PricedRow } from './goldenFamily.ts'
import { type Fields, integer, integerOrRevert, table } from './readVectors.ts'

function readRanges(state: Fields) {
  const ticks = table(state, 'ticks').map(
    ([tick, net]): LiquidityTick => [Number(tick), net ?? 0n] as const,
  )
  return {
    id: 'pool',
    token0: 'token0',
    token1: 'token1',
    sqrtPriceX96: integer(state, 'sqrtPriceX96'),
    tick: Number(integer(state, 'tick')),
    liquidity: integer(state, 'liquidity'),
    ticks: ticks.toSorted(([one], [other]) => one - other),
  }
}

/** Compares what the pool took and what it gave. */
function priceRow(pool: EnginePool, row: Fields): PricedRow | undefined {
  if (row['exactIn'] !== true) return undefined
  const zeroForOne = row['zeroForOne'] === true
  const [i, j] = zeroForOne ? [0, 1] : [1, 0]
  const swap = pool.swap(i, j, integer(row, 'amountSpecifiedAbs'))
  const amountIn = integerOrRevert(row, `amount${i}`)
  const amountOut = integerOrRevert(row, `amount${j}`)
  const isRevert = amountIn === undefined || amountOut === undefined
  return {
    expected: isRevert ? undefined : `${amountIn} for ${-amountOut}`,
    actual: swap && `${swap.amountIn} for ${swap.amountOut}`,
  }
}

export const slipstream: GoldenFamily = {
  protocol: 'Aerodrome Slipstream',
  openCase(state) {
    const pool = createUniswapV3Pool({
      ...readRanges(state),
      feePips: Number(integer(state, 'fee')),
      tickSpacing: Number(integer(state, 'tickSpacing')),
    })
    return (row) => priceRow(pool, row)
  },
}

export const algebraV19: GoldenFamily = {
  protocol: 'Algebra 1.9',
  openCase(state) {
    const pool = createAlgebraV19Pool({
      ...readRanges(state),
      feeZtoPips: Number(integer(state, 'feeZto')),
      feeOtzPips: Number(integer(state, 'feeOtz')),
    })
    return (row) => priceRow(pool, row)
  },
}
