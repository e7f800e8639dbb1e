import { getAddress, zeroAddress } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkShape, createValidate } from '../../http/validate.ts'
import type { Quote } from '../finishQuote.ts'
import { plainQuote, pool, tokenIn, tokenOut } from '../testing/plainQuote.ts'
import {
  fromQuote,
  isPlain,
  quoteBody,
  quoteResponse,
  toQuoteParameters,
  toTaker,
  unitsOf,
} from './quote.ts'

const s = suite('routing/wire/quote')
const serviceName = 'test'
const hash = `0x${'ab'.repeat(32)}` as const
const execution = { spender: pool, target: tokenOut, data: '0x1234', value: 16n } as const
const validate = createValidate(quoteBody([8453]), 'body')
const asked = { chain_id: 8453, token_in: tokenIn, token_out: tokenOut, amount_in: '100' }
const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** As it is answered, if that has the shape that is promised. */
function answer(own: Partial<Quote>, options: object = {}) {
  const body = fromQuote({ ...plainQuote, ...own }, { serviceName, ...options })
  assert.is(checkShape(quoteResponse, body), undefined)
  return body
}

s('answers amounts as decimals, and a step by its pool', () => {
  const own = { execution, readiness: 'verified', syncLagMs: 12, lastSyncBlock: 77n } as const
  assert.equal(answer(own), {
    dex: 'test',
    output: '90',
    min_output: '89',
    gas_estimate: '7',
    source: 'local',
    route_path: 'a>b',
    price_impact_bps: 5,
    pool_grades: ['A'],
    route_readiness: 'verified',
    last_sync_block: 77,
    sync_lag_ms: 12,
    tax_in_bps: 0,
    tax_out_bps: 0,
    route_executable: true,
    router: tokenOut,
    calldata: '0x1234',
    execution: { spender: pool, target: tokenOut, calldata: '0x1234', value: '0x10' },
    steps: [
      {
        protocol: 'p',
        dex: 'd',
        pool,
        token_in: tokenIn,
        token_out: tokenOut,
        fee_pips: 3_000,
        amount_in: '100',
        amount_out: '90',
        path: 0,
        share_bps: 10_000,
      },
    ],
  })
})
s('names the id of a pool that shares its contract', () => {
  const steps = plainQuote.steps.map((step) => ({ ...step, poolId: hash }))
  assert.is(answer({ steps }).steps[0]?.pool_id, hash)
})
s('has nothing to send where there is no payload', () => {
  const { router, calldata, execution: payload } = answer({})
  assert.equal([router, calldata, payload], [zeroAddress, '0x', undefined])
})
s('tells of a dry run what it came to', () => {
  const told = (verification: Quote['verification']) => {
    const { verify_block_lag, verified_output, deviation_bps } = answer({ verification })
    return [verify_block_lag, verified_output, deviation_bps]
  }
  const reason = 'why'
  assert.equal(told(undefined), [undefined, undefined, undefined])
  assert.equal(told({ status: 'unavailable', reason }), [undefined, undefined, undefined])
  assert.equal(told({ status: 'failed', reason, blockLag: 2 }), [2, undefined, undefined])
  const ran = { amountOut: 88n, deviationBps: -3, blockLag: 0 }
  assert.equal(told({ status: 'mismatched', ...ran }), [0, '88', -3])
})
s('answers alternatives beside the best, which alone can be asked for again', () => {
  const other = { ...plainQuote, amountOut: 80n }
  const graphTokens = new Map([[tokenIn, { address: tokenIn, symbol: 'IN', decimals: 6 }]])
  const { alternatives, quote_hash, route_graph } = answer(
    { alternatives: [other, other] },
    { hash, graphTokens },
  )
  assert.is(quote_hash, hash)
  assert.equal(
    alternatives?.map((each) => [each.output, each.quote_hash]),
    [
      ['80', undefined],
      ['80', undefined],
    ],
  )
  for (const graph of [route_graph, alternatives?.[0]?.route_graph])
    assert.is(graph?.nodes[0]?.symbol, 'IN')
  assert.equal(answer({ alternatives: [] }).alternatives, [])
  assert.equal([answer({}).alternatives, answer({}).route_graph], [undefined, undefined])
})
s('costs a unit for itself and for each alternative, of which there are three at most', () => {
  const units = [{}, { alternatives: 0 }, { alternatives: 3 }].map(unitsOf)
  assert.equal(units, [1, 1, 4])
  const isTaken = (alternatives: unknown) => validate({ ...asked, alternatives }) === undefined
  assert.equal([0, 3, 4, -1].map(isTaken), [true, true, false, false])
})
s('is plain without alternatives and without a graph', () => {
  const plain = [{}, { alternatives: 0, route_graph: false }]
  const rich = [{ alternatives: 1 }, { route_graph: true }]
  assert.equal([...plain, ...rich].map(isPlain), [true, true, false, false])
})
s('reads addresses in any case, and nothing that was not said', () => {
  const said = {
    ...asked,
    token_in: token.toLowerCase(),
    taker: token.toUpperCase().replace('X', 'x'),
  }
  assert.is(validate(said), undefined)
  const read = toQuoteParameters(said as unknown as Parameters<typeof toQuoteParameters>[0])
  assert.equal(read, {
    chainId: 8453,
    tokenIn: token,
    tokenOut: getAddress(tokenOut),
    amountIn: 100n,
    slippageBps: 50,
    taker: token,
    allowPartial: false,
    verify: false,
    alternatives: undefined,
  })
  const all = { ...said, allow_partial: true, verify: true, alternatives: 2, max_hops: 2 }
  const { allowPartial, verify, alternatives, options } = toQuoteParameters(
    all as unknown as Parameters<typeof toQuoteParameters>[0],
  )
  assert.equal([allowPartial, verify, alternatives, options?.maxHops], [true, true, 2, 2])
})
s('takes the zero address for no taker', () => {
  assert.equal(
    [toTaker(undefined), toTaker(zeroAddress), toTaker(token)],
    [undefined, undefined, token],
  )
})
s.run()
