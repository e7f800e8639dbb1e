import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape, createValidate } from '../../http/validate.ts'
import { plainQuote, pool, tokenIn, tokenOut } from '../testing/plainQuote.ts'
import { agentRegistration, fromAgent } from './agentRegistration.ts'
import { compareBody, compareResponse } from './compare.ts'
import { exactOutputQuery } from './exactOutput.ts'
import { disposalBody, disposalResponse } from './lpDisposal.ts'
import { fromQuote, quoteBody, quoteResponse } from './quote.ts'

/** The least and the most that is taken of each field, and one beyond either. */
const s = suite('routing/wire/bounds')
const schemas = {
  quote: createValidate(quoteBody([8453]), 'body'),
  disposal: createValidate(disposalBody([8453]), 'body'),
  comparison: createValidate(compareBody([8453]), 'body'),
  exactOutput: createValidate(exactOutputQuery([8453]), 'query'),
}
const candidate = {
  providerId: 'a',
  target: pool,
  data: '0x12345678',
  value: '0',
  inputToken: tokenIn,
  outputToken: tokenOut,
  inputAmount: '5',
  quotedOutput: '5',
}
const leg = { token: tokenIn, amount: '5' }
const asked = {
  quote: { chain_id: 8453, token_in: tokenIn, token_out: tokenOut, amount_in: '5' },
  disposal: { chain_id: 8453, target_token: tokenOut, legs: [leg] },
  comparison: { chainId: 8453, candidates: [candidate] },
  exactOutput: {
    chain_id: '8453',
    token_in: tokenIn,
    token_out: tokenOut,
    target_output: '5',
    max_input: '5',
  },
}
type Kind = keyof typeof schemas
const takes = (kind: Kind, change: object) =>
  schemas[kind]({ ...asked[kind], ...structuredClone(change) }) === undefined
const many = (count: number, one: unknown) => Array.from({ length: count }, () => one)
const text = (length: number) => 'x'.repeat(length)

const counts: readonly (readonly [
  field: string,
  kind: Kind,
  least: number,
  most: number,
  give: (count: number) => object,
])[] = [
  ['candidates', 'comparison', 1, 32, (count) => ({ candidates: many(count, candidate) })],
  [
    'a label',
    'comparison',
    1,
    100,
    (length) => ({ candidates: [{ ...candidate, providerId: text(length) }] }),
  ],
  ['legs', 'disposal', 1, 8, (count) => ({ legs: many(count, leg) })],
  ['a haircut', 'disposal', 0, 10_000, (bps) => ({ amount_haircut_bps: bps })],
  ['slippage', 'quote', 0, 10_000, (bps) => ({ slippage_bps: bps })],
  ['DEXes that are included', 'quote', 1, 64, (count) => ({ include_dexes: many(count, 'd') })],
  ['DEXes that are excluded', 'disposal', 1, 64, (count) => ({ exclude_dexes: many(count, 'd') })],
  ['pools that are excluded', 'quote', 1, 100, (count) => ({ exclude_pools: many(count, pool) })],
  ['hops', 'quote', 1, 6, (count) => ({ max_hops: count })],
  ['steps', 'quote', 1, 112, (count) => ({ max_steps: count })],
  ['a deadline', 'quote', 1, Number.MAX_SAFE_INTEGER, (secs) => ({ deadline: secs })],
]
for (const [field, kind, least, most, give] of counts)
  s(`takes ${least} to ${most} for ${field} [teeth/wire-most]`, () => {
    const taken = [least - 1, least, most, most + 1].map((count) => takes(kind, give(count)))
    assert.equal(taken, [false, true, true, false])
  })
s('takes no empty name of a DEX, and no empty list of a query [teeth/wire-most]', () => {
  assert.not.ok(takes('quote', { include_dexes: [''] }))
  for (const list of ['include_dexes', 'exclude_dexes', 'exclude_pools'])
    assert.equal(
      ['', 'd'].map((value) => takes('exactOutput', { [list]: value })),
      [false, true],
      list,
    )
})

const quote = fromQuote(plainQuote, { serviceName: 'S' })
const compared = { providerId: 'a', status: 'ok', success: true, quotedOutput: '5' }
const comparison = (accuracyBps: number) => ({
  results: [{ ...compared, accuracyBps }],
  block_number: 9,
})
const disposal = (confidence: number) => ({
  chain_id: 8453,
  target_token: tokenOut,
  complete: true,
  failed_legs: 0,
  total_estimated_output: '5',
  legs: [
    {
      token: tokenIn,
      value_usd: 0,
      estimated_amount_in: '5',
      amount_source: 'explicit',
      passthrough: true,
      price: { source: 'feed', age_secs: 1, confidence },
    },
  ],
})
const promises = [
  ['an impact', quoteResponse, 0, 65_535, (bps: number) => ({ ...quote, price_impact_bps: bps })],
  [
    "an impact on the market's price",
    quoteResponse,
    -10_000,
    10_000,
    (bps: number) => ({ ...quote, market_impact_bps: bps }),
  ],
  ['an accuracy', compareResponse, 0, 2 ** 32 - 1, comparison],
  ['how sure a price is', disposalResponse, 0, 1, disposal],
] as const
for (const [field, schema, least, most, answer] of promises)
  s(`promises ${least} to ${most} for ${field} [teeth/wire-most]`, () => {
    const kept = [least - 1, least, most, most + 1].map(
      (value) => checkShape(schema, answer(value)) === undefined,
    )
    assert.equal(kept, [false, true, true, false])
  })
s('promises agents a name, words, a service and an identity from zero on', () => {
  const facts = { serviceName: 'S', version: '1', publicUrl: 'https://a', x402Support: false }
  const isKept = (change: object) =>
    checkShape(agentRegistration, { ...fromAgent({ ...facts, active: true }), ...change }) ===
    undefined
  const identity = (agentId: number) => ({
    registrations: [{ agentId, agentRegistry: `eip155:1:${pool}` }],
  })
  assert.equal([{ name: 'x' }, { description: 'x' }, identity(0)].map(isKept), [true, true, true])
  assert.equal([{ name: '' }, { description: '' }, { services: [] }, identity(-1)].map(isKept), [
    false,
    false,
    false,
    false,
  ])
})
s.run()
