import type { Market } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { estimateGas } from './gasModel.ts'
import { countCrossedTicks } from './measureRoute.ts'
import type { RoutingChain } from './routingChain.ts'

/** The model's estimate is off by a tenth at most. */
const worstTenths = 11n

type Capped = Pick<RoutingChain, 'chainClient'>

/** Whether a transaction of so much gas, by the model, is mined even where the model is furthest off. */
export function isWithinCap({ chainClient }: Capped, gasEstimate: bigint): boolean {
  const { transactionGasCap } = chainClient.chain
  return transactionGasCap === undefined || gasEstimate * worstTenths <= transactionGasCap * 10n
}

/** The same for a route, with transfers at both of its ends. */
export function fitsTransaction(
  chain: Capped & Pick<RoutingChain, 'sync' | 'taxes'>,
  { market, route }: { readonly market: Market; readonly route: Route },
): boolean {
  if (chain.chainClient.chain.transactionGasCap === undefined) return true
  const pools = chain.sync.current()?.pools
  const steps = route.steps.flatMap((step) => {
    const pool = pools?.get(step.poolId)
    return pool ? [{ ...step, pool, crossedTicks: countCrossedTicks(step, pool, market) }] : []
  })
  const gas = estimateGas({
    steps,
    paidToken: steps[0]?.tokenIn,
    receivedToken: steps.at(-1)?.tokenOut,
    extraTransferGas: chain.taxes.extraTransferGas,
  })
  return isWithinCap(chain, gas)
}
