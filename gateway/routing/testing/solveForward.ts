import { createMarket } from '../engine/market.ts'
import { at } from '../engine/pieces.ts'
import { frameBetween } from '../engine/searchFrame.ts'
import { solveFlow } from '../engine/solveFlow.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'

type Own = {
  readonly maxWork?: number
  /** Logs of the prices to begin at; 0 where none is told. */
  readonly logs?: Readonly<Record<string, number>>
  readonly gasPrice?: number
  /** Ids of those that it goes through; all where none are told. */
  readonly through?: readonly string[]
}

/** The best flow from a to d through the forward edges of pools. */
export function solveForward(
  pools: readonly EnginePool[],
  amountIn: number,
  { maxWork, logs = {}, gasPrice = 0, through }: Own = {},
) {
  const market = createMarket(pools)
  const numberOf = (token: string) => market.tokenIndex.get(token) ?? -1
  const idOf = (edge: number) => at(market.pools, market.edgePool[edge] as number)?.id ?? ''
  const edges = [...market.edgeFrom.keys()].filter(
    (edge) =>
      (market.edgeI[edge] as number) < (market.edgeJ[edge] as number) &&
      (through?.includes(idOf(edge)) ?? true),
  )
  const [tokenIn, tokenOut] = [numberOf('a'), numberOf('d')]
  const effort = { spent: 0 }
  const problem = { tokenIn, tokenOut, amountIn, edges, effort, maxWork }
  const start = new Float64Array(market.tokens.length)
  for (const [token, log] of Object.entries(logs)) start[numberOf(token)] = log
  const flow = solveFlow(market, problem, start)
  const byId = (amounts: Float64Array) =>
    new Map(edges.map((edge, k) => [idOf(edge), amounts[k] as number]))
  const logOf = (token: string) => flow.logPrices[numberOf(token)] as number
  return {
    market,
    flow,
    frame: frameBetween(market, { tokenIn, tokenOut, maxHops: 4, gasPrice }, effort),
    effort,
    idOf,
    taken: byId(flow.inputs),
    given: byId(flow.outputs),
    logOf,
    priceOf: (token: string) => Math.exp(logOf(token)),
  }
}

/** What a pool of equal reserves gives for an amount, without a fee. */
export const evenOutput = (depth: number, amount: number): number =>
  (depth * amount) / (depth + amount)
