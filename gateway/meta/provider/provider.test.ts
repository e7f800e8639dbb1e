import { taker, usdc } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { fractionOf, isToken, nativeSpellings, percentOf } from './provider.ts'
import { decodeResult, readBatch } from './readBatch.ts'
import { guardBps, inputCap, nativeToken } from './source.ts'

const s = suite('meta/provider')

s('writes basis points as a percent and as a fraction [teeth/provider-words]', () => {
  assert.equal([50, 1, 10_000, 0].map(percentOf), ['0.5', '0.01', '100', '0'])
  assert.equal([50, 1, 10_000, 0].map(fractionOf), ['0.005', '0.0001', '1', '0'])
})
s('knows a token in any case, and the native one in any spelling [teeth/provider-words]', () => {
  assert.is(isToken(usdc.toLowerCase(), usdc), true)
  assert.is(isToken(taker, usdc), false)
  for (const spelt of Object.values(nativeSpellings)) {
    assert.equal(
      [isToken(spelt, nativeToken), isToken(spelt.toUpperCase(), nativeToken)],
      [true, true],
    )
    assert.is(isToken(spelt, usdc), false)
  }
  assert.is(isToken(usdc, nativeToken), false)
})
s('guards as the caller asks, or as loosely as the source takes [teeth/provider-words]', () => {
  const guard = (relaxMinReturn: boolean, slippageBps: number) =>
    guardBps({ relaxMinReturn, slippageBps } as Parameters<typeof guardBps>[0], 500)
  assert.equal([guard(false, 50), guard(true, 50), guard(true, 900)], [50, 500, 900])
  assert.equal(
    [10_000n, 10_050n, 10_051n].map((maxIn) => inputCap(10_000n, { slippageBps: 50, maxIn })),
    [10_000n, 10_050n, 10_050n],
  )
})
s(
  'asks nobody for no calls, and reads no answer out of a revert [teeth/provider-batch]',
  async () => {
    const client = { request: () => Promise.reject(new Error('was asked')) } as never
    const { signal } = new AbortController()
    assert.equal(await readBatch({ client, multicall3: usdc }, { calls: [], signal }), [])
    const read = (data: string) => data.length
    const fail = () => {
      throw new Error('other bytes')
    }
    assert.equal(
      [
        decodeResult(undefined, read),
        decodeResult({ success: false, data: '0x12' }, read),
        decodeResult({ success: true, data: '0x' }, read),
        decodeResult({ success: true, data: '0x12' }, fail),
        decodeResult({ success: true, data: '0x12' }, read),
      ],
      [undefined, undefined, undefined, undefined, 4],
    )
  },
)
s.run()
