import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'

/** Each sentence of the interfaces document about the routing service, and the test that proves it. */
type Row = readonly [sentence: string, file: string, test: string]

const routes = 'routing/routes.fork.test.ts'
const quotes = 'routing/quote.fork.test.ts'
const sources = 'routing/quoteSources.fork.test.ts'
const onChain = 'routing/onChain.fork.test.ts'

const rows: readonly Row[] = [
  [
    'Finds the best swap route on chains 8453 and 42161',
    quotes,
    'delivers exactly the output, for random pairs and amounts, native too',
  ],
  [
    'Returns output, route description and an execution payload',
    routes,
    'answers a quote with every field of the document',
  ],
  [
    'Client-supplied extra fields such as amount_usd are ignored',
    routes,
    'answers a quote with every field of the document',
  ],
  [
    'dex is a constant string naming the service',
    routes,
    'answers a quote with every field of the document',
  ],
  [
    'output is the net output amount',
    quotes,
    'delivers exactly the output, for random pairs and amounts, native too',
  ],
  [
    'gas_estimate is the estimated gas',
    'routing/gasModel.fork.test.ts',
    'is within 10 % of the receipts of small and large, plain and split swaps',
  ],
  [
    'source is local, path_hint or rpc',
    sources,
    'reads the pools of tokens asked for the first time in at most three round trips',
  ],
  [
    'source is local, path_hint or rpc',
    sources,
    'reads only the pools of a known path when the state cannot be followed',
  ],
  [
    'route_path is human-readable',
    'routing/measureRoute.test.ts',
    'describes paths with their pools and parts',
  ],
  [
    'price_impact_bps',
    'routing/measureRoute.test.ts',
    'measures impact against the mid prices along the route, fees counted',
  ],
  [
    'pool_grades A-F for each hop',
    'routing/gradePool.test.ts',
    'walks from A to F with what the hop costs in its pool',
  ],
  [
    'router and calldata are compatibility fields',
    routes,
    'answers a quote with every field of the document',
  ],
  [
    'execution.value is a hex msg.value, always present',
    routes,
    'answers a quote with every field of the document',
  ],
  ['route_readiness ready', routes, 'answers a quote with every field of the document'],
  ['route_readiness verified', routes, 'verifies by a dry run of the payload where it is asked to'],
  [
    'route_readiness custody_invalid',
    routes,
    'says custody_invalid when the payload does not deliver to the taker',
  ],
  ['other non-executable states', sources, 'says stale, without a payload, when the node is gone'],
  [
    'other non-executable states',
    sources,
    'says unverified, without a payload, when the dry run that was asked for cannot be had',
  ],
  [
    'last_sync_block is the latest synced block',
    'routing/sync/chainSync.fork.test.ts',
    'catches up over many blocks at once',
  ],
  [
    'sync_lag_ms is the time since the last sync',
    'routing/sync/chainSync.fork.test.ts',
    'follows by itself, and confirms the head of an idle chain: lag is no block age',
  ],
  [
    'verify_block_lag is present only when verify=true',
    routes,
    'answers a quote with every field of the document',
  ],
  [
    'verify_block_lag is present only when verify=true',
    routes,
    'verifies by a dry run of the payload where it is asked to',
  ],
  [
    'tax_in_bps and tax_out_bps',
    routes,
    'measures the tax of a fee-on-transfer token and delivers exactly the output',
  ],
  [
    'route_executable and its machine-readable reason',
    sources,
    'says stale, without a payload, when the node is gone',
  ],
  ['slippage_bps defaults to 50', routes, 'answers a quote with every field of the document'],
  [
    'allow_partial',
    routes,
    'quotes what the pools take of a giant amount with allow_partial, and 404 without',
  ],
  [
    '400: invalid token address, unsupported chain_id, other bad requests',
    routes,
    'refuses every bad quote with its status, one sentence and the field, and charges nothing',
  ],
  [
    '404: no route found for the pair',
    routes,
    'refuses every bad quote with its status, one sentence and the field, and charges nothing',
  ],
  [
    'LP disposal routes a position into one target token',
    routes,
    'routes the legs of a position, each on what the legs before left',
  ],
  [
    'Amounts by value are floored, less the haircut, clamped to max_amount',
    routes,
    'routes the legs of a position, each on what the legs before left',
  ],
  [
    'passthrough, capped, amount_source, totals',
    routes,
    'routes the legs of a position, each on what the legs before left',
  ],
  [
    'allow_partial reports a failed leg in place; without it 404',
    routes,
    'reports a failed leg in place with allow_partial, and refuses the whole without',
  ],
  [
    '1 to 8 legs; max_amount is required for value-derived legs; unpriced tokens 400',
    routes,
    'refuses bad positions and bad exact outputs',
  ],
  [
    'Exact output solves the input; source names the way',
    routes,
    'solves an exact output for the least input, and its payload delivers it',
  ],
  [
    'Route minimizing input for a target output',
    'routing/measureRoute.test.ts',
    'finds the least input to the wei: one less gives too little',
  ],
  [
    'Unreachable target: 200, target_unreachable',
    routes,
    'answers an unreachable target with 200 and the reason',
  ],
  [
    'compare/simulate: results in request order, accuracy, winner',
    routes,
    'compares candidates by what they deliver',
  ],
  ['slippage_bps bounds the output', onChain, 'enforces the slippage at the wei'],
  ['total_estimated_output sums the legs', onChain, 'counts no liquidity twice'],
  ['Floor, haircut, clamp', onChain, 'sizes, clamps and prices legs in integers as the rules say'],
  ['routing_mode ultra', onChain, 'verifies every leg by simulation in ultra mode'],
  ['Cached USD-per-raw-unit price', 'routing/usdPrices.fork.test.ts', 'never prices from a pool'],
  ['Bounded internal probes', 'routing/solveInput.test.ts', 'solves to the wei on single paths'],
  ['Health, tokens, chains, agent registration need no key', routes, 'serves its registry'],
  ['Token registry maps address to chain_id, symbol, decimals', routes, 'serves its registry'],
]

const s = suite('interfaces document, routing service')
const gateway = join(import.meta.dirname, '..')

for (const [sentence, file, test] of rows)
  s(`${sentence} <- ${test}`, () => {
    assert.ok(readFileSync(join(gateway, file), 'utf8').includes(test), `${file} has no such test`)
  })

s.run()
