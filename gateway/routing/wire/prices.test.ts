import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedStand } from '../../bench/quote/generatedStand.ts'

const s = suite('what requests of routing cost')
const { endpoints } = createGeneratedStand({ pools: 20, tokens: 6, seed: 1 })
function costOf(path: string, body: object = {}) {
  const found = endpoints.find((endpoint) => endpoint.path === path)
  if (!found) throw new Error(`no ${path}`)
  return found.costOf({ body, query: {}, params: {}, rawBody: '' } as never)
}

s('a unit for each candidate of a comparison, and for each quote of a batch [teeth/prices]', () => {
  const many = (count: number) => Array.from({ length: count }, () => ({}))
  for (const count of [1, 3, 16]) {
    assert.is(costOf('/compare/simulate', { candidates: many(count) }), count)
    assert.is(costOf('/quotes', { quotes: many(count) }), count)
  }
})
s('one for each leg that has to be sold, and sixteen for an exact output', () => {
  assert.is(costOf('/quote'), 1)
  assert.is(costOf('/quote', { alternatives: 2 }), 3)
  assert.is(costOf('/quote_exact_output'), 16)
  const legs = ['0xa1', '0xA1', '0xb2', '0xc3'].map((token) => ({ token }))
  assert.is(costOf('/quote_lp_disposal', { legs, target_token: '0xa1' }), 2)
  for (const path of ['/health', '/api/status', '/api/tokens', '/api/chains'])
    assert.is(costOf(path), 0, path)
})
s.run()
