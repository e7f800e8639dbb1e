import { liquidityBookSwapOut } from '../../routing/protocols/book/liquidityBook.ts'
import type { GoldenFamily } from './goldenFamily.ts'
import { type Fields, integer, integers, table } from './readVectors.ts'

/** Columns of `static` and `variable`, in the pair's order. */
function readPair(state: Fields) {
  const parameters = integers(state, 'static').map(Number)
  const [baseFactor = 0, filterPeriodSecs = 0, decayPeriodSecs = 0] = parameters
  const [, , , reductionFactorBps = 0, variableFeeControl = 0, protocolShareBps = 0] = parameters
  const variables = integers(state, 'variable').map(Number)
  const [volatilityAccumulator = 0, volatilityReference = 0, idReference = 0] = variables
  return {
    id: 'pool',
    tokenX: 'tokenX',
    tokenY: 'tokenY',
    binStepBps: Number(integer(state, 'binStep')),
    activeId: Number(integer(state, 'activeId')),
    bins: table(state, 'bins').map(([id, reserveX = 0n, reserveY = 0n]) => ({
      id: Number(id),
      reserveX,
      reserveY,
    })),
    baseFactor,
    filterPeriodSecs,
    decayPeriodSecs,
    reductionFactorBps,
    variableFeeControl,
    protocolShareBps,
    maxVolatilityAccumulator: parameters[6] ?? 0,
    volatilityAccumulator,
    volatilityReference,
    idReference,
    lastUpdateSecs: variables[3] ?? 0,
    nowSecs: Number(integer(state, 'quoteTimestamp')),
  }
}

export const liquidityBook: GoldenFamily = {
  protocol: 'Trader Joe Liquidity Book',
  openCase(state) {
    const pair = readPair(state)
    return (row) => {
      const trade = { swapForY: row['swapForY'] === true, amountIn: integer(row, 'amountIn') }
      const swap = liquidityBookSwapOut(pair, trade)
      return {
        expected: `${row['amountOut']}, fee ${row['fee']}, left ${row['amountInLeft']}`,
        actual: swap && `${swap.amountOut}, fee ${swap.fee}, left ${swap.amountInLeft}`,
      }
    }
  },
}
