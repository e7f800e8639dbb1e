import { orRefused } from './checkedUint.ts'
import type { EnginePool } from './enginePool.ts'
import { fitCurve } from './fittedCurve.ts'

/** Tokens by their index in the pool; a raw amount. */
export type FittedTrade = { readonly i: number; readonly j: number; readonly amountIn: bigint }

/** What differs between families whose curve is fitted to exact trades. */
export type FittedFamily<state, outcome extends { readonly amountOut: bigint }> = {
  /** Gas of one hop through the executor. */
  gas(state: state): number
  /** An input of token i that buys most of a balanced pool, or the greatest that the contract takes. */
  most(state: state, i: number): bigint
  /** Throws a RangeError where the contract reverts; 0 for dust. */
  trade(state: state, trade: FittedTrade): outcome
  /** The state that a trade leaves behind. */
  settle(state: state, done: FittedTrade & { readonly outcome: outcome }): state
}

/** Beyond four times the balance nothing is left to buy of a balanced pool. */
export const curveDepth = 4n

/** What the contract pays, 0 for dust; undefined where it reverts. */
export function fittedAmountOut<state, outcome extends { readonly amountOut: bigint }>(
  family: FittedFamily<state, outcome>,
  { state, trade }: { readonly state: state; readonly trade: FittedTrade },
): bigint | undefined {
  return orRefused(() => family.trade(state, trade).amountOut)
}

/** A pool as the engine sees it: exact swaps, and a curve through some of them. */
export function createFittedPool<
  state extends Pick<EnginePool, 'id' | 'tokens'>,
  outcome extends { readonly amountOut: bigint },
>(family: FittedFamily<state, outcome>, state: state): EnginePool {
  return {
    id: state.id,
    tokens: state.tokens,
    gas: family.gas(state),
    curve: (i, j) =>
      fitCurve({
        most: family.most(state, i),
        amountOut: (amountIn) => fittedAmountOut(family, { state, trade: { i, j, amountIn } }),
      }),
    swap(i, j, amountIn) {
      const outcome = orRefused(() => family.trade(state, { i, j, amountIn }))
      if (!outcome || outcome.amountOut <= 0n) return undefined
      const next = createFittedPool(family, family.settle(state, { i, j, amountIn, outcome }))
      return { amountIn, amountOut: outcome.amountOut, next }
    },
  }
}
