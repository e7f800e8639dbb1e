import type { Address } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { collectGarbage } from '../bench/collectGarbage.ts'
import { commonPrices } from './commonPrice.ts'
import { createMarket, type Market, updateMarket } from './engine/market.ts'
import { marketImpactBps, priceImpactBps } from './measureRoute.ts'
import { toEnginePool } from './protocols/families.ts'
import type { PairRecord } from './protocols/pair/uniswapV2Chain.ts'
import { replayShares } from './replayShares.ts'

const [a, b] = ['0xa', '0xb'] as const

function makePair(id: string, reserve0: bigint, reserve1: bigint): PairRecord {
  return {
    id,
    address: id as Address,
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    feePips: 3000,
    tokens: [a, b],
    reserve0,
    reserve1,
    changedBlock: 0n,
    swapsSeen: 0,
    isFresh: [false, false],
  }
}

/** Two deep pools at 2, one of dust at 50, and one of some depth that is 5 % off. */
const records = [
  makePair('0x01', 10n ** 12n, 2n * 10n ** 12n),
  makePair('0x02', 10n ** 12n, 2n * 10n ** 12n + 10n ** 9n),
  makePair('0x03', 1_000n, 50_000n),
  makePair('0x04', 10n ** 11n, 19n * 10n ** 10n),
]
const pools = new Map(records.map((record) => [record.id, record]))
const market = createMarket(records.map(toEnginePool))

const s = suite('commonPrice')

type State = Parameters<typeof commonPrices>[0]
const commonPrice = (state: State, tokenIn: string, tokenOut: string) =>
  commonPrices(state, [{ tokenIn, tokenOut }])[0]

s('is what the depth of a pair says, whatever dust says [20/market-impact]', () => {
  const price = commonPrice({ pools, market }, a, b) ?? 0
  assert.ok(Math.abs(price / 2 - 1) < 1e-3, `${price}`)
  const back = commonPrice({ pools, market }, b, a) ?? 0
  assert.ok(Math.abs(back * price - 1) < 1e-3, `${back}`)
  assert.is(commonPrice({ pools, market }, a, '0xc'), undefined)
})

s('shows what a pool is off that its own price hides [20/market-impact]', () => {
  const step = { poolId: '0x04', tokenIn: a, tokenOut: b, path: 0, shareBps: 10_000 }
  const amounts = { amountIn: 0n, amountOut: 0n, share: 1n << 64n }
  const route = { amountIn: 0n, amountOut: 0n, gas: 0, steps: [{ ...step, ...amounts }] }
  const ends = { tokenIn: a, tokenOut: b, amountIn: 1_000_000n }
  const { amountOut } = replayShares(market, { ...ends, route })?.route ?? { amountOut: 0n }
  const impact = { ...ends, pools, amountOut }
  assert.is(priceImpactBps(route, impact), 30)
  const off = marketImpactBps(route, { ...impact, market }) ?? 0
  assert.ok(Math.abs(off - 529) <= 1, `${off}`)
  assert.is(marketImpactBps({ ...route, steps: [] }, { ...impact, market }), undefined)
})

s('is the price of the middle one of three alike [20/market-impact]', () => {
  const three = [1n, 3n, 2n].map((price) => makePair(`0x${price}`, 10n ** 12n, price * 10n ** 12n))
  const state = {
    pools: new Map(three.map((one) => [one.id, one])),
    market: createMarket(three.map(toEnginePool)),
  }
  assert.is(commonPrice(state, a, b), 2)
})

s(
  'passes over pools of one token alone, and knows none without others [teeth/common-price]',
  () => {
    const priceOf = (...made: readonly PairRecord[]) =>
      commonPrice(
        {
          pools: new Map(made.map((one) => [one.id, one])),
          market: createMarket(made.map(toEnginePool)),
        },
        a,
        b,
      )
    const deep = 10n ** 12n
    const whole = makePair('0x01', deep, 2n * deep)
    assert.is(priceOf(makePair('0x02', 9n * deep, 0n), whole), 2)
    assert.is(priceOf(makePair('0x02', 0n, 9n * deep)), undefined)
    // Of two that are as deep the lower.
    assert.is(priceOf(makePair('0x02', deep, 3n * deep), whole), 2)
    const deeper = deep + 10n ** 6n
    assert.is(priceOf(makePair('0x02', deeper, 3n * deeper), whole), 3)
  },
)

s('is worked out once for a market [teeth/common-price]', () => {
  let looks = 0
  const counted = new Map(pools)
  counted.get = (id) => {
    looks += 1
    return pools.get(id)
  }
  const state = { pools: counted, market: createMarket(records.map(toEnginePool)) }
  const first = commonPrice(state, a, b)
  assert.equal([commonPrice(state, a, b), looks], [first, records.length])
})

s(
  'is worked out anew in a later market for the pairs of what changed alone [20/common-later]',
  () => {
    const deep = 10n ** 12n
    const [c, d] = ['0xc', '0xd'] as const
    const others = { ...makePair('0x11', deep, 5n * deep), tokens: [c, d] as const }
    const before = [makePair('0x01', deep, 2n * deep), others]
    const changed = makePair('0x01', deep, 3n * deep)
    const looked: string[] = []
    function stateOf(all: readonly PairRecord[], of: Market) {
      const byId = new Map(all.map((one) => [one.id, one]))
      const pools = new Map(byId)
      pools.get = (id) => {
        looked.push(id)
        return byId.get(id)
      }
      return { pools, market: of }
    }
    const first = createMarket(before.map(toEnginePool))
    const one = stateOf(before, first)
    const other = stateOf([changed, others], updateMarket(first, [toEnginePool(changed)]))
    const priceOf = (state: typeof one) => [commonPrice(state, a, b), commonPrice(state, c, d)]
    assert.equal([one, other, other].map(priceOf), [
      [2, 5],
      [3, 5],
      [3, 5],
    ])
    assert.equal(looked, ['0x01', '0x11', '0x01'])
    assert.equal(priceOf(one), [2, 5], 'of the market before, whoever asks for it still')
  },
)

s('is asked about by steps that keep no market alive [20/common-let-go]', async () => {
  const steps = [{ tokenIn: a, tokenOut: b }]
  function askOnce(): WeakRef<Market> {
    const later = createMarket([...records, makePair('0x21', 7n, 9n)].map(toEnginePool))
    commonPrices({ pools, market: later }, steps)
    return new WeakRef(later)
  }
  const asked = askOnce()
  // Whom a turn of the loop has seen stays for as long as that.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  assert.is(asked.deref(), undefined)
  assert.is(commonPrices({ pools, market }, steps).length, 1)
})

s('is of no token that nobody trades [teeth/common-price]', () => {
  const nobody = '0xc'
  for (const [from, to] of [
    [nobody, a],
    [nobody, b],
    [a, nobody],
    [b, nobody],
    [a, a],
  ] as const)
    assert.is(commonPrice({ pools, market }, from, to), undefined)
})

s.run()
