import { makeQuote, makeRequest, usdc } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { lessBps } from '../amounts/amounts.ts'
import { fail, type Source, type SourceRequest } from './provider/source.ts'
import { withExactOutput } from './withExactOutput.ts'

const s = suite('meta/withExactOutput')
const context = { signal: new AbortController().signal, onRetry: () => undefined }
const exact = (targetOut: bigint, maxIn: bigint) =>
  makeRequest({ trade: { type: 'exactOutput', targetOut, maxIn } })

/** A constant-product pool of 10^9 USDC to 10^12 of the other token, 0.3 % fee. */
function pool() {
  const requests: SourceRequest[] = []
  const source: Source = {
    name: 'pool',
    quote: async (request) => {
      requests.push(request)
      if (request.trade.type === 'exactOutput') return fail('unsupported_exact_output')
      const [x, y] = request.tokenIn === usdc ? [10n ** 9n, 10n ** 12n] : [10n ** 12n, 10n ** 9n]
      const { amountIn } = request.trade
      const paid = amountIn * 997n
      const amountOut = (paid * y) / (x * 1_000n + paid)
      const minAmountOut = lessBps(amountOut, request.slippageBps)
      return {
        status: 'quote',
        quote: makeQuote({ amountIn, maxAmountIn: amountIn, amountOut, minAmountOut }),
      }
    },
  }
  return { source: withExactOutput(source), requests }
}

for (const targetOut of [10n ** 6n, 10n ** 9n, 10n ** 11n])
  s(
    `reaches ${targetOut} with at most 0.2 % too much, in at most six calls [meta/exact-reached]`,
    async () => {
      const { source, requests } = pool()
      const outcome = await source.quote(exact(targetOut, 10n ** 12n), context)
      if (outcome.status !== 'quote') throw new Error(JSON.stringify(outcome))
      const { minAmountOut } = outcome.quote
      assert.ok(minAmountOut >= targetOut)
      assert.ok(minAmountOut <= (targetOut * 10_020n) / 10_000n, `${minAmountOut}`)
      assert.ok(requests.length <= 6, `${requests.length}`)
    },
  )

s('never asks for more than maxIn [meta/max-in]', async () => {
  const { source, requests } = pool()
  const outcome = await source.quote(exact(10n ** 9n, 1_000n), context)
  assert.is(outcome.status === 'failure' && outcome.reason, 'no_route')
  const forwards = requests.flatMap(({ trade, tokenIn }) =>
    trade.type === 'exactInput' && tokenIn === usdc ? [trade.amountIn] : [],
  )
  assert.equal(forwards, [1_000n])
})

s('takes maxIn itself when that is just enough', async () => {
  const { source } = pool()
  const first = await source.quote(exact(10n ** 9n, 10n ** 12n), context)
  const needed = first.status === 'quote' ? first.quote.amountIn : 0n
  const second = await source.quote(exact(10n ** 9n, needed), context)
  assert.is(second.status, 'quote')
})

s('passes exact inputs on untouched', async () => {
  const { source, requests } = pool()
  await source.quote(makeRequest(), context)
  assert.is(requests.length, 1)
})

s.run()
