import { assert, suite } from '../../../fixtures/test.ts'
import { createGeneratedStand } from '../../bench/quote/generatedStand.ts'
import { generateTrades } from '../../bench/routing/generateMarket.ts'
import { type Asker, SearchRefused } from '../searchQueue.ts'
import type { QuoteResponse } from './quote.ts'

/** In whose names searches wait, and what is answered where none may begin. */
const s = suite('routing/wire/asked routes')
const askers: unknown[][] = []
const note = ({ caller, isPaying, site, network, isGone }: Asker) =>
  void askers.push([caller, isPaying, site, network, isGone?.()])
let isCrowded = false
const stand = createGeneratedStand({
  pools: 150,
  tokens: 20,
  seed: 11,
  change: (chain) => ({
    ...chain,
    searches: async (search, asking) => {
      note(asking)
      if (isCrowded) throw new SearchRefused({ isAbandoned: false, callers: ['k'] })
      return chain.searches(search, asking)
    },
  }),
})
const { chainId } = stand.chain
const [trade] = generateTrades(stand.market, 1).trades
if (!trade) throw new Error('there is no trade')
let amount = BigInt(trade.amount)
/** Another question each time, which nobody has searched for. */
function askNew() {
  amount += 1n
  return {
    chain_id: chainId,
    token_in: trade?.in,
    token_out: trade?.out,
    amount_in: `${amount}`,
  }
}
const exactPath = () => {
  const { amount_in: target, ...asked } = askNew()
  const most = 10n ** 30n
  const query = { ...asked, target_output: target, max_input: `${most}`, executable_only: 'false' }
  return `/quote_exact_output?${new URLSearchParams(query as never)}`
}
const disposal = () => {
  const { token_in: token, token_out: target, amount_in: size } = askNew()
  return { chain_id: chainId, target_token: target, legs: [{ token, amount: size }] }
}

s('searches in the name of the key that asks, and of where it asks from', async () => {
  for (const [path, body] of [
    ['/quote', askNew()],
    ['/quotes', { quotes: [askNew()] }],
    ['/quote_lp_disposal', disposal()],
  ] as const) {
    askers.length = 0
    await stand.get(path, body, 'mine')
    const [caller, isPaying, site, network, isGone] = askers.find(([name]) => name) ?? []
    assert.equal([caller, isPaying, isGone], ['mine', false, false], path)
    assert.type(site, 'string')
    assert.is(network, site)
  }
})
s('says when to come again where no search may begin, and charges nothing', async () => {
  isCrowded = true
  stand.advance()
  const before = stand.ledger.charged
  for (const [path, body] of [
    ['/quote', askNew()],
    ['/quotes', { quotes: [askNew(), askNew()] }],
    ['/quote_lp_disposal', disposal()],
    [exactPath(), undefined],
  ] as const) {
    const { status, headers, body: answer } = await stand.ask(path, body)
    const { code, error } = answer as { readonly code: string; readonly error: string }
    assert.equal([status, code, headers['retry-after']], [503, 'unavailable', '1'], path)
    assert.match(error, 'no quote right now: ')
  }
  assert.is(stand.ledger.charged, before)
  isCrowded = false
})
s('refuses a deadline that has passed, whatever is asked', async () => {
  for (const [path, body, field] of [
    ['/quote', { ...askNew(), deadline: 1 }, 'deadline'],
    ['/quotes', { quotes: [askNew(), { ...askNew(), deadline: 1 }] }, 'quotes[1].deadline'],
    ['/quote_lp_disposal', { ...disposal(), deadline: 1 }, 'deadline'],
    [`${exactPath()}&deadline=1`, undefined, 'deadline'],
  ] as const) {
    const { status, error } = await stand.refusalOf(path, body)
    assert.is(status, 400)
    assert.match(error, `${field} must be in the future`)
  }
})
s('judges no option by a chain that was never read, of which there is no quote', async () => {
  const unread = createGeneratedStand({
    pools: 150,
    tokens: 20,
    seed: 11,
    change: (chain) => ({
      ...chain,
      sync: { ...chain.sync, current: () => undefined, fresh: async () => undefined },
    }),
  })
  const body = { ...askNew(), include_dexes: ['nowhere'] }
  const { status, code } = await unread.refusalOf('/quote', body)
  assert.equal([status, code], [503, 'unavailable'])
})
s('says the same of a chain that cannot be simulated', async () => {
  const candidate = {
    providerId: 'a',
    target: `0x${'12'.repeat(20)}`,
    data: '0x12345678',
    value: '0',
    inputToken: trade.in,
    outputToken: trade.out,
    inputAmount: '5',
    quotedOutput: '5',
  }
  const { status, headers } = await stand.ask('/compare/simulate', {
    chainId,
    candidates: [candidate],
  })
  assert.equal([status, headers['retry-after']], [503, '1'])
})
s('charges a unit for each quote of a batch, and for each alternative', async () => {
  const before = stand.ledger.charged
  await stand.get('/quotes', { quotes: [{ ...askNew(), alternatives: 2 }, askNew()] })
  assert.is(stand.ledger.charged - before, 4)
  const { alternatives } = await stand.get<QuoteResponse>('/quote', {
    ...askNew(),
    alternatives: 2,
  })
  assert.ok((alternatives?.length ?? 0) > 0)
  assert.is(stand.ledger.charged - before, 7)
})
s('names a quote of a batch in the book as one that was asked for alone', async () => {
  const asked = askNew()
  const { quotes } = await stand.get<{ readonly quotes: readonly { quote?: QuoteResponse }[] }>(
    '/quotes',
    { quotes: [askNew(), { ...asked, route_graph: true }] },
  )
  const [first, second] = quotes.map(({ quote }) => quote)
  assert.equal(
    [first?.route_graph, (second?.route_graph?.nodes.length ?? 0) > 1],
    [undefined, true],
  )
  const { request } = await stand.get<{ readonly request: Record<string, unknown> }>(
    `/quote/${second?.quote_hash}`,
  )
  assert.is(request['amount_in'], asked.amount_in)
})
s.run()
