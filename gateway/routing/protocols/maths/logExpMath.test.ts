import { assert, suite } from '../../../../fixtures/test.ts'
import { near } from '../../testing/near.ts'
import { orRefused } from './checkedUint.ts'
import { one18 } from './fixedPoint18.ts'
import { powUpPlain } from './logExpMath.ts'

/** Powers as the contract has them, to the last digit of 18. */
const s = suite('powers to the last digit')
const [two, half, cent] = [2n * one18, one18 / 2n, one18 / 100n]
const isRefused = (x: bigint, y: bigint) => orRefused(() => powUpPlain(x, y)) === undefined
const withMargin = (raw: bigint) => raw + (raw * 10_000n + one18 - 1n) / one18 + 1n
const ln2 = 693_147_180_559_945_309n
/** The least exponent by which a power of two is one of e. */
const asPowerOfTwo = (exponent: bigint) => (exponent * one18 + ln2 - 1n) / ln2

s('are those of e by their known digits', () => {
  for (const [exponent, digits] of [
    [64n * one18, 6_235_149_080_811_616_882_910_000_000n * one18],
    [32n * one18, 78_962_960_182_680_695_161_000_000_000_000n],
    [16n * one18, 8_886_110_520_507_872_636_760_000n],
    [8n * one18, 2_980_957_987_041_728_274_740n],
    [4n * one18, 54_598_150_033_144_239_078n],
    [two, 7_389_056_098_930_650_227n],
    [one18, 2_718_281_828_459_045_235n],
    [half, 1_648_721_270_700_128_146n],
    [half / 2n, 1_284_025_416_687_741_484n],
  ] as const)
    assert.is(powUpPlain(two, asPowerOfTwo(exponent)), withMargin(digits), `${exponent}`)
})
s('end at e to the power of -41, and not before', () => {
  const least = asPowerOfTwo(41n * one18)
  assert.equal([isRefused(half, least), isRefused(half, least + 2n)], [false, true])
})
s('have exponents below 2 ** 254 without decimals, and bases of 255 bits', () => {
  const end = 2n ** 254n / 10n ** 20n
  assert.is(powUpPlain(one18, end - 1n), withMargin(one18))
  assert.ok(isRefused(one18, end))
  assert.ok(!isRefused((1n << 255n) - 1n, cent))
  assert.ok(isRefused(1n << 255n, cent))
})
s('have a base of any size', () => {
  // Beyond e ** 128, which is taken off first.
  near(Number(powUpPlain(10n ** 57n * one18, cent)) / 1e18, 10 ** 0.57, 1e-13)
  for (const base of [
    6_235_149_080_811_616_882_910_000_000n * one18,
    78_962_960_182_680_695_161_000_000_000_000n,
  ])
    assert.is(powUpPlain(base, one18), withMargin(base))
})
s('keep every digit that the contract computes', () => {
  for (const [x, y, power] of [
    [21311223740823041239678976n, 824507367189118976n, 1102786923360764995611216n],
    [
      88374674602656619310336877183107072n,
      2113226380035489792n,
      647779217081631867947459902004212364033906286342311432n,
    ],
    [
      8326205273400147968n,
      48859005006710308864n,
      937842993775542836090704033798172635363404213434138639960274740n,
    ],
    // Around nine tenths and eleven tenths, which have the shorter logarithm themselves.
    [900000242949989990n, 863051803325890560n, 913080391660163025n],
    [900000000000000000n, 4709831218051416064n, 608821446355833807n],
    [900000000000030921n, 4800269983626035200n, 603047736263963543n],
    [1100000000000000000n, 50n * one18, 117390852879696484285n],
  ] as const)
    assert.is(powUpPlain(x, y), power, `${x} ${y}`)
})
s.run()
