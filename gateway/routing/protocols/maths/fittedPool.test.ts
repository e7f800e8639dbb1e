import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { createRatedPool, type RatedFamily, ratedAmountOut } from '../wrapped/ratedPool.ts'
import { curveOutput } from './curve.ts'
import { closed } from './enginePool.ts'
import { createFittedPool, curveDepth, type FittedFamily, fittedAmountOut } from './fittedPool.ts'

const s = suite('pools of a family')
type State = { readonly id: string; readonly tokens: readonly string[]; readonly held: bigint }
const state: State = { id: 'p', tokens: ['a', 'b'], held: 1_000_000n }
const trade = ({ held }: State, amountIn: bigint) => {
  if (amountIn < 0n) throw new TypeError('a fault of ours')
  if (amountIn > 4n * held) throw new RangeError('the contract reverts')
  return { amountOut: amountIn / 2n }
}
/** Pays half, of up to four times what it holds. */
const fitted: FittedFamily<State, { readonly amountOut: bigint }> = {
  gas: ({ held }) => Number(held / 10n),
  most: ({ held }) => held * curveDepth,
  trade: (own, { amountIn }) => trade(own, amountIn),
  settle: (own, { amountIn, outcome }) => ({
    ...own,
    held: own.held + amountIn - outcome.amountOut,
  }),
}
const rated: RatedFamily<State> = {
  gas: 77,
  price: () => 0.5,
  most: ({ held }) => held,
  trade: (own, { amountIn }) => ({
    ...trade(own, amountIn),
    next: { ...own, held: own.held - amountIn / 2n },
  }),
}

for (const [name, pool, gas] of [
  ['fitted', createFittedPool(fitted, state), 100_000],
  ['rated', createRatedPool(rated, state), 77],
] as const) {
  s(`${name}: swaps as its family says, one after the other [teeth/family-pools]`, () => {
    assert.equal([pool.id, pool.tokens, pool.gas], ['p', ['a', 'b'], gas])
    const swap = pool.swap(0, 1, 501n)
    assert.equal([swap?.amountIn, swap?.amountOut], [501n, 250n])
    // What it holds now decides what it takes next.
    const change = name === 'fitted' ? 251n : -250n
    const most = 4n * (state.held + change)
    assert.equal(
      [swap?.next.swap(0, 1, most)?.amountOut, swap?.next.swap(0, 1, most + 1n)],
      [most / 2n, undefined],
    )
  })
  s(`${name}: refuses dust and what reverts, and hides no fault [teeth/family-pools]`, () => {
    assert.equal([pool.swap(0, 1, 1n), pool.swap(0, 1, 4_000_001n)], [undefined, undefined])
    assert.ok(pool.swap(0, 1, 2n))
    assert.throws(() => pool.swap(0, 1, -1n), /a fault of ours/)
  })
  s(`${name}: sells nothing while it is closed [teeth/family-pools]`, () => {
    const shut = closed(pool)
    assert.equal([shut.curve(0, 1), shut.swap(0, 1, 500n)], [undefined, undefined])
    assert.equal([shut.id, shut.tokens, shut.gas], [pool.id, pool.tokens, pool.gas])
  })
}

s('an amount that pays nothing is 0, and one that reverts is none [teeth/family-pools]', () => {
  const asked = (amountIn: bigint) => ({ state, trade: { i: 0, j: 1, amountIn } })
  for (const tell of [
    (amount: bigint) => fittedAmountOut(fitted, asked(amount)),
    (amount: bigint) => ratedAmountOut(rated, asked(amount)),
  ])
    assert.equal([tell(1n), tell(500n), tell(4_000_001n)], [0n, 250n, undefined])
})
s('a fitted curve goes through trades up to where they end [teeth/family-pools]', () => {
  const curve = createFittedPool(fitted, state).curve(0, 1)
  if (!curve) throw new Error('there is no curve')
  for (const amount of [1e4, 1e6, 3e6]) near(curveOutput(curve, amount), amount / 2, 1e-3)
  near(curve.x[curve.count], 4e6, 1e-9)
})
s('a rated line ends a hair before all that there is [teeth/family-pools]', () => {
  const pool = createRatedPool(rated, state)
  const curve = pool.curve(0, 1)
  if (!curve) throw new Error('there is no curve')
  const end = curve.x[curve.count] ?? 0
  assert.ok(end < 2e6 && end > 2e6 * (1 - 1e-11), `${end}`)
  near(curveOutput(curve, 1e6), 5e5, 1e-7)
  assert.equal(
    [pool.curve(0, 0), pool.curve(0, 2), pool.curve(2, 0)],
    [undefined, undefined, undefined],
  )
})
s.run()
