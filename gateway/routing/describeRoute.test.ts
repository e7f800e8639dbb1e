import { zeroAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { describeRoute } from './describeRoute.ts'
import type { RouteStep } from './engine/route.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import { isSameToken, taxOf, toEngineToken } from './quoteRequest.ts'
import { createSoughtTokens, type RoutingChain } from './routingChain.ts'
import { fakeAddress, fakeDex } from './testing/viewNode.ts'

const s = suite('words of a quote')
const [usd, mid, wrapped, unknown] = [1, 2, 3, 4].map(fakeAddress) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const step = (poolId: string, own: Partial<RouteStep>): RouteStep => ({
  poolId,
  tokenIn: usd,
  tokenOut: wrapped,
  amountIn: 1n,
  amountOut: 1n,
  share: 1n,
  path: 0,
  shareBps: 10_000,
  ...own,
})
const pools = new Map(
  (
    [
      ['a', 'uniswap-v3', 500],
      ['b', 'nobody', 3_000],
    ] as const
  ).map(([id, dex, feePips]) => [id, { id, dex, feePips } as unknown as PoolRecord] as const),
)
const dexes = [fakeDex({ protocol: 'uniswap_v3', name: 'uniswap-v3', label: 'UniV3' })]
const tokens = new Map(
  (
    [
      [usd, 'USDC'],
      [mid, ''],
      [wrapped, 'WETH'],
    ] as const
  ).map(([address, symbol]) => [address, { address, symbol, decimals: 18 }] as const),
)
const describe = (steps: readonly RouteStep[], tokenIn: string = usd, tokenOut: string = wrapped) =>
  describeRoute({
    route: { amountIn: 1n, amountOut: 1n, gas: 1, steps },
    pools,
    dexes,
    tokens,
    tokenIn,
    tokenOut,
  })

s('a route is a line of pools by their labels and fees [teeth/describe]', () => {
  assert.is(describe([step('a', {})]), 'USDC>[UniV3:500]>WETH')
  const hops = [step('a', { tokenOut: mid }), step('b', { tokenIn: mid })]
  // A token without a symbol has the ends of its address, an exchange without a row its name.
  assert.is(describe(hops), `USDC>[UniV3:500]>0x0000…${mid.slice(-4)}>[nobody:3000]>WETH`)
  assert.is(describe([step('gone', {})]), 'USDC>[:0]>WETH')
  assert.is(
    describe([step('a', { tokenOut: unknown })], usd, unknown),
    `USDC>[UniV3:500]>0x0000…${unknown.slice(-4)}`,
  )
})
s('native currency ends a line by its own name, and is wrapped on the way [teeth/describe]', () => {
  const line = [
    step('a', { tokenOut: wrapped }),
    step('b', { tokenIn: wrapped, tokenOut: mid }),
    step('a', { tokenIn: mid, tokenOut: usd }),
    step('a', { tokenIn: usd, tokenOut: wrapped }),
  ]
  const middle = `0x0000…${mid.slice(-4)}`
  assert.is(
    describe(line.slice(0, 3), usd, usd),
    `USDC>[UniV3:500]>WETH>[nobody:3000]>${middle}>[UniV3:500]>USDC`,
  )
  assert.is(
    describe(line.slice(1), native, native),
    `ETH>[nobody:3000]>${middle}>[UniV3:500]>USDC>[UniV3:500]>ETH`,
  )
})
s('parallel paths have their parts, and native ends their own name [teeth/describe]', () => {
  const split = [
    step('a', { path: 0, shareBps: 2_550 }),
    step('b', { path: 1, shareBps: 7_450, tokenIn: mid }),
  ]
  assert.is(
    describe(split, usd, native),
    `25.5% USDC>[UniV3:500]>ETH + 74.5% 0x0000…${mid.slice(-4)}>[nobody:3000]>ETH`,
  )
  assert.is(describe([step('a', {})], zeroAddress, wrapped), 'ETH>[UniV3:500]>WETH')
  assert.is(describe([], native, wrapped), 'ETH>[wrap]>WETH')
  assert.is(describe([], wrapped, native), 'WETH>[wrap]>ETH')
})
s('native currency is its wrapped token to the engine, and never taxed [teeth/tokens]', () => {
  const chain = {
    chainClient: { chain: { wrappedNative: wrapped.toUpperCase().replace('0X', '0x') } },
    taxes: new Map<string, number>([
      [usd, 70],
      [wrapped, 9],
    ]),
  } as unknown as RoutingChain
  for (const spelling of [zeroAddress, native] as const) {
    assert.is(toEngineToken(chain, spelling), wrapped)
    assert.is(taxOf(chain, spelling), 0)
    assert.ok(isSameToken(spelling, native) && isSameToken(zeroAddress, spelling))
    assert.not(isSameToken(spelling, wrapped))
  }
  const upper = `0x${usd.slice(2).toUpperCase()}` as const
  assert.equal([toEngineToken(chain, upper), taxOf(chain, upper), taxOf(chain, mid)], [usd, 70, 0])
  assert.equal([isSameToken(upper, usd), isSameToken(usd, mid)], [true, false])
})
s(
  'who was looked for is not for half a minute, nor kept beyond ten thousand [teeth/sought]',
  () => {
    let nowMs = 5
    const sought = createSoughtTokens({ now: () => nowMs })
    assert.ok(sought.isDue('a'))
    sought.add(['a', 'b'])
    nowMs += 29_999
    assert.equal([sought.isDue('a'), sought.isDue('b'), sought.isDue('c')], [false, false, true])
    nowMs += 1
    assert.ok(sought.isDue('a'))
    sought.add(Array.from({ length: 9_998 }, (_, n) => `${n}`))
    assert.not(sought.isDue('0'))
    sought.add(['one more'])
    assert.equal([sought.isDue('0'), sought.isDue('one more')], [true, false])
  },
)
s.run()
