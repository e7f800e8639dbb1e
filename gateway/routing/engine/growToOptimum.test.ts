import { ask, pair, randomMarket } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
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

s.run()
