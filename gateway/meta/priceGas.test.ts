import { mock } from 'node:test'
import { makeQuote, makeRequest, usdc, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { createPriceGas, type PriceGasDeps } from './priceGas.ts'
import { nativeToken } from './provider/source.ts'

const s = suite('meta/priceGas, by a clock')
const quotes = [makeQuote({ provider: 'a' }), makeQuote({ provider: 'b' })]
const { signal } = new AbortController()
const perWei = 10_000_000_000_000_000n

/** A chain without L1 fees whose gas costs five wei. */
function open(price: PriceGasDeps['price'] = async () => 30n) {
  const clock = { ms: 0 }
  const asked: { tokenIn: string; tokenOut: string; amountIn: bigint }[] = []
  const chain = { chainId: 8453, wrappedNative: weth, l1Fee: 'none' }
  const client = { request: async () => '0x5' }
  const chainClient = { chainId: 8453, chain, client } as unknown as ChainClient
  const priceGas = createPriceGas({
    now: () => clock.ms,
    clientOf: (chainId) => (chainId === 8453 ? chainClient : undefined),
    async price({ tokenIn, tokenOut, amountIn, ...rest }) {
      asked.push({ tokenIn, tokenOut, amountIn })
      return price({ tokenIn, tokenOut, amountIn, ...rest })
    },
  })
  const ask = (change: Parameters<typeof makeRequest>[0] = {}, of = quotes) =>
    priceGas({
      request: makeRequest({ tokenIn: weth, tokenOut: usdc, ...change }),
      quotes: of,
      signal,
    })
  return { ask, asked, clock }
}

s('prices a hundredth of the native currency in what is compared [teeth/gas-priced]', async () => {
  const { ask, asked } = open()
  const priced = { tokenAmount: 30n, gasPriceWei: 5n, perWei, l1FeeWei: {} }
  assert.equal(await ask(), priced)
  const trade = { type: 'exactOutput', targetOut: 1n, maxIn: 2n } as const
  assert.equal(await ask({ tokenIn: usdc, tokenOut: weth, trade }), priced)
  assert.equal(asked, [{ tokenIn: weth, tokenOut: usdc, amountIn: perWei }])
  // It is itself.
  for (const tokenOut of [weth, nativeToken])
    assert.equal(await ask({ tokenIn: usdc, tokenOut }), { ...priced, tokenAmount: perWei })
  assert.equal(await ask(), priced)
  assert.is(asked.length, 1)
})
s('asks nothing for one quote, nor of a chain that nobody knows [teeth/gas-unasked]', async () => {
  const { ask, asked } = open()
  assert.is(await ask({}, quotes.slice(1)), undefined)
  assert.is(await ask({ chainId: 1 }), undefined)
  assert.equal(asked, [])
})
s('believes a price for fifteen seconds, and none that it lacks [teeth/gas-believed]', async () => {
  const { ask, asked, clock } = open()
  await ask()
  clock.ms = 14_999
  await ask()
  assert.is(asked.length, 1)
  clock.ms = 15_000
  await ask()
  assert.is(asked.length, 2)
  const failing = open(() => Promise.reject(new Error('no')))
  assert.is(await failing.ask(), undefined)
  assert.is(await failing.ask(), undefined)
  assert.is(failing.asked.length, 2)
  assert.is(await open(async () => undefined).ask(), undefined)
})
s('answers without it after 400 ms, and leaves no timer [teeth/gas-late]', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const ended = mock.method(globalThis, 'clearTimeout').mock
  try {
    let isOver = false
    const late = open(() => new Promise(() => undefined))
      .ask()
      .then((price) => {
        isOver = true
        return price
      })
    mock.timers.tick(399)
    await new Promise((resolve) => setImmediate(resolve))
    assert.is(isOver, false)
    mock.timers.tick(1)
    assert.is(await late, undefined)
    assert.is(ended.callCount(), 1)
  } finally {
    ended.restore()
    mock.timers.reset()
  }
})
s.run()
