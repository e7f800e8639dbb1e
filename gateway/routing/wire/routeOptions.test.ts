import { assert, suite } from '../../../fixtures/test.ts'
import { findWrongOption, type RouteOptionsBody, toRouteOptions } from './routeOptions.ts'

const s = suite('wire/routeOptions')
const dexes = ['uniswap-v2', 'uniswap-v3']
const fieldOf = (body: RouteOptionsBody) => findWrongOption(body, { dexes, clockSecs: 100n })?.field
const none = {
  includeDexes: undefined,
  excludeDexes: undefined,
  excludePools: undefined,
  maxHops: undefined,
  maxSteps: undefined,
  singlePath: undefined,
  gasPriceWei: undefined,
}

s('a question without options is the same as ever, whatever its deadline [teeth/options]', () => {
  assert.equal(toRouteOptions({}), {})
  assert.equal(toRouteOptions({ deadline: 7 }), { deadlineSecs: 7n })
})
s('a list is one of a body, or a text of a query [teeth/options]', () => {
  const options = { ...none, includeDexes: dexes, excludePools: ['0xab', '0xcd'] }
  assert.equal(toRouteOptions({ include_dexes: dexes, exclude_pools: ['0xAB', '0xCD'] }), {
    options,
  })
  assert.equal(
    toRouteOptions({ include_dexes: 'uniswap-v2,uniswap-v3', exclude_pools: '0xAB,0xCD' }),
    { options },
  )
  for (const [body, said] of [
    [{ gas_price_wei: '0' }, { gasPriceWei: 0n }],
    [{ max_hops: 1 }, { maxHops: 1 }],
    [{ max_steps: 1 }, { maxSteps: 1 }],
    [{ single_path: false }, { singlePath: false }],
    [{ exclude_dexes: 'uniswap-v2' }, { excludeDexes: ['uniswap-v2'] }],
  ] as const)
    assert.equal(toRouteOptions(body), { options: { ...none, ...said } })
})
s('bounds are met: a million gwei, and a second from now [teeth/options]', () => {
  assert.is(fieldOf({}), undefined)
  assert.is(fieldOf({ gas_price_wei: `1${'0'.repeat(15)}` }), undefined)
  assert.is(fieldOf({ gas_price_wei: `1${'0'.repeat(14)}1` }), 'gas_price_wei')
  assert.is(fieldOf({ deadline: 101 }), undefined)
  assert.is(fieldOf({ deadline: 100 }), 'deadline')
})
s('of a list it says which, of a text only that it is there [teeth/options]', () => {
  const pool = `0x${'ab'.repeat(20)}`
  assert.is(fieldOf({ include_dexes: ['uniswap-v2', 'sushi'] }), 'include_dexes[1]')
  assert.is(fieldOf({ exclude_dexes: ['sushi', 'uniswap-v2'] }), 'exclude_dexes[0]')
  assert.is(fieldOf({ include_dexes: 'sushi,uniswap-v2' }), 'include_dexes')
  assert.is(fieldOf({ exclude_pools: [pool, '0x12'] }), 'exclude_pools[1]')
  assert.is(fieldOf({ exclude_pools: ['0x12', pool] }), 'exclude_pools[0]')
  assert.is(fieldOf({ exclude_pools: `${pool},0x12` }), 'exclude_pools')
  assert.is(fieldOf({ exclude_pools: pool }), undefined)
})
s.run()
