import { assert, suite } from '../../fixtures/test.ts'
import { createMarket } from './engine/market.ts'
import type { RouteStep } from './engine/route.ts'
import { fitsTransaction, isWithinCap } from './gasCap.ts'
import { familyOf } from './protocols/families.ts'
import { joinCurve } from './protocols/maths/curve.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { RoutingChain } from './routingChain.ts'

const s = suite('routing/gasCap')
const ways = [
  ['a', 'b'],
  ['b', 'c'],
  ['c', 'd'],
] as const
const ticked = { protocol: 'uniswap_v3', isFresh: [false, false] }
const records = ways.map(
  (tokens) => ({ ...ticked, id: tokens.join(''), tokens }) as unknown as PoolRecord,
)
/** Each hundred that goes in crosses a tick. */
const curve = () => joinCurve([100, 100, 100].map((dx) => ({ dx, a: 1, b: 0 })))
const market = createMarket(
  records.map(({ id, tokens }) => ({ id, tokens, gas: 1, curve, swap: () => undefined })),
)
const stepsOf = (...amounts: readonly bigint[]) =>
  ways.map(
    ([tokenIn, tokenOut], index): RouteStep => ({
      poolId: tokenIn + tokenOut,
      tokenIn,
      tokenOut,
      amountIn: amounts[index] ?? 1n,
      amountOut: 1n,
      share: 1n << 64n,
      path: 0,
      shareBps: 10_000,
    }),
  )

function fits(steps: readonly RouteStep[], transactionGasCap: bigint, dear = '') {
  const chain = {
    chainClient: { chain: { transactionGasCap } },
    sync: { current: () => ({ pools: new Map(records.map((each) => [each.id, each])) }) },
    taxes: { extraTransferGas: (token: string) => (token === dear ? 10_000 : 0) },
  } as unknown as RoutingChain
  return fitsTransaction(chain, { market, route: { amountIn: 1n, amountOut: 1n, gas: 1, steps } })
}
function takes(gas: number, steps: readonly RouteStep[], dear = '') {
  const least = (BigInt(gas) * 11n + 9n) / 10n
  const fitting = [fits(steps, least, dear), fits(steps, least - 1n, dear)]
  assert.equal(fitting, [true, false], `${gas} gas, ${dear} dear`)
}
const stepsGas = records.map((pool) => familyOf(pool).stepGas(pool, 0))
const usual = stepsGas.reduce((sum, gas) => sum + gas, 55_000 + 4 * 4_400)

s('gas fits where a tenth more of it does, or nobody names a cap [teeth/gas-cap]', () => {
  const isWithin = (transactionGasCap: bigint | undefined, gas: bigint) =>
    isWithinCap({ chainClient: { chain: { transactionGasCap } } } as unknown as RoutingChain, gas)
  assert.equal(
    [isWithin(1_100n, 1_000n), isWithin(1_100n, 1_001n), isWithin(1_099n, 1_000n)],
    [true, false, false],
  )
  assert.is(isWithin(undefined, 1n << 60n), true)
})
s('a route takes the gas of its steps and of the ticks that they cross [teeth/gas-cap]', () => {
  takes(usual, stepsOf())
  const { crossingGas = 0 } = familyOf(records[0] as PoolRecord)
  takes(usual + crossingGas, stepsOf(1n, 101n))
  takes(usual + 3 * crossingGas, stepsOf(201n, 1n, 101n))
  // A pool that is gone meanwhile is passed over.
  const gone = stepsOf().map((step) => ({ ...step, poolId: 'gone' }))
  takes(usual, [...gone, ...stepsOf(), ...gone])
})
s('a token that is dear to move is so at both ends, too [teeth/gas-cap]', () => {
  for (const dear of ['a', 'b', 'c', 'd']) takes(usual + 13_000, stepsOf(), dear)
})
s('nothing is counted where nobody names a cap [teeth/gas-cap]', () => {
  const chain = { chainClient: { chain: {} } } as unknown as RoutingChain
  const route = { amountIn: 1n, amountOut: 1n, gas: 1, steps: stepsOf() }
  assert.is(fitsTransaction(chain, { market, route }), true)
})
s.run()
