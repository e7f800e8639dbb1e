import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createMarket } from './engine/market.ts'
import type { Route } from './engine/route.ts'
import { toEnginePool } from './protocols/families.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { meet, replayShares } from './replayShares.ts'

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
s.run()
