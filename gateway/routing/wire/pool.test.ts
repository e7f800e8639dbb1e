import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { fromPool, poolResponse } from './pool.ts'
import { toRouteGraph } from './routeGraph.ts'

const s = suite('routing/wire/pool')
const [token0, token1] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const
const address = '0x2222222222222222222222222222222222222222'
const common = {
  id: address,
  address,
  dex: 'a',
  protocol: 'p',
  tokens: [token0.toLowerCase(), token1.toLowerCase()],
  feePips: 3_000,
  changedBlock: 7n,
  swapsSeen: 4,
}
const told = {
  chain_id: 10,
  address,
  dex: 'a',
  protocol: 'p',
  token0,
  token1,
  tokens: [token0, token1],
  fee_pips: 3_000,
  changed_block: 7,
  swaps_seen: 4,
  last_sync_block: 9,
}
/** What is said of a pool that has these, beside what is said of all. */
function tell(own: object, grade?: 'A') {
  const pool = { ...common, ...own } as unknown as PoolRecord
  const answer = fromPool(pool, { chainId: 10, block: 9n, grade })
  assert.is(checkShape(poolResponse, answer), undefined)
  const entries = Object.entries(answer)
  const isCommon = (key: string) => key in told
  assert.equal(Object.fromEntries(entries.filter(([key]) => isCommon(key))), told)
  return Object.fromEntries(entries.filter(([key]) => !isCommon(key)))
}

s('tells reserves of a pair, twice [teeth/wire-pool]', () => {
  const reserves = { reserve0: '5', reserve1: '6' }
  assert.equal(tell({ reserve0: 5n, reserve1: 6n, stable: false }, 'A'), {
    found_in: ['v2'],
    grade: 'A',
    stable: false,
    ...reserves,
    v2: { token0, token1, ...reserves, dex: 'a' },
  })
})
s(
  'tells price and ticks of a pool with ticks, in one contract or its own [teeth/wire-pool]',
  () => {
    const own = {
      tickSpacing: 60,
      sqrtPriceX96: 2n ** 96n,
      tick: -5,
      liquidity: 8n,
      ticks: [{ index: -60, gross: 3n, net: -3n }],
    }
    const answer = {
      tick_spacing: 60,
      sqrt_price_x96: String(2n ** 96n),
      tick: -5,
      liquidity: '8',
      ticks: [{ index: -60, liquidity_gross: '3', liquidity_net: '-3' }],
      v3: { token0, token1, fee: 3_000, liquidity: '8', tick: -5, tick_count: 1 },
    }
    assert.equal(tell(own), { found_in: ['v3'], ...answer })
    assert.equal(tell({ ...own, key: {} }), { found_in: ['v4'], ...answer })
  },
)
s('tells balances, and what each bin holds at its own price [teeth/wire-pool]', () => {
  assert.equal(tell({ balances: [1n, 2n] }), { found_in: ['other'], balances: ['1', '2'] })
  const middle = 2 ** 23
  const bin = { reserveX: 1_000_000n, reserveY: 7n }
  const bins = [
    { id: middle, ...bin },
    { id: middle + 1, ...bin },
  ]
  const row = { reserve0: '1000000', reserve1: '7' }
  assert.equal(tell({ binStepBps: 100, activeId: middle, bins }), {
    found_in: ['other'],
    bin_step_bps: 100,
    active_id: middle,
    bins: [
      { id: middle, ...row, liquidity: '1000007' },
      // A hundredth more, rounded down.
      { id: middle + 1, ...row, liquidity: '1010006' },
    ],
  })
})

s('shows a route by its tokens, in the order they are reached [teeth/wire-graph]', () => {
  const step = (tokenIn: string, tokenOut: string, amountIn: bigint, amountOut: bigint) =>
    ({ tokenIn, tokenOut, amountIn, amountOut, shareBps: Number(amountIn) * 100 }) as never
  const steps = [
    step('0xA', '0xB', 60n, 6n),
    step('0xA', '0xC', 40n, 30n),
    step('0xB', '0xC', 6n, 50n),
  ]
  const known = { address: '0xB', symbol: 'BEE', decimals: 6 } as never
  assert.equal(toRouteGraph(steps, new Map([['0xb', known]])), {
    nodes: [
      { token: '0xA', received: '0', spent: '100' },
      { token: '0xB', symbol: 'BEE', decimals: 6, received: '6', spent: '6' },
      { token: '0xC', received: '80', spent: '0' },
    ],
    edges: [
      { from: 0, to: 1, step: 0, amount_in: '60', amount_out: '6', share_bps: 6_000 },
      { from: 0, to: 2, step: 1, amount_in: '40', amount_out: '30', share_bps: 4_000 },
      { from: 1, to: 2, step: 2, amount_in: '6', amount_out: '50', share_bps: 600 },
    ],
  })
})
s.run()
