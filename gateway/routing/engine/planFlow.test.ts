import { assert, suite } from '../../../fixtures/test.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'
import { curvePool } from '../testing/curvePool.ts'
import { near } from '../testing/near.ts'
import { createMarket } from './market.ts'
import { at } from './pieces.ts'
import { planFlow } from './planFlow.ts'

const s = suite('planFlow')
/** Sells `most` at most, at nearly one rate. */
const take = (id: string, tokens: string, most = 1e9, rate = 1) =>
  curvePool(id, tokens, { pieces: [{ dx: most, a: rate, b: 1e-15 }] })

/** The plan for what each pool was to take, by the pools' ids. */
function plan(
  pools: readonly EnginePool[],
  inputs: Readonly<Record<string, number>>,
  amountIn = 1_000,
) {
  const market = createMarket(pools)
  const idOf = (edge: number) => at(market.pools, market.edgePool[edge] as number)?.id ?? ''
  const edges = Object.keys(inputs).map((id) => {
    const edge = [...market.edgeFrom.keys()].find(
      (each) =>
        idOf(each) === id && (market.edgeI[each] as number) < (market.edgeJ[each] as number),
    )
    if (edge === undefined) throw new Error(`no pool ${id}`)
    return edge
  })
  const [tokenIn, tokenOut] = ['a', 'd'].map((token) => market.tokenIndex.get(token) ?? -1) as [
    number,
    number,
  ]
  const planned = planFlow(market, {
    tokenIn,
    tokenOut,
    amountIn,
    edges,
    inputs: Object.values(inputs),
  })
  return (
    planned && {
      ...planned,
      ids: planned.plan.map(({ edge }) => idOf(edge)),
      flows: planned.plan.map(({ flow }) => flow),
    }
  )
}

s('shares what really arrives in the proportions of the flow [teeth/plan-flow]', () => {
  const pools = [take('x', 'a/d'), take('y', 'a/d'), take('z', 'a/d')]
  const planned = plan(pools, { x: 30, y: 10, z: 20 }, 600)
  // The greatest goes last: it takes the rest with all rounding.
  assert.equal(planned?.ids, ['y', 'z', 'x'])
  for (const [k, flow] of [100, 200, 300].entries()) near(planned?.flows[k], flow)
  near(planned?.output, 600)
  assert.is(planned?.unsold, 0)
})

s(
  'sells a token once all of it has arrived, and of equals the first first [teeth/plan-flow]',
  () => {
    const pools = [
      take('bd', 'b/d'),
      take('cb', 'c/b'),
      take('ac', 'a/c', 1e9, 2),
      take('ab', 'a/b'),
    ]
    const planned = plan(pools, { bd: 1, cb: 1, ab: 5, ac: 5 })
    assert.equal(planned?.ids, ['ab', 'ac', 'cb', 'bd'])
    for (const [k, flow] of [500, 500, 1_000, 1_500].entries()) near(planned?.flows[k], flow)
    near(planned?.output, 1_500)
  },
)

s('gives nothing to who takes a billionth of a token, or nothing [teeth/plan-flow]', () => {
  const pools = [take('x', 'a/d'), take('y', 'a/d'), take('z', 'a/d')]
  assert.equal(plan(pools, { x: 1, y: 1e-9, z: 0 })?.ids, ['x'])
  assert.equal(plan(pools, { x: 1, y: 2.1e-9, z: 0 })?.ids, ['y', 'x'])
})

s('fills no pool above what it takes: the others have the rest [teeth/plan-flow]', () => {
  const pools = [take('x', 'a/d'), take('small', 'a/d', 100)]
  const planned = plan(pools, { small: 500, x: 500 })
  // Who is full goes first, whatever the others take.
  assert.equal(planned?.ids, ['small', 'x'])
  near(planned?.flows[0], 100 * (1 - 1e-7))
  near(planned?.flows[1], 900, 1e-7)
  assert.is(planned?.unsold, 0)
  assert.equal(plan(pools, { x: 500, small: 500 })?.flows, planned?.flows)
})

s('tells what part of the input finds no room [teeth/plan-flow]', () => {
  const planned = plan([take('small', 'a/d', 100), take('other', 'a/d', 300)], {
    small: 1,
    other: 1,
  })
  near(planned?.unsold, 0.6, 1e-6)
  near(planned?.output, 400, 1e-6)
})

s('holds back who buys a token that finds no buyer for all of it [teeth/plan-flow]', () => {
  const pools = [take('ab', 'a/b'), take('bd', 'b/d', 100), take('ad', 'a/d')]
  const planned = plan(pools, { ab: 600, bd: 600, ad: 400 })
  const [ab = 0, , bd = 0] = planned?.flows ?? []
  assert.equal(planned?.ids, ['ab', 'ad', 'bd'])
  assert.ok(ab <= 100 && ab > 99.99, `${ab}`)
  near(bd, ab, 1e-6)
  near(planned?.output, 1_000, 1e-6)
  assert.is(planned?.unsold, 0)
})

s('plans nothing that goes round in a circle [teeth/plan-flow]', () => {
  const pools = [take('ab', 'a/b'), take('bc', 'b/c'), take('cb', 'c/b'), take('bd', 'b/d')]
  assert.is(plan(pools, { ab: 1, bc: 1, cb: 1, bd: 1 }), undefined)
  assert.ok(plan(pools, { ab: 1, bc: 0, cb: 1, bd: 1 }), 'nothing goes round there')
})
s('holds back from pool to pool, so many times, of whatever units [teeth/plan-flow]', () => {
  const chain = (middle: number, amountIn: number) => {
    const tokens = ['a', ...'efghijklmnop'.slice(0, middle), 'd']
    const links = tokens.slice(1).map((token, k) => `${tokens[k]}/${token}`)
    const pools = links.map((link, k) => take(link, link, k === middle ? amountIn / 10 : 1e9))
    return plan(pools, Object.fromEntries(links.map((link) => [link, 1])), amountIn)
  }
  for (const amountIn of [1_000, 0.1]) {
    const planned = chain(11, amountIn)
    near(planned?.unsold, 0.9, 1e-5)
    near(planned?.output, amountIn / 10, 1e-5)
    assert.is(chain(12, amountIn), undefined)
  }
})

s('sells nothing to who takes nothing, nor what nobody brings, nor what is bought', () => {
  const shut = { ...take('shut', 'a/d'), curve: () => undefined }
  const away = take('bd', 'b/d')
  const planned = plan([take('x', 'a/d'), shut, away], { shut: 500, x: 500, bd: 5 })
  assert.equal([planned?.ids, planned?.flows], [['x'], [1_000]])
  const back = plan([take('x', 'a/d'), take('dc', 'd/c')], { x: 5, dc: 5 })
  assert.equal(back?.ids, ['x'])
  near(back?.output, 1_000)
  const none = plan([shut], { shut: 5 })
  assert.equal([none?.ids, none?.unsold, none?.output], [[], 1, 0])
})
s.run()
