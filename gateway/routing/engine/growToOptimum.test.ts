import { ask, pair, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { evenPool as even } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { evenOutput as out, solveForward } from '../testing/solveForward.ts'
import { growToOptimum } from './growToOptimum.ts'
import { createMarket } from './market.ts'

const s = suite('growToOptimum')

/** The pool, selling only from the earlier to the later token of an order. */
function oneWay(pool: EnginePool, order: string): EnginePool {
  const [first = '', second = ''] = pool.tokens
  const forward = order.indexOf(first) < order.indexOf(second) ? 0 : 1
  return {
    ...pool,
    curve: (i, j) => (i === forward ? pool.curve(i, j) : undefined),
    swap: (i, j, amountIn) => (i === forward ? pool.swap(i, j, amountIn) : undefined),
  }
}

/** Output of the best route along any one order of the tokens between a and d: there no cycle can close. */
function bestOfOrders(pools: readonly EnginePool[], amountIn: bigint): bigint {
  const outputs = ['bce', 'bec', 'cbe', 'ceb', 'ebc', 'ecb'].map((middle) => {
    const market = createMarket(pools.map((pool) => oneWay(pool, `a${middle}d`)))
    return ask(market, { amountIn })?.amountOut ?? 0n
  })
  return outputs.sort((one, other) => (one < other ? 1 : -1))[0] ?? 0n
}

/** Markets in which the chains that pay most at first run against those of the best route. */
const turning = [
  [131, 19n],
  [237, 18n],
  [497, 20n],
  [573, 18n],
  [614, 19n],
] as const

for (const [seed, digits] of turning)
  s(`turns the flow round where it began the wrong way (market ${seed})`, () => {
    const pools = randomMarket(seed, 14, 'abced')
    const amountIn = 10n ** digits
    const route = ask(createMarket(pools), { amountIn })
    const best = bestOfOrders(pools, amountIn)
    assert.ok(route && route.amountOut >= best - best / 1_000_000n)
  })

s('misses the best order of tokens rarely, and then by little', () => {
  let asked = 0
  let missed = 0
  for (let seed = 1; seed <= 120; seed++) {
    const pools = randomMarket(seed, 14, 'abced')
    const best = bestOfOrders(pools, 10n ** 19n)
    if (best === 0n) continue
    const output = ask(createMarket(pools), { amountIn: 10n ** 19n })?.amountOut ?? 0n
    asked++
    if (output < best - best / 100_000n) missed++
    assert.ok(output >= best - best / 5_000n, `seed ${seed}: ${output} of ${best}`)
  }
  assert.ok(asked > 100)
  assert.ok(missed <= 2, `${missed} of ${asked}`)
})

/** What a few steps of many that would pay are known to bring, in whole units. */
const fewOfMany = [
  [60, 4, 21, 37_112],
  [60, 4, 25, 38_236],
  [60, 6, 20, 29_287],
] as const

s('chooses a few steps among all that pay [20/growth]', () => {
  for (const [pools, maxSteps, seed, known] of fewOfMany) {
    const market = createMarket(randomMarket(seed, pools))
    const route = ask(market, { amountIn: 10n ** 23n, maxSteps })
    const output = route?.amountOut ?? 0n
    assert.ok(output >= BigInt(known) * 10n ** 18n, `market ${seed}: ${output}`)
    assert.ok(route && route.steps.length <= maxSteps)
  }
})

s('takes no more gas than a transaction may [20/gas-limit]', () => {
  const pools = Array.from({ length: 60 }, (_, k) => ({
    ...pair(`p${k}`, 'a/d', [1_000, 1_000 + k]),
    gas: 400_000,
  }))
  const route = ask(createMarket(pools), { amountIn: 10n ** 22n, maxSteps: 96 })
  assert.is(route?.steps.length, 37)
  assert.is(route?.gas, 14_800_000)
})

type Own = { readonly maxSteps?: number; readonly isGrownUp?: () => boolean }
/** What grows of the best flow through some pools, as a search of 100,000 would have it. */
function grow(
  pools: readonly EnginePool[],
  through: readonly string[],
  { maxSteps = 16, isGrownUp = () => false }: Own = {},
) {
  const { market, flow: first, frame, idOf } = solveForward(pools, 1e5, { through })
  const chainHops = frame.maxHops - 1
  const search = { market, frame, chainHops, amountIn: 100_000n, maxSteps, isGrownUp }
  const steps = growToOptimum(search, first)
  for (;;) {
    const step = steps.next()
    if (!step.done) continue
    const { flow, early } = step.value
    return { first, flow, early, ids: flow.edges.map(idOf).sort() }
  }
}

s('adds all that pays, sixteen chains at a time, and keeps an early flow to choose from', () => {
  const name = (k: number) => `p${String(k).padStart(2, '0')}`
  const pools = Array.from({ length: 40 }, (_, k) => even(name(k), 'a/d', { depth: 1e6 + k }))
  for (const [maxSteps, early] of [
    [8, 17],
    [9, 33],
    [16, 33],
    [17, undefined],
  ] as const) {
    const grown = grow(pools, [name(5)], { maxSteps })
    assert.is(grown.flow.edges.length, 40)
    assert.is(grown.early?.edges.length, early, `${maxSteps}`)
    near(grown.flow.value, out(4e7 + 780, 1e5), 1e-9)
  }
})

s('leaves a flow as it is where nothing pays, or where the work is spent', () => {
  const pools = [even('ad', 'a/d'), even('more', 'a/d'), even('poor', 'a/d', { rate: 0.5 })]
  assert.equal(grow(pools, ['ad']).ids, ['ad', 'more'])
  assert.is(grow(pools, ['ad', 'more']).early, undefined)
  const spent = grow(pools, ['ad'], { isGrownUp: () => true })
  assert.is(spent.flow, spent.first)
  let rounds = 0
  const onlyOne = () => {
    rounds += 1
    return rounds > 1
  }
  assert.equal(grow(pools, ['ad'], { isGrownUp: onlyOne }).ids, ['ad', 'more'])
})

s('finds a way around where the best chain would close a circle', () => {
  // e sells best for b, from which c came; for d it sells as well.
  const pools = [
    even('ab', 'a/b', { depth: 1e8 }),
    even('bc', 'b/c', { depth: 1e8 }),
    even('cd', 'c/d', { depth: 1e5 }),
    even('ce', 'c/e', { depth: 1e8 }),
    even('eb', 'e/b', { depth: 1e9, rate: 5 }),
    even('ed', 'e/d', { depth: 1e6 }),
  ]
  const { ids, first, flow } = grow(pools, ['ab', 'bc', 'cd'])
  assert.equal(ids, ['ab', 'bc', 'cd', 'ce', 'ed'])
  assert.ok(flow.value > 1.5 * first.value)
})

s('looks once with each probe where nothing pays, down to marginal prices', () => {
  let rounds = 0
  const isGrownUp = () => {
    rounds += 1
    return false
  }
  grow([even('ad', 'a/d'), even('poor', 'a/d', { rate: 0.5 })], ['ad'], { isGrownUp })
  assert.is(rounds, 5)
  // Half of a thousandth of the output is half of what these hold: a probe of it finds no way.
  const dust = ['a/b', 'b/d'].map((tokens) => even(tokens, tokens, { depth: 100 }))
  assert.equal(grow([even('ad', 'a/d'), ...dust], ['ad']).ids, ['a/b', 'ad', 'b/d'])
})

s('stops growing past four hundred edges', () => {
  const pools = Array.from({ length: 450 }, (_, k) => even(`p${k}`, 'a/d'))
  const size = (first: number) =>
    grow(
      pools,
      pools.slice(0, first).map(({ id }) => id),
    ).ids.length
  assert.equal([size(1), size(16)], [401, 416])
})

const deep = 1_000_000_000
/** A swap's gas is a hundredth of a token at this price, a basis point of what is asked. */
const dear = { amountIn: 10n ** 20n, gasPriceWei: 125n * 10n ** 9n }

s(
  'finds what pays for nearly all that goes by, beside what pays for a little [20/replaced]',
  () => {
    // Each step may go through two pools for three times a swap's gas; and from there, for dust, to better prices.
    const steps = ['a/e', 'e/f', 'f/d'].flatMap((ends) => {
      const [from, to] = ends.split('/')
      return [
        pair(ends, ends, [deep, deep], 3_000),
        pair(`in ${ends}`, `${from}/x${ends}`, [deep, deep], 0),
        pair(`out ${ends}`, `x${ends}/${to}`, [deep, 0.9973 * deep], 0),
        pair(`dust ${ends}`, `x${ends}/y${ends}`, [1, 1], 0),
        pair(`end ${ends}`, `y${ends}/${to}`, [deep, deep], 0),
      ]
    })
    const route = ask(createMarket(steps), dear)
    const ids = route?.steps.map(({ poolId }) => poolId.split(' ')[0])
    assert.equal(ids, ['in', 'out', 'in', 'out', 'in', 'out'])
  },
)
s(
  'leaves it to pruning whether pools that share a way pay for its gas together [20/shared-gas]',
  () => {
    // Alone either earns 1.9 times a swap's gas, and takes two.
    const around = [
      pair('in', 'a/x', [deep, deep], 0),
      pair('one', 'x/d', [8_444, 8_444], 0),
      pair('two', 'x/d', [8_444, 8_444], 0),
    ]
    const idsOf = (pools: readonly EnginePool[]) =>
      ask(createMarket([pair('direct', 'a/d', [deep, deep], 3_000), ...pools]), dear)
        ?.steps.map(({ poolId }) => poolId)
        .sort()
    assert.equal(idsOf(around), ['direct', 'in', 'one', 'two'])
    assert.equal(idsOf(around.slice(0, 2)), ['direct'])
  },
)

s.run()
