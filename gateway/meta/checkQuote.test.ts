import { makeQuote, makeRequest, router, taker, usdc, weth } from '../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { checkQuote } from './checkQuote.ts'
import { nativeToken, type SourceQuote, type SourceRequest } from './source.ts'

const s = suite('meta/checkQuote')
const other = '0x3333333333333333333333333333333333333333'
const targets = [
  { provider: 'a', chainId: 8453, targets: [router], spenders: [router] },
  { provider: 'open', chainId: 8453, targets: undefined, spenders: undefined },
]
const why = (
  quote: Partial<SourceQuote>,
  request: Partial<SourceRequest> = {},
  policy: 'standard' | 'strict' = 'standard',
) =>
  checkQuote({ targets, policy }, { quote: makeQuote(quote), request: makeRequest(request) })
    ?.reason

s('takes an honest quote under both policies', () => {
  assert.is(why({}), undefined)
  assert.is(why({}, {}, 'strict'), undefined)
})

const native: Partial<SourceRequest> = { tokenIn: nativeToken }
const exact: Partial<SourceRequest> = {
  trade: { type: 'exactOutput', targetOut: 500n, maxIn: 2_000_000n },
}
const rows: [
  name: string,
  quote: Partial<SourceQuote>,
  request: Partial<SourceRequest>,
  reason: string | undefined,
][] = [
  ['no output', { amountOut: 0n, minAmountOut: 0n }, {}, 'invalid_response'],
  ['a guarantee above the quote', { minAmountOut: 2_000n }, {}, 'invalid_response'],
  ['the greatest output', { amountOut: 2n ** 256n - 1n, minAmountOut: 1n }, {}, undefined],
  ['an output that no contract knows', { amountOut: 2n ** 256n }, {}, 'invalid_response'],
  ['gas that no contract knows', { gasEstimate: 10n ** 78n - 1n }, {}, 'invalid_response'],
  ['another input', { amountIn: 5n }, {}, 'invalid_response'],
  ['a target off the list', { target: other }, {}, 'target_not_allowed'],
  ['a spender off the list', { approveTarget: other }, {}, 'target_not_allowed'],
  ['the input token as target', { target: usdc }, {}, 'target_not_allowed'],
  ['the output token as target', { target: weth }, {}, 'target_not_allowed'],
  ['the caller as target', { target: taker }, {}, 'target_not_allowed'],
  ['the caller as spender', { approveTarget: taker }, {}, 'target_not_allowed'],
  ['no spender', { approveTarget: undefined }, {}, 'invalid_response'],
  ['empty calldata', { calldata: '0x' }, {}, 'calldata_mismatch'],
  ['a bare transfer', { calldata: '0xa9059cbb00' }, {}, 'calldata_mismatch'],
  ['an approval', { calldata: '0x095ea7b300' }, {}, 'calldata_mismatch'],
  ['value with a token input', { value: 1n }, {}, 'calldata_mismatch'],
  ['native input without value', {}, native, 'calldata_mismatch'],
  [
    'native input with its value',
    { value: 1_000_000n, approveTarget: undefined },
    native,
    undefined,
  ],
  ['an exact output within bounds', { maxAmountIn: 1_500_000n }, exact, undefined],
  ['an exact output over maxIn', { maxAmountIn: 2_000_001n }, exact, 'no_route'],
  ['an exact output not guaranteed', { minAmountOut: 499n }, exact, 'invalid_response'],
]
for (const [name, quote, request, reason] of rows)
  s(`${reason ? 'refuses' : 'takes'} ${name}`, () => assert.is(why(quote, request), reason))

s('takes a provider without a list only under the standard policy', () => {
  for (const provider of ['open', 'unknown']) {
    assert.is(why({ provider, target: other }), undefined)
    assert.is(why({ provider, target: other }, {}, 'strict'), 'target_not_allowed')
  }
})

s('knows lists by chain', () => {
  assert.is(why({}, { chainId: 42161 }, 'strict'), 'target_not_allowed')
})

s.run()
