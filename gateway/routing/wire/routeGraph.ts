import { type Static, Type } from 'typebox'
import { address, named, uint256 } from '../../http/schemas.ts'
import type { TokenInfo } from '../reads/readTokens.ts'
import type { QuoteStep } from '../routeCache.ts'

export const routeGraph = named(
  'RouteGraph',
  Type.Object(
    {
      nodes: Type.Array(
        named(
          'RouteNode',
          Type.Object({
            token: address(),
            symbol: Type.Optional(Type.String()),
            decimals: Type.Optional(Type.Integer()),
            received: uint256({ description: 'Raw amount that arrives; 0 where the route begins' }),
            spent: uint256({ description: 'Raw amount that goes on; 0 where the route ends' }),
          }),
        ),
        { description: 'One per token, in the order the route reaches them' },
      ),
      edges: Type.Array(
        named(
          'RouteEdge',
          Type.Object({
            from: Type.Integer({ description: 'Index of a node' }),
            to: Type.Integer({ description: 'Index of a node' }),
            step: Type.Integer({ description: 'Index of the step in steps' }),
            amount_in: uint256(),
            amount_out: uint256(),
            share_bps: Type.Integer({ description: "Part of the route's input" }),
          }),
        ),
        { description: 'One per step' },
      ),
    },
    { description: 'Tokens and the swaps between them. Without nodes for a wrap' },
  ),
)

/** A route as a graph: what the steps say, by token. */
export function toRouteGraph(
  steps: readonly QuoteStep[],
  tokens: ReadonlyMap<string, TokenInfo>,
): Static<typeof routeGraph> {
  const nodes = [...new Set(steps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))]
  const sum = (own: readonly QuoteStep[], key: 'amountIn' | 'amountOut') =>
    own.reduce((total, step) => total + step[key], 0n).toString()
  return {
    nodes: nodes.map((token) => {
      const info = tokens.get(token.toLowerCase())
      const bought = steps.filter(({ tokenOut }) => tokenOut === token)
      const sold = steps.filter(({ tokenIn }) => tokenIn === token)
      return {
        token,
        ...(info && { symbol: info.symbol, decimals: info.decimals }),
        received: sum(bought, 'amountOut'),
        spent: sum(sold, 'amountIn'),
      }
    }),
    edges: steps.map((step, index) => ({
      from: nodes.indexOf(step.tokenIn),
      to: nodes.indexOf(step.tokenOut),
      step: index,
      amount_in: step.amountIn.toString(),
      amount_out: step.amountOut.toString(),
      share_bps: step.shareBps,
    })),
  }
}
