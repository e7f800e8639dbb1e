import {
  type AerodromeV2State,
  aerodromeV2AmountOut,
} from '../../routing/protocols/pair/aerodromeV2.ts'
import { type CamelotV2State, camelotV2AmountOut } from '../../routing/protocols/pair/camelotV2.ts'
import type { GoldenFamily, PricedRow } from './goldenFamily.ts'
import { type Fields, integer, integerOrRevert } from './readVectors.ts'

type Trade = { readonly zeroForOne: boolean; readonly amountIn: bigint }

function readPair(state: Fields) {
  return {
    id: 'pool',
    token0: 'token0',
    token1: 'token1',
    stable: state['stable'] === true,
    unit0: 10n ** integer(state, 'decimals0'),
    unit1: 10n ** integer(state, 'decimals1'),
    reserve0: integer(state, 'reserve0'),
    reserve1: integer(state, 'reserve1'),
  }
}

function priceRow(row: Fields, amountOut: (trade: Trade) => bigint | undefined): PricedRow {
  const trade = { zeroForOne: row['zeroForOne'] === true, amountIn: integer(row, 'amountIn') }
  return {
    expected: integerOrRevert(row, 'amountOut')?.toString(),
    actual: amountOut(trade)?.toString(),
  }
}

export const aerodromeV2: GoldenFamily = {
  protocol: 'Aerodrome v2',
  openCase(state) {
    const pool: AerodromeV2State = { ...readPair(state), feeBps: integer(state, 'feeBps') }
    return (row) => priceRow(row, (trade) => aerodromeV2AmountOut(pool, trade))
  },
}

export const camelotV2: GoldenFamily = {
  protocol: 'Camelot v2',
  openCase(state) {
    const pool: CamelotV2State = {
      ...readPair(state),
      token0FeePercent: integer(state, 'token0FeePercent'),
      token1FeePercent: integer(state, 'token1FeePercent'),
      ownerFeeShare: 0n,
    }
    return (row) => priceRow(row, (trade) => camelotV2AmountOut(pool, trade))
  },
}
