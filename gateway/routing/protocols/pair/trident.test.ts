import { assert, suite } from '../../../../fixtures/test.ts'
import { createTridentPool, type TridentState } from './trident.ts'

const s = suite('trident')
const [x, y] = [3_000_000n * 10n ** 6n, 6_000_000n * 10n ** 18n]
const units = [10n ** 6n, 10n ** 18n]

/** A pool whose shares are worth `worth` each, in a box that holds as much of others. */
function open(worth: bigint, own: Partial<TridentState> = {}) {
  const shares = [x, y]
  const bases = shares.map((each) => 2n * each)
  const elastics = bases.map((base) => base * worth)
  const state = {
    id: 'p',
    tokens: ['a', 'b'],
    stable: false,
    feeBps: 30n,
    units,
    reserves: shares,
    shares,
    elastics,
    bases,
    liquid: elastics,
  }
  return createTridentPool({ ...state, ...own })
}
const paidBy = (reserveIn: bigint, reserveOut: bigint, given: bigint) =>
  (reserveOut * given * 9_970n) / (reserveIn * 10_000n + given * 9_970n)

for (const worth of [1n, 2n])
  s(`gives by its shares, each worth ${worth}, one swap after the other [teeth/trident]`, () => {
    const [first, second] = [10n ** 10n, 4n * 10n ** 10n]
    const out = paidBy(x, y, first)
    const swap = open(worth).swap(0, 1, first * worth)
    assert.equal([swap?.amountIn, swap?.amountOut], [first * worth, out * worth])
    const again = swap?.next.swap(0, 1, second * worth)
    assert.is(again?.amountOut, paidBy(x + first, y - out, second) * worth)
    const back = swap?.next.swap(1, 0, 10n ** 18n * worth)
    assert.is(back?.amountOut, paidBy(y - out, x + first, 10n ** 18n) * worth)
  })
