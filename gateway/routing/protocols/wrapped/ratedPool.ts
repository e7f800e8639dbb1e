import { orRefused } from '../maths/checkedUint.ts'
import { joinCurve } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'

/** Tokens by their index in the pool; a raw amount. */
export type RatedTrade = { readonly i: number; readonly j: number; readonly amountIn: bigint }

/** What differs between pools that change tokens at a rate, whatever the amount. */
export type RatedFamily<state> = {
  /** Gas of one hop through the executor. */
  readonly gas: number
  /** Raw units of token j for one of token i. */
  price(state: state, i: number, j: number): number
  /** The greatest output of token j that a swap of token i is paid. */
  most(state: state, i: number, j: number): bigint
  /** Throws a RangeError where the contract reverts; 0 for dust. */
  trade(state: state, trade: RatedTrade): { readonly amountOut: bigint; readonly next: state }
}

/** The float64 picture ends a little before the last wei: the search must not promise more than there is. */
const withinMost = 1 - 1e-12

/** What the contract pays, 0 for dust; undefined where it reverts. */
export function ratedAmountOut<state>(
  family: RatedFamily<state>,
  { state, trade }: { readonly state: state; readonly trade: RatedTrade },
): bigint | undefined {
  return orRefused(() => family.trade(state, trade).amountOut)
}

/** A pool as the engine sees it: exact swaps, and a straight line up to the end of what there is. */
export function createRatedPool<state extends Pick<EnginePool, 'id' | 'tokens'>>(
  family: RatedFamily<state>,
  state: state,
): EnginePool {
  const { id, tokens } = state
  return {
    id,
    tokens,
    gas: family.gas,
    curve(i, j) {
      if (i === j || !tokens[i] || !tokens[j]) return undefined
      const rate = family.price(state, i, j)
      const dx = (Number(family.most(state, i, j)) / rate) * withinMost
      return joinCurve([{ dx, a: rate, b: 0 }])
    },
    swap(i, j, amountIn) {
      const outcome = orRefused(() => family.trade(state, { i, j, amountIn }))
      if (!outcome || outcome.amountOut <= 0n) return undefined
      const next = createRatedPool(family, outcome.next)
      return { amountIn, amountOut: outcome.amountOut, next }
    },
  }
}
