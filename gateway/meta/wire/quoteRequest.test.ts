import { assert, suite } from '../../../fixtures/test.ts'
import { createValidate } from '../../http/validate.ts'
import { type QuoteBody, quoteBody, streamBody, toMetaRequest } from './quoteRequest.ts'

const s = suite('meta/quoteRequest')
const [one, other, native] = ['11', '22', '00'].map((byte) => `0x${byte.repeat(20)}` as const)
const eAddress = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const exactIn = { chainId: 8453, tokenIn: one, tokenOut: other, taker: one, amountIn: '7' }
const exactOut = {
  ...exactIn,
  amountIn: undefined,
  quoteType: 'exactOutput',
  targetOut: '5',
  maxIn: '9',
  calldataPolicy: 'strict',
}

/** As a caller's JSON is read. */
function read(given: object) {
  const body = JSON.parse(JSON.stringify(given)) as QuoteBody
  const refusal = createValidate(quoteBody([8453]), 'body')(body)
  if (refusal) return refusal.message
  const found = toMetaRequest(body)
  return found.status === 'ok' ? found.request : `${found.field} ${found.reason}`
}

for (const [name, given, sentence] of [
  ['one token twice', { ...exactIn, tokenOut: one }, 'tokenOut must differ from tokenIn'],
  [
    'the native currency by both its names',
    { ...exactIn, tokenIn: native, tokenOut: eAddress },
    'tokenOut must differ from tokenIn',
  ],
  ['nobody who pays', { ...exactIn, taker: native }, 'taker must not be the zero address'],
  [
    'a proxy that is nowhere',
    { ...exactIn, proxyAddress: native },
    'proxyAddress must not be the zero address',
  ],
  ['no amount', { ...exactIn, amountIn: undefined }, 'amountIn is required'],
  [
    'a target of an exact input',
    { ...exactIn, targetOut: '1' },
    'targetOut is accepted only for exactOutput',
  ],
  [
    'a most of an exact input',
    { ...exactIn, maxIn: '1' },
    'maxIn is accepted only for exactOutput',
  ],
  ['no target', { ...exactOut, targetOut: undefined }, 'targetOut is required for exactOutput'],
  ['no most', { ...exactOut, maxIn: undefined }, 'maxIn is required for exactOutput'],
  [
    'an amount of an exact output',
    { ...exactOut, amountIn: '1' },
    'amountIn is accepted only for exactInput',
  ],
  [
    'a lax policy of an exact output',
    { ...exactOut, calldataPolicy: 'standard' },
    'calldataPolicy must be strict for exactOutput',
  ],
  [
    'a lowered minimum of an exact output',
    { ...exactOut, relaxedProviderMinReturn: true },
    'relaxedProviderMinReturn is accepted only for exactInput',
  ],
] as const)
  s(`refuses ${name}, and says which field is wrong [teeth/quote-request]`, () => {
    assert.is(read(given), sentence)
  })

s('fills in what is not given, and reads the native currency by both its names', () => {
  const source = {
    chainId: 8453,
    tokenIn: native,
    tokenOut: other,
    trade: { type: 'exactInput', amountIn: 7n },
    sender: one,
    recipient: one,
    slippageBps: 50,
    relaxMinReturn: false,
  }
  const request = { source, policy: 'standard', dryRun: false, proxy: undefined }
  assert.equal(read({ ...exactIn, tokenIn: eAddress }), request)
  assert.equal(read({ ...exactIn, tokenIn: native, proxyAddress: other }), {
    ...request,
    source: { ...source, sender: other },
    proxy: other,
  })
})
s('reads an exact output with its target and its most', () => {
  const found = read(exactOut)
  if (typeof found === 'string') throw new Error(found)
  assert.equal(found.source.trade, { type: 'exactOutput', targetOut: 5n, maxIn: 9n })
  assert.is(found.policy, 'strict')
})
s('takes intervals of 1 to 60 seconds, and 1 to 32 sources [teeth/stream-request]', () => {
  const check = createValidate(streamBody([8453], ['a']), 'body')
  const takes = (given: object) => check({ ...exactIn, ...given }) === undefined
  for (const name of ['keepAliveMs', 'refreshIntervalMs'])
    assert.equal(
      [999, 1_000, 60_000, 60_001].map((ms) => takes({ [name]: ms })),
      [false, true, true, false],
    )
  assert.equal(
    [0, 1, 32, 33].map((firstN) => takes({ firstN })),
    [false, true, true, false],
  )
  const mustInclude = (count: number) => ({ mustInclude: Array.from({ length: count }, () => 'a') })
  assert.equal([takes(mustInclude(32)), takes(mustInclude(33))], [true, false])
  assert.not.ok(takes({ mustInclude: ['b'] }))
})
s.run()
