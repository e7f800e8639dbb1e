import type { Hex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape } from '../../http/validate.ts'
import type { Quote } from '../finishQuote.ts'
import { keptMs } from '../quoteBook.ts'
import { searchLimits } from '../searchRoute.ts'
import { plainQuote as plain, pool, tokenIn, tokenOut } from '../testing/plainQuote.ts'
import { explanation, fromKept } from './explanation.ts'
import { fromQuoteHead } from './quote.ts'

const s = suite('routing/wire/explanation')
const hash: Hex = `0x${'ab'.repeat(32)}`
const serviceName = 'a'
const [step] = plain.steps as readonly [Quote['steps'][number]]
const parameters = { chainId: 8453, tokenIn, tokenOut, amountIn: 100n, slippageBps: 50 }
const explain = (own: Partial<Quote>, asked: object = {}) =>
  fromKept(
    {
      hash,
      askedAtMs: 5_999,
      parameters: { ...parameters, ...asked },
      gasPriceWei: 3n,
      quote: { ...plain, ...own },
    },
    { serviceName },
  )

s('says what was asked, what bounded the search, and until when it knows [teeth/explained]', () => {
  const told = explain({})
  assert.is(checkShape(explanation([8453]), told), undefined)
  const { maxHops, maxSteps, maxWork } = searchLimits.deep
  assert.equal([told.hash, told.asked_at, told.expires_at], [hash, 5, 5 + keptMs / 1_000])
  const request = {
    chain_id: 8453,
    token_in: tokenIn,
    token_out: tokenOut,
    amount_in: '100',
    slippage_bps: 50,
  }
  assert.equal(told.request, request)
  const search = { max_hops: maxHops, max_steps: maxSteps, max_work: maxWork, gas_price_wei: '3' }
  assert.equal(told.search, search)
  const options = { maxHops: 1, maxSteps: 9_999, includeDexes: ['d'], excludeDexes: ['e'] }
  const narrowed = explain(
    {},
    { taker: pool, mode: 'ultra', options: { ...options, excludePools: [pool] } },
  )
  const lists = { include_dexes: ['d'], exclude_dexes: ['e'], exclude_pools: [pool] }
  assert.equal(narrowed.request, { ...request, taker: pool, ...lists })
  const { max_hops, max_steps } = narrowed.search
  assert.equal([max_hops, max_steps], [1, searchLimits.ultra.maxSteps])
  assert.is(explain({}, { options: { maxSteps: 2 } }).search.max_steps, 2)
})
s(
  'says of each step what it costs, how deep its pool is, and who priced it [teeth/explained]',
  () => {
    const common = { dex: 'd', pool, share_bps: 10_000 }
    const told = explain({ steps: [step, step, step], areStepsQuoted: [false, true] })
    assert.equal(told.steps, [
      { ...common, impact_bps: 1.24, grade: 'A', pricing: 'local' },
      { ...common, impact_bps: 0, grade: 'F', pricing: 'quoted' },
      { ...common, impact_bps: 0, grade: 'F', pricing: 'local' },
    ])
  },
)

const unbounded = 'nothing bounds how much better another route may be'
const notes: readonly (readonly [own: Partial<Quote>, ...said: readonly string[]])[] = [
  [{}, unbounded],
  [{ steps: [] }, 'the native currency is wrapped or unwrapped: no pool is used', unbounded],
  [{ optimalityGapBps: 0 }, 'no route gives over 0 bps more, net of gas'],
  [{ marketImpactBps: 5 }, unbounded],
  [
    { marketImpactBps: 6 },
    unbounded,
    'the pools of the route are 1 bps off what all pools of their tokens say',
  ],
  [{ inputConsumed: 99n }, unbounded, 'the pools take 99 of 100'],
  [{ taxInBps: 1 }, unbounded, '1 bps of the token sold are lost to its tax'],
  [{ taxOutBps: 1 }, unbounded, '1 bps of the token bought are lost to its tax'],
  [{ source: 'rpc' }, unbounded, 'the chain was asked for this answer'],
  [{ source: 'path_hint' }, unbounded, 'the pools were old: those of the route were read anew'],
  [{ unexecutableReason: 'stale_state' }, unbounded, 'there was no payload: stale_state'],
]
for (const [own, ...said] of notes)
  s(`notes: ${said.at(-1)} [teeth/explained]`, () => assert.equal(explain(own).notes, said))

s(
  'tells only what there is: a dry run, a gap, what was left over, auto slippage [teeth/wire-quote]',
  () => {
    const head = fromQuoteHead(plain, { serviceName })
    const optional = [
      'market_impact_bps',
      'route_unexecutable_reason',
      'slippage_auto',
      'input_consumed',
      'optimality_gap_bps',
      'quote_hash',
    ]
    assert.equal(
      optional.filter((name) => name in head),
      [],
    )
    const autoSlippage = { bps: 12, moveBps: 1.239, observedMs: 61_999 } as Quote['autoSlippage']
    const full = fromQuoteHead(
      {
        ...plain,
        autoSlippage,
        inputConsumed: 99n,
        marketImpactBps: 0,
        optimalityGapBps: 0,
        unexecutableReason: 'stale_state',
      },
      { serviceName, hash },
    )
    assert.equal(
      optional.map((name) => full[name as keyof typeof full]),
      [0, 'stale_state', { bps: 12, move_bps: 1.24, observed_secs: 61 }, '99', 0, hash],
    )
  },
)
s.run()