s('pays what lies in the box, and no more [teeth/trident]', () => {
  const out = paidBy(x, y, 10n ** 10n)
  const pay = (liquid: bigint) =>
    open(1n, { liquid: [x, liquid] }).swap(0, 1, 10n ** 10n)?.amountOut
  assert.equal([pay(out), pay(out - 1n)], [out, undefined])
})
s('takes no reserve above 112 bits, and no trade of nothing [teeth/trident]', () => {
  const most = (1n << 112n) - 1n
  const full = (room: bigint) => {
    const reserves = [most - room, y]
    const boxes = { shares: reserves, bases: reserves, elastics: reserves, liquid: reserves }
    return open(1n, { reserves, ...boxes }).swap(0, 1, 10n ** 22n)?.amountOut
  }
  assert.equal([full(10n ** 22n) !== undefined, full(10n ** 22n - 1n)], [true, undefined])
  assert.equal([open(1n).swap(0, 1, 0n), open(1n).swap(0, 0, 5n)], [undefined, undefined])
})
s('keeps a thousand shares in the box, or none [teeth/trident]', () => {
  const small = (given: bigint) => {
    const state = {
      reserves: [10n, y],
      shares: [10n, y],
      bases: [990n, y],
      elastics: [990n, y],
      liquid: [990n, y],
    }
    return open(1n, state).swap(0, 1, given) !== undefined
  }
  assert.equal([small(9n), small(10n)], [false, true])
})
/** A stable pool, alone in its box, of tokens with as many decimals as its maths has. */
const trillion = 10n ** 12n
function openStable(reserves: readonly bigint[], own: Partial<TridentState> = {}) {
  const alone = { shares: reserves, bases: reserves, elastics: reserves, liquid: reserves }
  return open(1n, { stable: true, units: [trillion, trillion], reserves, ...alone, ...own })
}
/** The most that may leave without x3y + y3x getting less, by nothing but comparing. */
function mostOut([x, y]: readonly [bigint, bigint], given: bigint): bigint {
  const worth = (one: bigint, other: bigint) => one * other * (one * one + other * other)
  let [low, high] = [0n, y]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (worth(x + given, y - middle) >= worth(x, y)) low = middle
    else high = middle
  }
  return low
}
s('keeps x3y + y3x but for a unit or two of twelve decimals [teeth/trident]', () => {
  const million = 1_000_000n * trillion
  for (const held of [
    [3n * million, 3n * million],
    [million, 5n * million],
    [4n * million, million],
  ] as const)
    for (const given of [trillion, 1_234n * trillion + 567n, million, 20n * million])
      for (const feeBps of [0n, 30n]) {
        const out = openStable(held, { feeBps }).swap(0, 1, given)?.amountOut ?? 0n
        const off = out - mostOut(held, given - (given * feeBps) / 10_000n)
        assert.ok(off <= 2n && off >= -2n, `${held} ${given}: ${off} off`)
      }
  assert.equal([open(1n).gas, openStable([million, million]).gas], [200_000, 230_000])
})
s('pays amounts with shares rounded up, and counts what is left [teeth/trident]', () => {
  const [base0, base1] = [2_000_003n * trillion, 3_000_001n * trillion]
  const rich = [(base0 * 3n) / 2n + 1n, (base1 * 5n) / 3n + 2n] as const
  const own = 1_000_000n * trillion
  type Side = { readonly share: bigint; readonly base: bigint; readonly elastic: bigint }
  const openBox = (sides: readonly Side[]) => {
    const elastics = sides.map(({ elastic }) => elastic)
    return openStable(
      sides.map(({ share, base, elastic }) => (share * elastic) / base),
      {
        shares: sides.map(({ share }) => share),
        bases: sides.map(({ base }) => base),
        elastics,
        liquid: elastics,
      },
    )
  }
  const given = 1_000n * trillion + 1n
  for (const [elastic0, elastic1] of [rich, [base0, base1]] as const) {
    const swap = openBox([
      { share: own, base: base0, elastic: elastic0 },
      { share: own, base: base1, elastic: elastic1 },
    ]).swap(0, 1, given)
    const out = swap?.amountOut ?? 0n
    const [paid, taken] = [(given * base0) / elastic0, (out * base1 + elastic1 - 1n) / elastic1]
    const after = openBox([
      { share: own + paid, base: base0 + paid, elastic: elastic0 + given },
      { share: own - taken, base: base1 - taken, elastic: elastic1 - out },
    ])
    // For so much, all but a trace of what the pool has comes out.
    const most = 10n ** 9n * trillion
    for (const [i, j] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const expected = after.swap(i, j, most)?.amountOut
      assert.ok(expected)
      assert.is(swap?.next.swap(i, j, most)?.amountOut, expected)
    }
  }
})
/** Reserves, what is paid, and what comes out as the contract's loop rounds. */
const rounded = [
  [14_996_352_294n, 75_993_510_946n, 12_725_582_685n, 17_358_615_760n],
  [22_486_243_497n, 19_731_949_451n, 21_873_318_636n, 15_229_096_556n],
  [11_156_010_013n, 69_809_417_962n, 57_256_764_778n, 58_004_861_827n],
  // A step of one is the last, and one of two is not.
  [673_472_008_030n, 469_470_136_121n, 204_114_370_031n, 184_301_268_273n],
  [1_094_451_575_678n, 257_098_901_847n, 67_045_073_557n, 37_934_516_023n],
  // Between two amounts to and fro, until it ends.
  [5_814_894_830n, 6_320_812_466n, 1_797_104_062n, 1_782_906_733n],
  [45_654_740_284n, 44_298_863_441n, 19_735_630_789n, 18_872_067_018n],
] as const
s('is rounded as the loop of the contract, which ends after 255 turns [teeth/trident]', () => {
  for (const [x, y, given, out] of rounded)
    assert.is(
      openStable([x, y], { feeBps: 0n }).swap(0, 1, given)?.amountOut,
      out,
      `${x} ${y} ${given}`,
    )
})
s('is rounded as the contracts are, in the next swap too, there and back', () => {
  const [mega, wad] = [10n ** 6n, 10n ** 18n]
  /** Whose box holds nothing else, but for the second; what is paid, then, and back. */
  const cases = [
    {
      own: { stable: true, feeBps: 0n, units: [mega, wad] },
      shares: [8380n, 1784591263204328n],
      amountIn: 42n,
      paid: [23567791000000n, 23354254000000n, undefined],
    },
    {
      own: { bases: [85255225496568808n, 147872727n], elastics: [89463043359507432n, 147893335n] },
      shares: [84679960479925224n, 1497n],
      amountIn: 355773862117376n,
      paid: [5n, 5n, 89215159687914316n],
    },
    {
      own: { feeBps: 30n },
      shares: [1015n, 1004n],
      amountIn: 3n,
      paid: [2n, 2n, 3n],
    },
    {
      own: { stable: true, feeBps: 0n, units: [trillion, trillion] },
      shares: [1350252557n, 12824483750888n],
      amountIn: 1396n,
      paid: [4419851n, 4419859n, undefined],
    },
    {
      own: { feeBps: 0n },
      shares: [1001n, 21278n],
      amountIn: 1n,
      paid: [21n, 21n, undefined],
    },
  ]
  for (const { own, shares, amountIn, paid } of cases) {
    const { elastics = shares } = own
    const alone = { reserves: shares, shares, bases: shares, elastics, liquid: elastics }
    const first = open(1n, { ...alone, ...own }).swap(0, 1, amountIn)
    const then = [first?.next.swap(0, 1, amountIn), first?.next.swap(1, 0, amountIn)]
    assert.equal([first?.amountOut, ...then.map((swap) => swap?.amountOut)], paid, `${shares}`)
  }
})
s('leaves a thousand shares of what it pays in the box [teeth/trident]', () => {
  const left = (reserve: bigint, given: bigint) => {
    const held = [10n ** 6n, reserve]
    const box = { reserves: held, shares: held, bases: held, elastics: held, liquid: held }
    return open(1n, box).swap(0, 1, given)?.amountOut
  }
  assert.equal([left(2_000n, 1_003_010n), left(2_000n, 1_006_000n)], [1_000n, undefined])
  assert.is(left(2n, 10n ** 7n), undefined)
})
s('pays out of what was paid in, and for a single unit [teeth/trident]', () => {
  const there = open(1n, { liquid: [0n, y] }).swap(0, 1, 10n ** 10n)
  assert.ok(there?.next.swap(1, 0, 10n ** 15n))
  const dear = { reserves: [1_000n, y], shares: [1_000n, y], bases: [1_000n, y] }
  const box = { ...dear, elastics: [1_000n, y], liquid: [1_000n, y] }
  assert.is(open(1n, box).swap(0, 1, 1n)?.amountOut, paidBy(1_000n, y, 1n))
})
s('counts shares one for one while the box is empty, and only then [teeth/trident]', () => {
  const boxOf = (shares: bigint, elastic: bigint) => {
    const reserves = [shares, y]
    const elastics = [elastic, y]
    return open(1n, { reserves, shares: reserves, bases: reserves, elastics, liquid: elastics })
  }
  assert.is(boxOf(2_000n, 1n).swap(0, 1, 5n)?.amountOut, paidBy(2_000n, y, 10_000n))
  assert.is(boxOf(0n, 0n).swap(0, 1, 1_000n)?.amountOut, y)
  assert.is(boxOf(0n, 0n).curve(0, 1), undefined)
})
s('is looked at up to four times what it holds [teeth/trident]', () => {
  for (const worth of [1n, 2n])
    assert.is(open(worth).curve(0, 1)?.x.at(-1), Number(4n * x * worth), ``)
})
s.run()
