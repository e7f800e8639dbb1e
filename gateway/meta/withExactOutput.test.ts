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

type Answer = bigint | 'timeout'

/** Answers `forwards` one after the other, the last one again and again: what each guarantees, or why not. */
async function follow(
  forwards: readonly Answer[],
  { targetOut = 10_000n, maxIn = 10n ** 12n, reverse = 1_000_000n as Answer } = {},
) {
  const asked: bigint[] = []
  const toOutcome = (answer: Answer, amountIn: bigint) =>
    answer === 'timeout'
      ? fail(answer)
      : {
          status: 'quote' as const,
          quote: makeQuote({
            amountIn,
            maxAmountIn: amountIn,
            amountOut: answer,
            minAmountOut: answer,
          }),
        }
  const source: Source = {
    name: 'scripted',
    async quote({ trade, tokenIn }) {
      if (trade.type === 'exactOutput') return fail('unsupported_exact_output')
      if (tokenIn !== usdc) return toOutcome(reverse, trade.amountIn)
      asked.push(trade.amountIn)
      return toOutcome(forwards[asked.length - 1] ?? forwards.at(-1) ?? 'timeout', trade.amountIn)
    },
  }
  const outcome = await withExactOutput(source).quote(exact(targetOut, maxIn), context)
  const got = outcome.status === 'failure' ? outcome.reason : undefined
  return { asked, got: outcome.status === 'quote' ? outcome.quote.amountIn : got }
}

s('asks first for what the target brings backwards, with slippage and fees on top', async () => {
  // 50 bps that the request allows, and 10.
  assert.equal(await follow([10_000n]), { asked: [1_006_000n], got: 1_006_000n })
  assert.equal(await follow([10_000n], { reverse: 'timeout' }), { asked: [], got: 'timeout' })
})
s('goes by proportion first, then by the line through the last two points', async () => {
  const { asked } = await follow([5_000n, 9_000n, 10_000n])
  // Twice as much, then a quarter of the last step more, each 3 bps above.
  assert.equal(asked, [1_006_000n, 2_012_604n, 2_264_935n])
  // More that brings less is no line.
  const falling = await follow([5_000n, 4_000n, 10_000n])
  assert.equal(falling.asked.slice(1), [2_012_604n, 5_033_020n])
  const flat = await follow([5_000n, 5_000n, 10_000n])
  assert.equal(flat.asked.slice(1), [2_012_604n, 4_026_416n])
})
s('goes by single units, and asks for one at least', async () => {
  const { asked } = await follow([100n, 101n, 140n], { targetOut: 140n, reverse: 1n })
  assert.equal(asked, [2n, 3n, 43n])
  // By the line nothing would do.
  const steep = await follow([20_000n, 19_900n, 10_000n])
  assert.equal(steep.asked.slice(1), [503_151n, 2n])
})
s('stops where a tenth of a per cent too much is guaranteed, and not above it', async () => {
  assert.is((await follow([10_010n])).asked.length, 1)
  assert.is((await follow([10_011n, 10_000n])).asked.length, 2)
})
s('gives the least input that reaches the target, whatever comes after it', async () => {
  const { asked, got } = await follow([20_000n, 10_500n, 9_000n, 'timeout'])
  assert.is(asked.length, 4)
  assert.is(got, asked[1])
  assert.is((await follow(['timeout'])).got, 'timeout')
})
s('gives up after five inputs, and where nothing comes out', async () => {
  const { asked, got } = await follow([1n], { maxIn: 10n ** 40n })
  assert.equal([asked.length, got], [5, 'no_route'])
  assert.equal(await follow([0n]), { asked: [1_006_000n], got: 'no_route' })
})
s('asks backwards only where a source cannot do exact outputs', async () => {
  for (const direct of [fail('timeout'), { status: 'quote' as const, quote: makeQuote({}) }]) {
    let asked = 0
    const quote: Source['quote'] = async () => {
      asked += 1
      return direct
    }
    assert.is(await withExactOutput({ name: 'a', quote }).quote(exact(1n, 1n), context), direct)
    assert.is(asked, 1)
  }
})

s('passes exact inputs on untouched', async () => {
  const { source, requests } = pool()
  await source.quote(makeRequest(), context)
  assert.is(requests.length, 1)
})

s.run()
