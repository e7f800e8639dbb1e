import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { describeRoute } from './describeRoute.ts'
import { createMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import {
  countCrossedTicks,
  marketImpactBps,
  priceImpactBps,
  stepImpactBps,
} from './measureRoute.ts'
import { midPrice } from './midPrice.ts'
import { toEnginePool } from './protocols/families.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { findLeastInput, replayShares } from './replayShares.ts'
import { near } from './testing/near.ts'

const [a, b, c] = ['0xa', '0xb', '0xc'] as const
const whole = 1n << 64n

function makePair(id: string, overrides: Partial<PairRecord>): PairRecord {
  return {
    id,
    address: id as Address,
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    feePips: 3000,
    tokens: [a, b],
    reserve0: 1_000_000n,
    reserve1: 2_000_000n,
    changedBlock: 0n,
    swapsSeen: 0,
    isFresh: [false, false],
    ...overrides,
  }
}

const first = makePair('0x01', {})
const second = makePair('0x02', { tokens: [b, c], reserve0: 4_000_000n })
const pools = new Map([first, second].map((pool) => [pool.id, pool]))
const market = createMarket([...pools.values()].map(toEnginePool))
const base = { path: 0, shareBps: 10_000, amountIn: 0n, amountOut: 0n, share: whole }
const twoHops: Route = {
  amountIn: 0n,
  amountOut: 0n,
  gas: 0,
  steps: [
    { ...base, poolId: '0x01', tokenIn: a, tokenOut: b },
    { ...base, poolId: '0x02', tokenIn: b, tokenOut: c },
  ],
}
const ends = { tokenIn: a, tokenOut: c }

const s = suite('route measures')

s('takes the mid price of a pair in both directions', () => {
  assert.is(midPrice(first, a, b), 2)
  assert.is(midPrice(first, b, a), 0.5)
})

s('takes the mid price of a concentrated pool from its root', () => {
  const { reserve0: _, reserve1: __, ...head } = first
  const range = {
    ...head,
    protocol: 'uniswap_v3' as const,
    tickSpacing: 60,
    tick: 0,
    liquidity: 1n,
    sqrtPriceX96: 2n << 96n,
    ticks: [],
    feePips1: 3000,
  }
  assert.is(midPrice(range, a, b), 4)
  assert.is(midPrice(range, b, a), 0.25)
})

s('measures impact against the mid prices along the route, fees counted [routing/impact]', () => {
  const amountIn = 10_000n
  const replayed = replayShares(market, { ...ends, route: twoHops, amountIn })
  if (!replayed) throw new Error('the pools take it')
  const { route } = replayed
  const impact = priceImpactBps(route, { ...ends, pools, amountIn, amountOut: route.amountOut })
  const ideal = 10_000 * 2 * 0.5
  assert.is(impact, Math.round((1 - Number(route.amountOut) / ideal) * 10_000))
  assert.ok(impact > 60 && impact < 300, `${impact}`)
  const [step] = route.steps
  if (!step) throw new Error('two steps')
  assert.ok(Math.abs(stepImpactBps(step, first) - 129) < 2)
})

s('replays on pools as earlier steps left them', () => {
  const replayed = replayShares(market, { ...ends, route: twoHops, amountIn: 10_000n })
  const left = createMarket(replayed?.pools ?? [])
  const again = replayShares(left, { ...ends, route: twoHops, amountIn: 10_000n })
  assert.ok((again?.route.amountOut ?? 0n) < (replayed?.route.amountOut ?? 0n))
})

s('finds the least input to the wei: one less gives too little [routing/least-input]', () => {
  for (const target of [1n, 77n, 5_000n, 100_000n]) {
    const search = { ...ends, route: twoHops }
    const least = findLeastInput(market, { ...search, target, atMost: 1_000_000n })
    if (!least) throw new Error('reachable')
    assert.ok(least.amountOut >= target)
    const less = replayShares(market, { ...search, amountIn: least.amountIn - 1n })
    assert.ok((less?.route.amountOut ?? 0n) < target)
  }
})

s('knows when a target is out of reach', () => {
  const search = { ...ends, route: twoHops, target: 10n ** 12n, atMost: 10n ** 9n }
  assert.is(findLeastInput(market, search), undefined)
})

s('describes paths with their pools and parts [routing/route-path]', () => {
  const dexes = [{ name: 'uniswap-v2', label: 'UniV2' }] as never
  const tokens = new Map([[a, { address: a as Address, symbol: 'AAA', decimals: 18 }]])
  const names = { pools, dexes, tokens }
  assert.is(
    describeRoute({ ...names, route: twoHops, tokenIn: a, tokenOut: c }),
    'AAA>[UniV2:3000]>0xb…0xb>[UniV2:3000]>0xc…0xc',
  )
  const split: Route = {
    ...twoHops,
    steps: [0, 1].map((path) => ({
      ...base,
      poolId: '0x01',
      tokenIn: a,
      tokenOut: b,
      path,
      shareBps: path === 0 ? 2_550 : 7_450,
    })),
  }
  assert.is(
    describeRoute({ ...names, route: split, tokenIn: a, tokenOut: b }),
    '25.5% AAA>[UniV2:3000]>0xb…0xb + 74.5% AAA>[UniV2:3000]>0xb…0xb',
  )
  const wrap = { ...twoHops, steps: [] }
  const native = '0x0000000000000000000000000000000000000000'
  assert.is(
    describeRoute({ ...names, route: wrap, tokenIn: native, tokenOut: a }),
    'ETH>[wrap]>AAA',
  )
})

s(
  'counts what is lost in ten-thousandths, and nothing on a way to nowhere [teeth/measures]',
  () => {
    const [step] = twoHops.steps
    if (!step) throw new Error('two steps')
    const route = { ...twoHops, steps: [step] }
    const impact = { tokenIn: a, tokenOut: b, pools, amountIn: 10_000n }
    assert.is(priceImpactBps(route, { ...impact, amountOut: 5_000n }), 7_500)
    assert.is(priceImpactBps(route, { ...impact, amountOut: 30_000n }), 0)
    assert.is(priceImpactBps(route, { ...impact, tokenOut: c, amountOut: 0n }), 0)
  },
)
s('counts the ticks that a step crosses [teeth/measures]', () => {
  const { reserve0: _, reserve1: __, ...head } = first
  const net = 10n ** 18n
  const range = {
    ...head,
    protocol: 'uniswap_v3' as const,
    tickSpacing: 60,
    tick: 0,
    liquidity: 3n * net,
    sqrtPriceX96: 1n << 96n,
    ticks: [-180, -120, -60, 60].map((index) => ({
      index,
      gross: net,
      net: index < 0 ? net : -3n * net,
    })),
    feePips1: 3000,
  }
  const state = createMarket([toEnginePool(range)])
  const crossed = (amountIn: bigint, tokenIn: string = a) => {
    const tokenOut = tokenIn === a ? b : a
    return countCrossedTicks(
      { ...base, poolId: range.id, tokenIn, tokenOut, amountIn },
      range,
      state,
    )
  }
  const toFirst = 9_050_000_000_000_000n
  assert.equal(
    [crossed(0n), crossed(toFirst - 10n ** 14n), crossed(toFirst + 10n ** 14n)],
    [0, 0, 1],
  )
  assert.equal([crossed(toFirst * 10n), crossed(10n ** 18n, b), crossed(5n, 'none')], [2, 0, 0])
  assert.is(
    countCrossedTicks({ ...base, poolId: first.id, tokenIn: a, tokenOut: b }, first, market),
    0,
  )
})

s('of a step are what it gives less than its pool promises, and no less than nothing', () => {
  const step = { ...base, poolId: '0x01', tokenIn: a, tokenOut: b, amountIn: 1_000n }
  const given = (amountOut: bigint) => stepImpactBps({ ...step, amountOut }, first)
  near(given(1_500n), 2_500)
  near(given(1_999n), 5)
  assert.equal([given(2_000n), given(2_200n), given(0n)], [0, 0, 10_000])
  assert.is(stepImpactBps({ ...step, amountIn: 0n }, first), 0)
  // Half a unit was to come.
  const back = { ...step, tokenIn: b, tokenOut: a, amountIn: 1n }
  assert.is(stepImpactBps({ ...back, amountOut: 0n }, first), 10_000)
})
s('pass on to each step its share of what the ones before left [teeth/measures]', () => {
  const dear = makePair('0x03', { reserve1: 4_000_000n })
  const known = new Map([...pools, [dear.id, dear]])
  const step = { ...base, tokenIn: a, tokenOut: b }
  const steps = [
    { ...step, poolId: '0x01', share: whole / 4n },
    { ...step, poolId: '0x03', share: whole / 2n },
    // Of what nobody has.
    { ...step, poolId: '0x02', tokenIn: 'none' },
    { ...step, poolId: 'gone' },
  ]
  const impact = { tokenIn: a, tokenOut: b, pools: known, amountIn: 8_000n }
  // A quarter at two for one, half of the rest at four.
  const ideal = 2_000n * 2n + 3_000n * 4n
  assert.is(priceImpactBps({ ...twoHops, steps }, { ...impact, amountOut: ideal }), 0)
  assert.is(priceImpactBps({ ...twoHops, steps }, { ...impact, amountOut: ideal / 4n }), 7_500)
})
s('against the market are within all of it, and none on a way to nowhere [teeth/measures]', () => {
  const [step] = twoHops.steps
  if (!step) throw new Error('two steps')
  const given = (amountOut: bigint, tokenOut: string = b) =>
    marketImpactBps(
      { ...twoHops, steps: [step] },
      { tokenIn: a, tokenOut, pools, market, amountIn: 10_000n, amountOut },
    )
  assert.equal(
    [20_000n, 10_000n, 0n, 30_000n, 90_000n].map((out) => given(out)),
    [0, 5_000, 10_000, -5_000, -10_000],
  )
  assert.is(given(5n, c), undefined)
  const back = { ...step, tokenIn: b, tokenOut: a }
  const none = { tokenIn: b, tokenOut: a, amountIn: 1n, amountOut: 0n }
  assert.is(marketImpactBps({ ...twoHops, steps: [back] }, { ...none, pools, market }), 10_000)
})

s.run()
