import { curvePlainAmountOut } from '../../routing/protocols/curve/curvePlain.ts'
import { curveStableNgAmountOut } from '../../routing/protocols/curve/curveStableNg.ts'
import { type GoldenFamily, priceExecuted } from './goldenFamily.ts'
import { type Fields, integer, integers } from './readVectors.ts'

function readPool(state: Fields) {
  return {
    id: 'pool',
    tokens: integers(state, 'balances').map((_, index) => `token${index}`),
    balances: integers(state, 'balances'),
    rates: integers(state, 'rates'),
    aPrecise: integer(state, 'aPrecise'),
    fee: integer(state, 'fee'),
    // The admin's share leaves the pool after the swap: no row shows it.
    adminFee: 0n,
  }
}

export const curveStableNg: GoldenFamily = {
  protocol: 'Curve StableSwapNG',
  openCase(state) {
    const offpegFeeMultiplier = integer(state, 'offpegFeeMultiplier')
    const pool = { ...readPool(state), offpegFeeMultiplier }
    return (row) => priceExecuted(row, (trade) => curveStableNgAmountOut(pool, trade))
  },
}

export const curvePlain: GoldenFamily = {
  protocol: 'Curve StableSwap factory plain pools',
  openCase(state) {
    const pool = readPool(state)
    return (row) => priceExecuted(row, (trade) => curvePlainAmountOut(pool, trade))
  },
}
