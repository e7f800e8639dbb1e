import { assert } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { near } from './near.ts'

type State = { readonly adminFee: bigint; readonly balances: readonly bigint[] }

/**
 * Asserts that a stable pool, of 1e24 of one coin and 2e24 of another that is worth half, keeps the admin's part of its
 * fee of 4 bps, both rounded down, and has a curve to four times what it holds.
 */
export function assertAdminPart<state extends State>(
  create: (state: state) => EnginePool,
  {
    state,
    scaledOut,
    gas,
  }: {
    readonly state: state
    /** What the invariant gives, before the fee and in units of the first coin. */
    readonly scaledOut: (amountIn: bigint) => bigint
    readonly gas: number
  },
): void {
  const [amountIn, back] = [123_456_789_012_345_678n, 10n ** 27n]
  const scaled = scaledOut(amountIn)
  const fee = (scaled * 4_000_000n) / 10n ** 10n
  const pool = create(state)
  const swap = pool.swap(0, 1, amountIn)
  assert.is(swap?.amountOut, 2n * (scaled - fee))
  const taken = 2n * (scaled - fee + (fee * state.adminFee) / 10n ** 10n)
  const after = [10n ** 24n + amountIn, 2n * 10n ** 24n - taken]
  const next = create({ ...state, balances: after })
  // For so much, all but a trace of what the pool has comes out.
  for (const [i, j] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const expected = next.swap(i, j, back)?.amountOut
    assert.ok(expected)
    assert.is(swap?.next.swap(i, j, back)?.amountOut, expected)
  }
  assert.is(pool.gas, gas)
  near(pool.curve(0, 1)?.x.at(-1), 4e24)
}
