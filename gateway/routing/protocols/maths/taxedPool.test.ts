import { assert, suite } from '../../../../fixtures/test.ts'
import type { Curve } from './curve.ts'
import type { EnginePool } from './enginePool.ts'
import { afterTax, beforeTax, createTaxedPool } from './taxedPool.ts'

const s = suite('taxed pools')
const curve: Curve = {
  count: 1,
  x: Float64Array.of(0, 1_000),
  y: Float64Array.of(0, 500),
  a: Float64Array.of(1),
  b: Float64Array.of(0.001),
  over: undefined as never,
} as never
/** Gives half of what it is given, and takes 1,000 at most. */
const plain: EnginePool = {
  id: 'p',
  tokens: ['a', 'b'],
  gas: 7,
  curve: () => curve,
  swap: (_i, _j, offered) => {
    const amountIn = offered > 1_000n ? 1_000n : offered
    return offered === 0n ? undefined : { amountIn, amountOut: amountIn / 2n, next: plain }
  },
} as EnginePool
const tax = (taxesBps: readonly number[], takesTaxedInput = true) =>
  createTaxedPool(plain, { taxesBps, takesTaxedInput })

s(
  'takes off a tax, rounded down, and finds the least of which an amount arrives [teeth/taxed]',
  () => {
    assert.equal(
      [afterTax(10_000n, 300), afterTax(33n, 300), afterTax(34n, 300)],
      [9_700n, 33n, 33n],
    )
    for (const taxBps of [1, 3, 300, 3_333, 9_999])
      for (const amount of [1n, 7n, 97n, 9_999n, 10_000n, 10n ** 18n + 1n]) {
        const gross = beforeTax(amount, taxBps)
        assert.ok(afterTax(gross, taxBps) >= amount, `${amount} at ${taxBps}`)
        assert.ok(afterTax(gross - 1n, taxBps) < amount, `${amount} at ${taxBps}`)
      }
    // Of what is taxed by nothing or by all there is nothing to add.
    assert.equal([beforeTax(5n, 0), beforeTax(5n, -1), beforeTax(5n, 10_000)], [5n, 5n, 5n])
  },
)
s('takes the tax on the way in and on the way out of a pool [teeth/taxed]', () => {
  const swap = (taxesBps: readonly number[], amountIn: bigint) => {
    const { amountIn: taken, amountOut } = tax(taxesBps).swap(0, 1, amountIn) ?? {}
    return [taken, amountOut]
  }
  assert.equal(swap([0, 0], 100n), [100n, 50n])
  assert.equal(swap([1_000, 0], 100n), [100n, 45n])
  assert.equal(swap([0, 1_000], 100n), [100n, 45n])
  // A pool that takes less than arrives says what it took.
  assert.equal(swap([1_000, 0], 2_000n), [1_000n, 500n])
  assert.is(tax([0, 0]).swap(0, 1, 0n), undefined)
  const next = tax([1_000, 0]).swap(0, 1, 100n)?.next
  assert.is(next?.swap(0, 1, 100n)?.amountOut, 45n)
})
s(
  'has a curve of the same taxes, and none where the pool takes no taxed input [teeth/taxed]',
  () => {
    const { x, y, a, b } = tax([5_000, 2_000]).curve(0, 1) ?? curve
    assert.equal([x[1], y[1], a[0], b[0]], [2_000, 400, 0.4, 0.0005])
    const closed = tax([1, 0], false)
    assert.equal([closed.curve(0, 1), closed.swap(0, 1, 5n)], [undefined, undefined])
    assert.is(closed.curve(1, 0)?.count, 1)
    assert.is(closed.swap(1, 0, 10_000n)?.amountIn, 1_000n)
    assert.equal([closed.id, closed.tokens, closed.gas], ['p', ['a', 'b'], 7])
    // What no tax is known of has none.
    const free = tax([]).curve(0, 1)
    assert.equal([free?.x[1], free?.y[1], free?.a[0]], [1_000, 500, 1])
  },
)
s.run()
