import { getAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedStand } from '../../bench/quote/generatedStand.ts'
import { generateTrades } from '../../bench/routing/generateMarket.ts'
import { searchLimits } from '../searchRoute.ts'
import { mostUsd } from './lpDisposal.ts'
import type { QuoteResponse } from './quote.ts'

/** The endpoints of the service over a generated chain, as its callers meet them. */
const s = suite('routing/wire/routes')
const stand = createGeneratedStand({ pools: 150, tokens: 20, seed: 11 })
const { chainId } = stand.chain
const [trade] = generateTrades(stand.market, 1).trades
if (!trade) throw new Error('there is no trade')
const asked = {
  chain_id: chainId,
  token_in: trade.in,
  token_out: trade.out,
  amount_in: String(trade.amount),
}
const strange = `0x${'12'.repeat(20)}`
const answerOf = (body: object) => stand.get<QuoteResponse>('/quote', body)

s(
  'writes a graph where one is asked for, and alternatives with their own [teeth/routes]',
  async () => {
    const plain = await answerOf(asked)
    const { route_graph: graph, ...rest } = await answerOf({ ...asked, route_graph: true })
    assert.equal([plain.route_graph, Object.keys(graph ?? {}).length > 0], [undefined, true])
    assert.equal([rest.output, rest.min_output], [plain.output, plain.min_output])
    assert.is((await answerOf({ ...asked, route_graph: false })).route_graph, undefined)
  },
)
s(
  'refuses what has no route, one token for itself and options that name nothing [teeth/routes]',
  async () => {
    const refusal = async (own: object) => {
      const { status, code, error } = await stand.refusalOf('/quote', { ...asked, ...own })
      return [status, code, error]
    }
    assert.equal(await refusal({ token_out: trade.in }), [
      400,
      'invalid_request',
      'token_out must differ from token_in',
    ])
    assert.equal((await refusal({ token_out: strange })).slice(0, 2), [404, 'no_route'])
    const named = await refusal({ include_dexes: ['nowhere'] })
    assert.equal(named.slice(0, 2), [400, 'invalid_request'])
    const many = { quotes: [asked, { ...asked, token_out: trade.in }] }
    const inBatch = await stand.refusalOf('/quotes', many)
    assert.is(inBatch.error, 'quotes[1].token_out must differ from token_in')
  },
)
s(
  'explains a quote to who asked for it, with the gas price that chose it [teeth/routes]',
  async () => {
    const explain = async (own: object) => {
      const { quote_hash: hash } = await answerOf({ ...asked, ...own })
      return stand.get<{ readonly search: Record<string, unknown> }>(`/quote/${hash}`)
    }
    const usual = (await explain({})).search
    assert.equal(
      [usual['gas_price_wei'], usual['max_steps']],
      [String(stand.chain.gasPriceWei()), searchLimits.deep.maxSteps],
    )
    assert.is((await explain({ gas_price_wei: '12345' })).search['gas_price_wei'], '12345')
    const { quote_hash: hash } = await answerOf(asked)
    const other = await stand.refusalOf(`/quote/${hash}`, undefined, 'other')
    assert.equal([other.status, other.code], [404, 'quote_not_found'])
  },
)

const leg = { token: trade.in, amount: String(trade.amount) }
const { amount: _, ...sizeless } = leg
const dispose = (...legs: readonly object[]) => ({
  chain_id: chainId,
  target_token: trade.out,
  legs,
})
const sizes: readonly (readonly [own: object, sentence: string])[] = [
  [{}, 'legs[1].value_usd is required where amount is not given'],
  [{ value_usd: 0, max_amount: '5' }, `legs[1].value_usd must be above 0 and at most ${mostUsd}`],
  [
    { value_usd: 2 * mostUsd, max_amount: '5' },
    `legs[1].value_usd must be above 0 and at most ${mostUsd}`,
  ],
  [
    { value_usd: 5 },
    'legs[1].max_amount is required with value_usd unless allow_unbounded_estimate is set',
  ],
]
for (const [own, sentence] of sizes)
  s(`a leg has a size: ${sentence} [teeth/leg-sizes]`, async () => {
    const { status, error } = await stand.refusalOf(
      '/quote_lp_disposal',
      dispose(leg, { ...sizeless, ...own }),
    )
    assert.equal([status, error], [400, sentence])
  })
s('an amount is enough, and a value is where it may be unbounded [teeth/leg-sizes]', async () => {
  const disposal = await stand.get<{ readonly legs: readonly object[] }>(
    '/quote_lp_disposal',
    dispose(leg),
  )
  assert.is(disposal.legs.length, 1)
  const most = { ...sizeless, value_usd: mostUsd }
  for (const asking of [
    { ...dispose(most), allow_unbounded_estimate: true },
    dispose({ ...most, max_amount: '5' }),
  ]) {
    const { status, error } = await stand.refusalOf('/quote_lp_disposal', asking)
    assert.is(status, 400)
    assert.match(error, 'nothing deep enough prices the token')
  }
  const none = await stand.refusalOf('/quote_lp_disposal', dispose(leg, { ...leg, token: strange }))
  assert.equal([none.status, none.code], [404, 'no_route'])
})
s('charges a unit for each leg that needs a swap [teeth/leg-sizes]', async () => {
  const before = stand.ledger.charged
  await stand.get('/quote_lp_disposal', dispose(leg, { token: trade.out, amount: '7' }))
  assert.is(stand.ledger.charged - before, 1)
})
s('says that nothing can be simulated where there is no simulator [teeth/routes]', async () => {
  const candidate = {
    providerId: 'a',
    target: strange,
    data: '0x12345678',
    value: '0',
    inputToken: trade.in,
    outputToken: trade.out,
    inputAmount: '5',
    quotedOutput: '5',
  }
  const body = { chainId, candidates: [candidate] }
  const { status, code } = await stand.refusalOf('/compare/simulate', body)
  assert.equal([status, code], [503, 'simulation_unavailable'])
})
s('tells of a pool that is followed, and of no other [teeth/routes]', async () => {
  const state = stand.chain.sync.current()
  const [record] = state?.pools.values() ?? []
  const pool = await stand.get<Record<string, unknown>>(`/api/pool/${chainId}/${record?.address}`)
  assert.equal(
    [pool['address'], pool['last_sync_block']],
    [record && getAddress(record.address), Number(state?.head.number)],
  )
  const missing = await stand.refusalOf(`/api/pool/${chainId}/${strange}`)
  assert.equal([missing.status, missing.code], [404, 'pool_not_found'])
})
s('lists chains, tokens and how well it is [teeth/routes]', async () => {
  assert.is((await stand.get<readonly object[]>('/api/chains')).length, 1)
  for (const path of ['/api/status', '/api/tokens', '/.well-known/agent-registration.json'])
    assert.ok(Object.keys(await stand.get<object>(path)).length > 0, path)
})
s.run()
