import type { Curve } from './curve.ts'

/** What a swap does: `amountIn` is what the pool took, at most what was offered. */
export type PoolSwap = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly next: EnginePool
}

/**
 * A pool as the engine sees it, whatever its family. Tokens are lower-case addresses, `i` and `j`
 * indexes into `tokens`.
 */
export type EnginePool = {
  readonly id: string
  readonly tokens: readonly string[]
  /** Gas of one swap through the pool. */
  readonly gas: number
  /** Float64 picture of `swap` for the search; undefined where the pool sells nothing this way. */
  readonly curve: (i: number, j: number) => Curve | undefined
  /** Exact, equal to the contract to the wei; undefined where the contract reverts. */
  readonly swap: (i: number, j: number, amountIn: bigint) => PoolSwap | undefined
}

/** The pool while it sells nothing. */
export const closed = (pool: EnginePool): EnginePool => ({
  ...pool,
  curve: () => undefined,
  swap: () => undefined,
})
