import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { toEnginePool } from './protocols/families.ts'
import type { EnginePool } from './protocols/maths/enginePool.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { findLeastInput, meet, replayShares } from './replayShares.ts'

const s = suite('replayShares')
const [a, b] = ['0xa', '0xb'] as const
const whole = 1n << 64n
const makePair = (id: string): PairRecord => ({
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
})
const market = createMarket(['0x01', '0x02'].map((id) => toEnginePool(makePair(id))))
const base = { path: 0, shareBps: 5_000, amountIn: 0n, amountOut: 0n, tokenIn: a, tokenOut: b }
const halves: Route = {
  amountIn: 10_001n,
  amountOut: 0n,
  gas: 0,
  gapBps: 3,
  steps: [
    { ...base, poolId: '0x01', share: whole / 2n },
    { ...base, poolId: '0x02', share: whole },
  ],
}
const replay = (route: Route, amountIn = 10_001n) =>
  replayShares(market, { route, tokenIn: a, tokenOut: b, amountIn })

s('the last of those that share a token takes what the others left [teeth/replay]', () => {
  const { route, pools } = replay(halves) ?? {}
  assert.equal(
    route?.steps.map(({ amountIn }) => amountIn),
    [5_000n, 5_001n],
  )
  const sum = route?.steps.reduce((total, { amountOut }) => total + amountOut, 0n)
  assert.equal([route?.amountIn, route?.amountOut], [10_001n, sum])
  assert.equal(
    pools?.map(({ id }) => id),
    ['0x01', '0x02'],
  )
})
s('pools as the route found them are not run again for the same input [20/replay-same]', () => {
  const { route } = replay(halves) ?? {}
  if (!route) throw new Error('both take their halves')
  const again = (amountIn: bigint, same: readonly string[]) =>
    replayShares(market, {
      route,
      tokenIn: a,
      tokenOut: b,
      amountIn,
      isSame: (id) => same.includes(id),
    })
  const listRun = (...asked: Parameters<typeof again>) => again(...asked)?.pools.map(({ id }) => id)
  assert.equal(again(10_001n, ['0x01', '0x02'])?.route, route)
  assert.equal(listRun(10_001n, ['0x01', '0x02']), [])
  assert.equal(listRun(10_001n, ['0x02']), ['0x01'])
  // Of one more the second takes as much as before.
  assert.equal(listRun(10_002n, ['0x01', '0x02']), ['0x01'])
  assert.equal(again(10_002n, ['0x01', '0x02'])?.route, replay(route, 10_002n)?.route)
})
s('a bound on what is best holds for the amounts that it was found with [teeth/replay]', () => {
  const { amountOut = 0n } = replay(halves)?.route ?? {}
  const found = { ...halves, amountOut }
  assert.is(replay(found)?.route.gapBps, 3)
  assert.is(replay(found, 10_000n)?.route.gapBps, undefined)
  assert.is(replay({ ...found, amountOut: amountOut + 1n })?.route.gapBps, undefined)
})
s('gives nothing where a pool is unknown, or is offered nothing [teeth/replay]', () => {
  const [first, second] = halves.steps
  if (!first || !second) throw new Error('there are two')
  assert.is(replay({ ...halves, steps: [{ ...first, poolId: '0x09' }] }), undefined)
  assert.is(replay({ ...halves, steps: [second, first] }), undefined)
})
s('meets a target on the line through two points, and stays where there is none', () => {
  const [one, other] = [
    { amountIn: 10n, amountOut: 100n },
    { amountIn: 30n, amountOut: 200n },
  ]
  assert.is(meet(one, other, 150n), 20n)
  assert.is(meet(one, other, 50n), 0n)
  assert.is(meet(one, { ...other, amountOut: 100n }, 150n), 10n)
  assert.is(meet(one, { ...other, amountOut: 101n }, 102n), 50n)
})

