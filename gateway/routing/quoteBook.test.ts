import type { Static } from 'typebox'
import { assert, suite } from '../../fixtures/test.ts'
import { createGeneratedStand } from '../bench/quote/generatedStand.ts'
import { generateTrades } from '../bench/routing/generateMarket.ts'
import { quote } from './quote.ts'
import { createQuoteBook, keptMs, mostKept, mostOfCaller } from './quoteBook.ts'
import type { explanation } from './wire/explanation.ts'
import type { QuoteResponse } from './wire/quote.ts'

type Explanation = Static<ReturnType<typeof explanation>>

const stand = createGeneratedStand({ pools: 60, tokens: 12, seed: 3 })
const { chain, market } = stand
const [trade] = generateTrades(market, 1).trades
if (!trade) throw new Error('one was asked for')
const pair = { chain_id: chain.chainId, token_in: trade.in, token_out: trade.out }
const body = { ...pair, amount_in: String(trade.amount), max_hops: 2, gas_price_wei: '7' }

const s = suite('quoteBook')

s('explains a quote to the key that asked, and to nobody else [20/explained]', async () => {
  const answer = await stand.get<QuoteResponse>('/quote', body)
  const { charged } = stand.ledger
  const path = `/quote/${answer.quote_hash}`
  const told = await stand.get<Explanation>(path)
  assert.is(stand.ledger.charged, charged)
  assert.equal([told.hash, told.expires_at - told.asked_at], [answer.quote_hash, 600])
  assert.equal([told.search.max_hops, told.search.gas_price_wei], [2, '7'])
  assert.is(told.request.amount_in, body.amount_in)
  assert.equal(
    told.steps.map(({ pool, grade }) => [pool, grade]),
    answer.steps.map(({ pool }, index) => [pool, answer.pool_grades[index]]),
  )
  assert.ok(told.steps.every(({ impact_bps }) => impact_bps > 0))
  assert.ok(told.steps.every(({ pricing }) => pricing === 'local'))
  assert.equal([told.quote.output, told.quote.route_path], [answer.output, answer.route_path])
  assert.ok(told.notes.length > 0)
  for (const [other, key] of [
    [path, 'other'],
    [`/quote/0x${'00'.repeat(32)}`, 'k'],
  ] as const) {
    const refused = await stand.refusalOf(other, undefined, key)
    assert.equal([refused.status, refused.code], [404, 'quote_not_found'])
  }
  assert.is((await stand.refusalOf('/quote/0x12')).status, 400)
  assert.is((await stand.ask(path, undefined, null)).status, 401)
  const batch = await stand.get<{ quotes: { quote: QuoteResponse }[] }>('/quotes', {
    quotes: [{ ...body, slippage_bps: 'auto' }],
  })
  const first = await stand.get<Explanation>(`/quote/${batch.quotes[0]?.quote.quote_hash}`)
  assert.is(first.request.slippage_bps, 'auto')
})

async function openBook(now: () => number) {
  const book = createQuoteBook({ now })
  const deps = {
    chains: new Map([[chain.chainId, chain]]),
    simulator: undefined,
    maxLagMs: 30_000,
  }
  const [tokenIn, tokenOut] = [trade?.in, trade?.out] as [`0x${string}`, `0x${string}`]
  const parameters = { chainId: chain.chainId, tokenIn, tokenOut, slippageBps: 50 }
  const asked = { ...parameters, amountIn: BigInt(trade?.amount ?? 0) }
  const outcome = await quote({ ...deps, now: () => performance.now() }, asked)
  if (outcome.status !== 'ok') throw new Error('there is a route')
  const keep = (caller: string, amountIn: bigint) =>
    book.keep(caller, {
      parameters: { ...asked, amountIn },
      gasPriceWei: 0n,
      quote: { ...outcome.quote, alternatives: [outcome.quote] },
    })
  return { book, keep, outcome }
}

s('keeps what others asked for from a crowd of busy keys [17/explained-crowd]', async () => {
  const { book, keep } = await openBook(() => 1_800_000_000_000)
  const quiet = keep('quiet', 1n)
  for (let n = 0; n < 20 * mostOfCaller; n += 1) keep(`busy ${n % 20}`, BigInt(n))
  assert.ok(book.find('quiet', quiet))
})

s(
  'forgets after ten minutes, and the oldest of who asks for many [20/explained-bounded]',
  async () => {
    let nowMs = 1_800_000_000_000
    const { book, keep, outcome } = await openBook(() => nowMs)
    const quiet = keep('quiet', 1n)
    assert.is(keep('quiet', 1n), quiet)
    // Payloads are the greater part of a quote, and of its alternatives.
    const { execution, alternatives } = book.find('quiet', quiet)?.quote ?? outcome.quote
    assert.equal([execution, alternatives], [undefined, undefined])
    const busy = Array.from({ length: mostOfCaller + 10 }, (_, index) =>
      keep('busy', BigInt(index)),
    )
    assert.equal(
      busy.map((hash) => book.find('busy', hash) !== undefined),
      busy.map((_, index) => index >= 10),
    )
    assert.ok(book.find('quiet', quiet))
    // However many keys there are.
    const others = Array.from({ length: 3_000 }, (_, index) => [`k${index}`, keep(`k${index}`, 1n)])
    const known = others.filter(([caller = '', hash = '']) => book.find(caller, hash))
    assert.is(known.length, 2_048)
    nowMs += keptMs - 1
    assert.ok(book.find('k2999', others.at(-1)?.[1] ?? ''))
    nowMs += 1
    assert.is(book.find('k2999', others.at(-1)?.[1] ?? ''), undefined)
  },
)

s('leaves the room of what is forgotten to others [20/explained-bounded]', async () => {
  let nowMs = 1_800_000_000_000
  const { book, keep } = await openBook(() => nowMs)
  for (let n = 0; n < mostKept; n += 1) keep(`k${n}`, 1n)
  nowMs += keptMs
  const names = [1n, 2n, 3n].map((amountIn) => keep('me', amountIn))
  assert.ok(names.every((name) => book.find('me', name)))
})

s('names a quote by who asked, what, and in which second [teeth/quote-names]', async () => {
  const clock = { ms: 1_800_000_000_000 }
  const { book, keep } = await openBook(() => clock.ms)
  const name = keep('me', 1n)
  assert.match(name, /^0x[0-9a-f]{64}$/)
  assert.is.not(keep('you', 1n), name)
  assert.is.not(keep('me', 2n), name)
  clock.ms += 999
  assert.is(keep('me', 1n), name)
  clock.ms += 1
  assert.is.not(keep('me', 1n), name)
  assert.is(book.find('me', name.toUpperCase().replace('0X', '0x'))?.parameters.amountIn, 1n)
  assert.is(book.find('you', name), undefined)
})

s.run()
