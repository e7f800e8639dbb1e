import { balancerV3StableAmountOut } from '../../routing/protocols/balancer/balancerV3Stable.ts'
import { balancerV3WeightedAmountOut } from '../../routing/protocols/balancer/balancerV3Weighted.ts'
import { type GoldenFamily, priceExecuted } from './goldenFamily.ts'
import { type Fields, integer, integers } from './readVectors.ts'

function readVault(state: Fields) {
  const paysYieldFees = state['paysYieldFees']
  if (!Array.isArray(paysYieldFees)) throw new Error('paysYieldFees is not a list')
  return {
    id: 'pool',
    tokens: paysYieldFees.map((_, index) => `token${index}`),
    balancesRaw: integers(state, 'balancesRaw'),
    scalingFactors: integers(state, 'scalingFactors'),
    rates: integers(state, 'rates'),
    lastBalancesLiveScaled18: integers(state, 'lastBalancesLiveScaled18'),
    paysYieldFees: paysYieldFees.map((pays) => pays === true),
    swapFeePercentage: integer(state, 'swapFeePercentage'),
    aggregateSwapFeePercentage: integer(state, 'aggregateSwapFeePercentage'),
    aggregateYieldFeePercentage: integer(state, 'aggregateYieldFeePercentage'),
  }
}

export const balancerV3Weighted: GoldenFamily = {
  protocol: 'Balancer v3 weighted',
  openCase(state) {
    const hasMinimum = state['poolVersion'] === 'weighted-v2'
    const pool = {
      ...readVault(state),
      weights: integers(state, 'weights'),
      minBalances: hasMinimum ? integers(state, 'minBalances') : undefined,
    }
    return (row) => priceExecuted(row, (trade) => balancerV3WeightedAmountOut(pool, trade))
  },
}

export const balancerV3Stable: GoldenFamily = {
  protocol: 'Balancer v3 stable',
  openCase(state) {
    const limitsImbalance = state['poolVersion'] === 'stable-v3'
    const pool = { ...readVault(state), amp: integer(state, 'amp'), limitsImbalance }
    return (row) => priceExecuted(row, (trade) => balancerV3StableAmountOut(pool, trade))
  },
}
