import { assert, suite } from '../../fixtures/test.ts'
import { estimateGas, type GasStep } from './gasModel.ts'
import { familyOf } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'

const s = suite('routing/gasModel')
const pool = {
  protocol: 'uniswap_v3',
  tokens: ['a', 'b'],
  isFresh: [false, false],
} as unknown as PoolRecord
const step = (tokenIn: string, tokenOut: string, crossedTicks = 0): GasStep => ({
  pool,
  tokenIn,
  tokenOut,
  crossedTicks,
})
const native = { paidToken: undefined, receivedToken: undefined }
const estimate = (steps: readonly GasStep[], own: object = {}) =>
  Number(estimateGas({ steps, ...native, extraTransferGas: () => 0, ...own }))
const { stepGas, crossingGas = 0 } = familyOf(pool)
const oneStep = stepGas(pool, 0)

s('counts the transaction, each step and each token once [teeth/gas-model]', () => {
  const one = estimate([step('a', 'b')])
  assert.is(one, 55_000 + 2 * 4_400 + oneStep)
  assert.is(estimate([step('a', 'b'), step('b', 'a')]) - one, stepGas(pool, 1))
  assert.is(estimate([step('a', 'b'), step('b', 'c')]) - one, stepGas(pool, 1) + 4_400)
  assert.is(estimate([]), 55_000)
})
s('counts each tick that a step crosses [teeth/gas-model]', () => {
  assert.ok(crossingGas > 0)
  assert.is(estimate([step('a', 'b', 3)]) - estimate([step('a', 'b')]), 3 * crossingGas)
})
s('counts a part of what a dear token costs, at each of its transfers [teeth/gas-model]', () => {
  const extraTransferGas = (token: string) => (token === 'a' ? 10_000 : 0)
  const plain = estimate([step('a', 'b')])
  const extra = (own: object) => estimate([step('a', 'b')], { extraTransferGas, ...own }) - plain
  assert.equal(
    [
      extra({}),
      extra({ paidToken: 'a' }),
      extra({ receivedToken: 'b' }),
      extra({ receivedToken: 'a' }),
    ],
    [6_500, 13_000, 6_500, 13_000],
  )
})
s.run()
