import { assert, suite } from '../../fixtures/test.ts'
import { createRouteCache, type RouteFacts } from './routeCache.ts'

const s = suite('routing/routeCache')
const route = { amountIn: 1n, amountOut: 1n, gas: 0, steps: [] }
const facts: RouteFacts = {
  routePath: '',
  gasEstimate: 0n,
  priceImpactBps: 0,
  marketImpactBps: undefined,
  steps: [],
  hops: [],
  impactsBps: [],
  encodedSteps: '',
}

s('does not grow with what is measured while a route stands [strangers/facts]', () => {
  const cache = createRouteCache()
  let computed = 0
  const ask = (measured: number) => {
    for (const ends of ['false false', 'false true', 'true false', 'true true'])
      cache.facts(route, `${ends} ${measured}`, () => {
        computed += 1
        return facts
      })
  }
  for (let measured = 0; measured < 100; measured++) for (let n = 0; n < 3; n++) ask(measured)
  assert.is(computed, 400, 'each is computed once')
  ask(0)
  assert.is(computed, 404, 'the first ones are forgotten')
})

s.run()