/** A pool that gives five for so much of what it is offered, and how often it was asked. */
function createOdd(takes: (offered: bigint) => bigint | undefined) {
  const offers: bigint[] = []
  const pool: EnginePool = {
    id: 'odd',
    tokens: [a, b, 'other'],
    gas: 1,
    curve: () => undefined,
    swap(_i, _j, offered) {
      offers.push(offered)
      const amountIn = takes(offered)
      return amountIn === undefined ? undefined : { amountIn, amountOut: 5n, next: pool }
    },
  }
  return { market: createMarket([pool]), offers }
}
s('gives nothing through a pool that takes a part, or is not asked at all [teeth/replay]', () => {
  const [, last] = halves.steps
  if (!last) throw new Error('there are two')
  const outputOf = (
    takes: Parameters<typeof createOdd>[0],
    own: readonly Partial<Route['steps'][number]>[],
    amountIn = 7n,
  ) => {
    const odd = createOdd(takes)
    const steps = own.map((each) => ({ ...last, poolId: 'odd', ...each }))
    const route = { ...halves, steps }
    const found = replayShares(odd.market, { route, tokenIn: a, tokenOut: b, amountIn })
    return [found?.route.amountOut, odd.offers.join()]
  }
  const all = (offered: bigint) => offered
  assert.equal(outputOf(all, [{}]), [5n, '7'])
  assert.equal(outputOf(all, [{}], 1n), [5n, '1'])
  assert.equal(
    outputOf((offered) => offered - 1n, [{}]),
    [undefined, '7'],
  )
  assert.equal(
    outputOf(() => undefined, [{}]),
    [undefined, '7'],
  )
  // The first one leaves nothing to the second, and of another token there never was any.
  assert.equal(outputOf(all, [{}, {}]), [undefined, '7'])
  assert.equal(outputOf(all, [{ tokenIn: 'none' }]), [undefined, ''])
  assert.equal(outputOf(all, [{ tokenIn: 'none', share: whole / 2n }]), [undefined, ''])
  // What it leads to is not what was asked for.
  assert.equal(outputOf(all, [{ tokenOut: 'other' }]), [0n, '7'])
  assert.equal(outputOf(all, [{ tokenOut: 'none' }]), [undefined, ''])
})

const million = 10n ** 24n
/** Pairs as deep as they are on mainnets, and how often they are run through. */
function countRuns() {
  const tally = { runs: 0 }
  const pools = ['0x01', '0x02'].map((id): EnginePool => {
    const pair = toEnginePool({ ...makePair(id), reserve0: million, reserve1: million })
    const swap: EnginePool['swap'] = (...asked) => {
      tally.runs += 1
      return pair.swap(...asked)
    }
    return { ...pair, swap }
  })
  return { tally, market: createMarket(pools) }
}
const oneOf = (route: Route): Route => ({
  ...route,
  steps: route.steps.slice(1).map((step) => ({ ...step, shareBps: 10_000 })),
})
s('finds the least input of a path to the unit, and of shares to a billionth [teeth/least]', () => {
  for (const [route, part] of [
    [oneOf(halves), 0n],
    [halves, 1_000_000_000n],
  ] as const)
    for (const target of [10n ** 3n, 10n ** 12n, 10n ** 18n, 10n ** 21n, 5n * 10n ** 23n]) {
      const { market: deep } = countRuns()
      const asked = { route, tokenIn: a, tokenOut: b }
      const least = findLeastInput(deep, { ...asked, target, atMost: 10n * million })
      if (!least) throw new Error('it can be reached')
      assert.ok(least.amountOut >= target)
      const amountIn = least.amountIn - 1n - (part && least.amountIn / part)
      const less = replayShares(deep, { ...asked, amountIn })?.route.amountOut ?? 0n
      assert.ok(less < target, `${least.amountIn} for ${target}`)
      // It is enough where nothing less than the most is.
      const { amountIn: atMost } = least
      const found = findLeastInput(deep, { ...asked, target: least.amountOut, atMost })
      assert.ok(found && found.amountIn <= atMost)
      const beyond = { ...asked, target: least.amountOut + 1n, atMost }
      assert.is(findLeastInput(deep, beyond), undefined)
    }
})
s('goes along lines to it, not by halves alone, and stops where it is [teeth/least]', () => {
  let runs = 0
  for (const target of [10n ** 12n, 10n ** 18n, 10n ** 21n, 5n * 10n ** 23n])
    for (const route of [oneOf(halves), halves]) {
      const { market: deep, tally } = countRuns()
      const asked = { route, tokenIn: a, tokenOut: b, atMost: 10n * million }
      assert.ok(findLeastInput(deep, { ...asked, target }))
      runs += tally.runs
    }
  assert.ok(runs <= 95, `${runs} runs`)
})

s.run()
