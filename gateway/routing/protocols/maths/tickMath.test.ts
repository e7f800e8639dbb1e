import { assert, suite } from '../../../../fixtures/test.ts'
import {
  maxSqrtRatioX96,
  maxTick,
  minSqrtRatioX96,
  minTick,
  sqrtRatioAtTick,
  tickAtSqrtRatio,
} from './tickMath.ts'

const s = suite('tick maths')

/** 1.0001 ** tick with 200 bits, by squaring a whole number: no constant of the contract's. */
function powerX200(tick: number): bigint {
  const one = 1n << 200n
  let [result, square] = [one, (one * 10_001n) / 10_000n]
  for (let rest = Math.abs(tick); rest > 0; rest >>= 1) {
    if (rest & 1) result = (result * square) >> 200n
    square = (square * square) >> 200n
  }
  return tick < 0 ? one ** 2n / result : result
}

s(
  'takes the square root of 1.0001 to the power of each tick, rounded up [teeth/tick-maths]',
  () => {
    const bits = Array.from({ length: 20 }, (_, k) => 2 ** k).filter((tick) => tick <= maxTick)
    for (const tick of [0, ...bits, ...bits.map((bit) => bit - 1), 123_456, 700_001, maxTick])
      for (const signed of [tick, -tick]) {
        const ratio = sqrtRatioAtTick(signed)
        // ratio ** 2 / 2 ** 192 is the price; 128 bits of its inverse lose some of a great one.
        const price = powerX200(signed)
        const square = (ratio * ratio) << 8n
        const off = square > price ? square - price : price - square
        const wei = (square * 2n) / ratio
        assert.ok(off <= 3n * wei + ((price * 40n * ratio) >> 224n), `tick ${signed}: ${ratio}`)
      }
    assert.equal([sqrtRatioAtTick(0), sqrtRatioAtTick(0)], [1n << 96n, 1n << 96n])
  },
)
s('ends at the ratios that the contract names [teeth/tick-maths]', () => {
  assert.equal(
    [sqrtRatioAtTick(minTick), sqrtRatioAtTick(maxTick)],
    [minSqrtRatioX96, maxSqrtRatioX96],
  )
  assert.equal([minTick, maxTick], [-887_272, 887_272])
  // By the contract's own tests: TickMath.spec.ts of v3-core.
  assert.equal([50, 100, 250, 500_000, -50, -500_000].map(sqrtRatioAtTick), [
    79426470787362580746886972461n,
    79625275426524748796330556128n,
    80224679980005306637834519095n,
    5697689776495288729098254600827762987878n,
    79030349367926598376800521322n,
    1101692437043807371n,
  ])
})
s('finds the greatest tick whose ratio is no more, to the wei [teeth/tick-maths]', () => {
  const ticks = [minTick, -887_271, -500_001, -23_028, -1, 0, 1, 2, 23_027, 500_000, maxTick - 1]
  for (const tick of ticks) {
    const [ratio, next] = [sqrtRatioAtTick(tick), sqrtRatioAtTick(tick + 1)]
    assert.ok(next > ratio)
    assert.equal([tickAtSqrtRatio(ratio), tickAtSqrtRatio(next - 1n)], [tick, tick], `${tick}`)
    if (tick > minTick) assert.is(tickAtSqrtRatio(ratio - 1n), tick - 1)
  }
  assert.equal(
    [0n, 5n, maxSqrtRatioX96].map((more) => tickAtSqrtRatio(maxSqrtRatioX96 + more)),
    [maxTick, maxTick, maxTick],
  )
  assert.is(tickAtSqrtRatio(minSqrtRatioX96 - 5n), minTick, 'there are none outside')
})
s.run()
