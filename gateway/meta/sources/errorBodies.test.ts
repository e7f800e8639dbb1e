import { makeRequest } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { fail, type SourceOutcome } from '../provider/source.ts'
import { askProvider } from '../testing/askProvider.ts'
import { providers } from './providers.ts'

/** What each provider's own words for a failure are to us; `status`: it is left to the HTTP status. */
const s = suite('meta/errorBodies')
const left = fail('upstream_error', 'by its status')

function ask(name: string, { body, isExactOutput = false }: Question): Promise<SourceOutcome> {
  const trade = { type: 'exactOutput', targetOut: 5n, maxIn: 9n } as const
  return askProvider(name, {
    call: async ({ readError }) => readError?.(body) ?? left,
    request: makeRequest(isExactOutput ? { trade } : {}),
  })
}
type Question = { readonly body: unknown; readonly isExactOutput?: boolean }

const rows: readonly (readonly [name: string, reason: string, ...bodies: readonly unknown[]])[] = [
  [
    '0x',
    'unsupported_token',
    { name: 'TOKEN_NOT_SUPPORTED' },
    { name: 'BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE' },
  ],
  ['0x', 'no_route', { name: 'INPUT_INVALID' }],
  ['0x', 'status', { name: 'INTERNAL_SERVER_ERROR' }, {}],
  [
    '1inch',
    'no_route',
    { statusCode: 400, description: 'insufficient liquidity' },
    { statusCode: 400 },
  ],
  ['1inch', 'status', { statusCode: 401 }, { statusCode: 500 }, {}],
  ['kyberswap', 'unsupported_token', { code: 4011 }],
  ['kyberswap', 'no_route', { code: 4000 }, { code: 4008, message: 'no' }, { code: 4999 }],
  ['kyberswap', 'upstream_error', { code: 3999 }, { code: 5000 }],
  ['kyberswap', 'status', { code: 0 }, {}],
  ['velora', 'no_route', { error: 'No routes found' }],
  ['velora', 'status', {}],
  ['openocean', 'rate_limited', { code: 429 }],
  ['openocean', 'upstream_error', { code: 500 }, { code: 599, error: 'down' }],
  ['openocean', 'no_route', { code: 499 }, { code: 600 }, { code: 430 }],
  ['openocean', 'status', { code: 200 }, {}],
  ['lifi', 'rate_limited', { code: 1005 }],
  ['lifi', 'upstream_error', { code: 1000 }],
  ['lifi', 'no_route', { code: 999 }, { code: 1002, message: 'none' }, { code: 1006 }],
  ['lifi', 'status', {}],
  [
    'relay',
    'unsupported_token',
    { message: '', code: 'INVALID_INPUT_CURRENCY' },
    { message: '', errorCode: 'NO_TOKEN', code: '' },
  ],
  ['relay', 'no_route', { message: '', code: 'NO_SWAP_ROUTES_FOUND' }],
  ['relay', 'status', { message: '' }, { message: '', errorCode: 'UNKNOWN_ERROR' }, {}],
  ['bebop', 'rate_limited', { error: { errorCode: 111 } }],
  ['bebop', 'unsupported_token', { error: { errorCode: 105 } }],
  [
    'bebop',
    'no_route',
    { error: { errorCode: 102, message: 'none' } },
    { error: { errorCode: 110 } },
  ],
  ['bebop', 'status', {}],
  ['enso', 'no_route', { message: 'no' }, { message: ['a', 'b'] }],
  ['enso', 'status', {}],
  ['uniswap-api', 'rate_limited', { errorCode: 'RateLimitExceeded' }],
  [
    'uniswap-api',
    'no_route',
    { errorCode: 'QuoteNotFound' },
    { errorCode: 'RequestValidationError', detail: 'x' },
  ],
  ['uniswap-api', 'status', { errorCode: 'InternalError' }, {}],
  ['fly', 'no_route', { message: 'no' }],
  ['fly', 'status', {}],
  ['sushi', 'no_route', { status: 'NoWay' }],
  ['sushi', 'status', { status: 'Success' }, {}],
  ['okx', 'rate_limited', { code: '50011' }, { code: 50_011 }],
  ['okx', 'not_configured', { code: '50100' }, { code: '50199' }],
  ['okx', 'no_route', { code: '82000', msg: 'no' }],
  ['okx', 'upstream_error', { code: '50001' }, { code: '501000' }],
  ['okx', 'status', { code: '0' }, {}],
  ['cow', 'unsupported_token', { errorType: 'UnsupportedToken' }],
  ['cow', 'no_route', { errorType: 'NoLiquidity', description: 'no' }],
  ['cow', 'status', { errorType: 'InternalServerError' }, {}],
  ['remote-routing', 'no_route', { error: '', code: 'no_route' }],
  ['remote-routing', 'rate_limited', { error: '', code: 'rate_limited' }],
  [
    'remote-routing',
    'not_configured',
    { error: '', code: 'payment_required' },
    { error: '', code: 'unauthorized' },
  ],
  ['remote-routing', 'status', { error: '', code: 'internal' }, {}],
  ['nordstern', 'status', { code: 429 }],
  ['fabric', 'status', { code: 429 }],
]
for (const [name, reason, ...bodies] of rows)
  s(`${name}: ${reason} [teeth/provider-errors]`, async () => {
    for (const body of bodies) {
      const answer = await ask(name, { body })
      const told = answer === left ? 'status' : answer.status === 'failure' && answer.reason
      assert.is(told, reason, JSON.stringify(body))
    }
  })
s(
  'covers every provider, and none says more than it does of exact outputs [teeth/provider-errors]',
  async () => {
    const names = providers.map(({ name }) => name)
    assert.equal([...new Set(rows.map(([name]) => name))].sort(), [...names].sort())
    for (const { name, exactOutput } of providers) {
      const answer = await ask(name, { body: {}, isExactOutput: true })
      const isRefused = answer.status === 'failure' && answer.reason === 'unsupported_exact_output'
      assert.is(isRefused, !exactOutput, name)
    }
  },
)
s.run()
