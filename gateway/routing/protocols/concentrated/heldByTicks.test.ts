import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { sqrtRatioAtTick } from '../maths/tickMath.ts'
import { heldByTicks, toLiquidityTicks } from './heldByTicks.ts'

const s = suite('what positions hold')
const root = (tick: number) => 1.0001 ** (tick / 2)
const position = (lower: number, upper: number, liquidity: bigint) => [
  { index: lower, gross: liquidity, net: liquidity },
  { index: upper, gross: liquidity, net: -liquidity },
]
const held = (tick: number, ticks: ReturnType<typeof position>) => {
  const sqrtPriceX96 = sqrtRatioAtTick(tick)
  return [0, 1].map((i) => heldByTicks({ sqrtPriceX96, ticks }, i)) as [number, number]
}
/** Whitepaper of Uniswap v3, 6.29 and 6.30. */
const amount0 = (low: number, high: number, liquidity: number) =>
  liquidity * (1 / root(low) - 1 / root(high))
const amount1 = (low: number, high: number, liquidity: number) =>
  liquidity * (root(high) - root(low))

s(
  'is of the one token above the price, of the other below it, of both around it [teeth/held]',
  () => {
    const ticks = position(-600, 1_200, 10n ** 21n)
    const [below0, below1] = held(-900, ticks)
    near(below0, amount0(-600, 1_200, 1e21))
    assert.is(below1, 0)
    const [above0, above1] = held(1_500, ticks)
    assert.is(above0, 0)
    near(above1, amount1(-600, 1_200, 1e21))
    const [within0, within1] = held(300, ticks)
    near(within0, amount0(300, 1_200, 1e21))
    near(within1, amount1(-600, 300, 1e21))
  },
)
s('is the sum over all positions, however they lie over each other [teeth/held]', () => {
  const [one, other] = [position(-600, 1_200, 10n ** 21n), position(-60, 60, 5n * 10n ** 21n)]
  const ticks = [...one, ...other].sort((a, b) => a.index - b.index)
  const [held0, held1] = held(0, ticks)
  near(held0, amount0(0, 1_200, 1e21) + amount0(0, 60, 5e21), 1e-8)
  near(held1, amount1(-600, 0, 1e21) + amount1(-60, 0, 5e21), 1e-8)
})
s('is nothing where the ticks do not add up [teeth/held]', () => {
  assert.equal(held(0, [{ index: -60, gross: 5n, net: 5n }]), [0, 0])
  assert.equal(held(0, []), [0, 0])
})
s('makes one table of the same ticks [teeth/held]', () => {
  const ticks = position(-60, 60, 7n)
  const table = toLiquidityTicks(ticks)
  assert.equal(table, [
    [-60, 7n],
    [60, -7n],
  ])
  assert.is(toLiquidityTicks(ticks), table)
  assert.not.equal(toLiquidityTicks(position(-120, 60, 7n)), table)
})
s.run()
