import { setImmediate as giveTurn } from 'node:timers/promises'
import { getAddress } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { quoteMany } from './quoteMany.ts'
import { createSoughtTokens } from './routingChain.ts'
import { SearchRefused } from './searchQueue.ts'
import type { QuoteResponse } from './wire/quote.ts'

let waiting = 0
let mostWaiting = 0
/** So many of the next searches are refused. */
let crowded = 0
const stand = createGeneratedStand({
  pools: 150,
  tokens: 20,
  seed: 11,
  change: (chain) => ({
    ...chain,
    sought: createSoughtTokens({ now: () => performance.now() }),
    sync: { ...chain.sync, discover: async () => ({ status: 'busy' }) },
    searches: async (search, asking) => {
      if (crowded-- > 0) throw new SearchRefused({ isAbandoned: false, callers: ['k'] })
      waiting += 1
      mostWaiting = Math.max(mostWaiting, waiting)
      return chain.searches(search, asking).finally(() => {
        waiting -= 1
      })
    },
  }),
})
const { chainId } = stand.chain
const quotes = generateTrades(stand.market, 50).trades.map((trade) => ({
  chain_id: chainId,
  token_in: trade.in,
  token_out: trade.out,
  amount_in: String(trade.amount),
}))
type Batch = {
  readonly quotes: readonly { readonly quote?: QuoteResponse; readonly code?: string }[]
}

const s = suite('quoteMany')

s('answers each as /quote does, in their order, for one debit [20/batch]', async () => {
  const batch = await stand.get<Batch>('/quotes', { quotes })
  assert.equal(stand.ledger, { charged: 50, debits: 1 })
  assert.is(batch.quotes.length, 50)
  for (const [index, asked] of quotes.entries()) {
    const { status, body } = await stand.ask('/quote', asked)
    const { quote, code } = batch.quotes[index] ?? {}
    assert.is(quote?.output, status === 200 ? (body as QuoteResponse).output : undefined)
    assert.is(code, status === 200 ? undefined : 'no_route')
  }
})

s('all of a batch are of one block, whatever comes meanwhile [20/batch-state]', async () => {
  stand.advance()
  const asking = stand.get<Batch>('/quotes', { quotes })
  let isOver = false
  const finished = asking.finally(() => {
    isOver = true
  })
  let blocks = 0
  while (!isOver) {
    stand.advance()
    blocks += 1
    await giveTurn()
  }
  const found = (await finished).quotes.flatMap(({ quote }) => quote ?? [])
  assert.is(new Set(found.map(({ last_sync_block }) => last_sync_block)).size, 1)
  assert.ok(found.length > 30 && blocks > 10, `${found.length} quotes, ${blocks} blocks`)
})

s('others are served while a batch is under way, and have places [20/batch-fair]', async () => {
  stand.advance()
  mostWaiting = 0
  let isOver = false
  const batch = stand.get<Batch>('/quotes', { quotes }).finally(() => {
    isOver = true
  })
  await giveTurn()
  await stand.ask('/quote', quotes[0], 'other')
  assert.is(isOver, false, 'who came later with one question is answered first')
  await batch
  assert.ok(mostWaiting <= 5, `${mostWaiting} searches at once`)
})

s(
  'is refused whole where one is wrong, and free where none has a route [20/batch-wrong]',
  async () => {
    const [one] = quotes
    const same = { ...one, token_out: one?.token_in }
    const rows = [
      [[], 'quotes'],
      [Array.from({ length: 51 }, () => one), 'quotes'],
      [[one, same], 'quotes[1].token_out'],
      [[one, { ...one, max_hops: 0 }], 'quotes[1].max_hops'],
      [[one, { ...one, exclude_dexes: ['x'] }], 'quotes[1].exclude_dexes[0]'],
    ] as const
    for (const [batch, field] of rows) {
      const refused = await stand.refusalOf('/quotes', { quotes: batch })
      assert.equal([refused.status, refused.details?.[0]?.field], [400, field])
    }
    const { charged } = stand.ledger
    const hopeless = { ...one, amount_in: '1', max_hops: 1, exclude_dexes: ['uniswap-v2'] }
    const beyond = { ...hopeless, exclude_dexes: ['uniswap-v2', 'uniswap-v3'] }
    const refused = await stand.refusalOf('/quotes', { quotes: [beyond, beyond] })
    assert.equal([refused.status, refused.code], [404, 'no_route'])
    assert.is(stand.ledger.charged, charged)
    // One that is unavailable does not hide what was searched for the others.
    stand.advance()
    const unasked = { ...quotes[1], amount_in: `${quotes[1]?.amount_in}7` }
    for (const [batch, status] of [
      [[unasked], 503],
      [[unasked, beyond], 404],
    ] as const) {
      crowded = 1
      assert.is((await stand.refusalOf('/quotes', { quotes: batch })).status, status)
    }
    assert.is(stand.ledger.charged, charged)
  },
)

s(
  'goes without the quotes alone whose tokens could not be looked for [20/batch-unknown]',
  async () => {
    const unknown = { ...quotes[1], token_in: `0x${'ab'.repeat(20)}` }
    const batch = await stand.get<Batch>('/quotes', { quotes: [unknown, quotes[1]] })
    assert.equal(
      batch.quotes.map(({ quote, code }) => code ?? typeof quote),
      ['unavailable', 'object'],
    )
  },
)

s('says which chains and tokens it cannot tell of, each for itself [teeth/batch]', async () => {
  const deps = {
    chains: new Map([[chainId, stand.chain]]),
    simulator: undefined,
    now: () => performance.now(),
    maxLagMs: 30_000,
  }
  const [trade] = generateTrades(stand.market, 1).trades
  if (!trade) throw new Error('there is a trade')
  const asked = {
    chainId,
    tokenIn: getAddress(trade.in),
    tokenOut: getAddress(trade.out),
    amountIn: BigInt(trade.amount),
    slippageBps: 50,
  }
  const unknown = { ...asked, tokenIn: getAddress(`0x${'ab'.repeat(20)}`) }
  const told = async (...questions: readonly (typeof asked)[]) =>
    (await quoteMany(deps, questions)).map((outcome) =>
      outcome.status === 'unavailable' ? outcome.reason : outcome.status,
    )
  const busy = 'too many new tokens are waiting to be looked for'
  assert.equal(await told({ ...asked, chainId: 1 }, asked, unknown, asked, asked, asked), [
    'the chain is not configured',
    'ok',
    busy,
    'ok',
    'ok',
    'ok',
  ])
  assert.equal(await told(unknown), [busy])
  assert.equal(await told(), [])
})

s.run()
