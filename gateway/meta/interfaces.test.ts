import { assert, suite } from '../../fixtures/test.ts'
import { readTestTitles } from '../../fixtures/testTitles.ts'

/** Each sentence of the interfaces document about the meta-aggregator, and the test that proves it. */
type Row = readonly [sentence: string, file: string, test: string]

const routes = 'meta/routes.test.ts'
const stream = 'meta/stream.test.ts'
const clients = 'meta/streamClients.test.ts'
const onChain = 'meta/onChain.fork.test.ts'
const withRouting = 'meta/withRouting.fork.test.ts'
const best = 'answers the best of several sources, with failures and telemetry'
const proxy = 'adds proxyTx whose value and minOut are what its calldata encodes'
const malformed = 'refuses _ with 400 and one sentence'
const malformedStream = 'refuses _ with 400 before the stream opens'
const exactOut = 'answers an exact output with the least input'
const states = 'names _ _, and best is another'

const fields = 'names its fields as the document does, each in its own type'
const repeats =
  'repeats with refresh and keep_alive until the client leaves, then aborts its sources'

const rows: readonly Row[] = [
  [
    'Fans a quote request out to configured sources',
    'meta/fanOut.test.ts',
    'asks all at once and answers in the order of arrival',
  ],
  [
    'Normalizes their executable routes',
    'meta/providers.test.ts',
    '_: 500 USDC to WETH in its own units',
  ],
  ['Returns the best route and source telemetry', routes, best],
  [
    'A response holds executable calldata; the caller submits',
    onChain,
    '_: _ to _ delivers what each source quotes, to the wei',
  ],
  [
    'It is not a signer, wallet or broadcaster: it never signs or broadcasts',
    withRouting,
    'signs and sends nothing: the chain stands still while it quotes',
  ],
  [
    'Quote comparison is done here; the token catalog is served by the routing service',
    routes,
    'takes the fields of a stream along, and has no catalog of tokens',
  ],
  [
    'keepAliveMs, refreshIntervalMs, firstN, mustInclude are for streams only',
    routes,
    'takes the fields of a stream along, and has no catalog of tokens',
  ],
  ['QuoteResponse: its fields', routes, fields],
  ['best: its fields, decimal strings and integers', routes, fields],
  ['proxyTx: to, data, value, minOut and nothing else', routes, fields],
  ['Without a best, best is null', stream, 'ends with initial and done when every source fails'],
  [
    'callers treat the state as an enumeration: what reverted is never best',
    routes,
    'has no best when everything reverts',
  ],
  [
    'The routing service is one of the sources behind it',
    withRouting,
    'ranks routing beside the routers and never below them before gas',
  ],
  ['JSON fields use camelCase', routes, best],
  ['chainId', routes, malformed],
  ['tokenIn, tokenOut, amountIn, taker, slippageBps', routes, malformed],
  ['quoteType is exactInput by default', routes, best],
  ['targetOut and maxIn replace amountIn for exactOutput', routes, exactOut],
  ['calldataPolicy is required to be strict for exact-output', routes, malformed],
  [
    'dryRun: each quote carries a simulation state',
    routes,
    'moves best to the winner of the simulation',
  ],
  ['proxyAddress adds proxyTx for the focal quote', routes, proxy],
  [
    'proxyTx: to, data, value, minOut; a bundle that runs',
    onChain,
    "_: proxyTx runs through the owner's proxy, simulated and for real",
  ],
  [
    'relaxedProviderMinReturn lowers known provider-internal guards',
    'meta/providers.test.ts',
    'relaxes a guard as far as each provider takes it, and no further',
  ],
  [
    'relaxedProviderMinReturn lowers those of our own sources',
    withRouting,
    'relaxes the guards inside, down to nothing',
  ],
  ['relaxedProviderMinReturn is accepted only for exact-input', routes, malformed],
  ['best: provider, amountIn, amountOut, target, approveTarget, calldata, value', routes, best],
  [
    'best: approveTarget is null for native input',
    'meta/providers.test.ts',
    '_: 1 ETH to USDC as it was recorded',
  ],
  ['best: gasEstimate', onChain, '_: _ to _ delivers what each source quotes, to the wei'],
  [
    'best: taxInBps and taxOutBps',
    withRouting,
    'delivers a token that taxes its transfers, with its tax reported by every source',
  ],
  ['best: telemetry and simulation', routes, best],
  ['failures: provider and reason', routes, best],
  ['responses, dispatched, elapsedMs, echoes, tracking', routes, best],
  [
    'simulation.winnerProviderId when simulated',
    routes,
    'moves best to the winner of the simulation',
  ],
  [
    'best changes to the provider that winnerProviderId names',
    routes,
    'moves best to the winner of the simulation',
  ],
  ['state success', routes, 'moves best to the winner of the simulation'],
  ['states reverted, slotNotFound, rpcError', routes, states],
  [
    'state notConfigured',
    routes,
    'names a chain without a simulator notConfigured and still ranks',
  ],
  ['state disabled', routes, best],
  ['state pending', stream, 'sends pending quotes at once and a sim_update for each'],
  ['GET /health is {status: ok}', routes, 'answers health and an OpenAPI document'],
  ['Exact-output answers', onChain, '_: _ to exactly so much _, within maxIn'],
  ['A 2xx response may hold both quotes and failures', routes, best],
  ['Exact-output streams are unsupported', stream, malformedStream],
  [
    'keepAliveMs and refreshIntervalMs enable repeated dispatch cycles',
    stream,
    'repeats with refresh and keep_alive until the client leaves, then aborts its sources',
  ],
  [
    'firstN affects when initial is emitted',
    stream,
    'waits with initial for firstN quotes, or until all have answered',
  ],
  [
    'mustInclude affects when initial is emitted',
    stream,
    'waits with initial for the sources of mustInclude, also when they fail',
  ],
  [
    'Single-shot: initial, late quote and sim_update, then done',
    stream,
    'sends initial with the first quote, late quotes after, then done',
  ],
  [
    'A late quote is not a duplicate of initial; reading ends on done',
    clients,
    '_: five clients read each event as it comes and stop on done',
  ],
  ['Event quote: proxyTx is a sibling of quote', stream, 'adds proxyTx beside each late quote'],
  [
    'Event sim_update {provider, simulation, tracking}',
    stream,
    'sends pending quotes at once and a sim_update for each',
  ],
  [
    'Events keep_alive and refresh',
    stream,
    'repeats with refresh and keep_alive until the client leaves, then aborts its sources',
  ],
  ['Event keep_alive {elapsedMs, refreshesDone}', stream, repeats],
  ['Event refresh {cycle, elapsedMs, tracking}', stream, repeats],
  [
    'Event done {elapsedMs, quoteType, tracking}',
    stream,
    'sends initial with the first quote, late quotes after, then done',
  ],
  [
    'Event initial is an initial QuoteResponse',
    stream,
    'sends initial with the first quote, late quotes after, then done',
  ],
  [
    'Updates are keyed by provider',
    stream,
    'sends pending quotes at once and a sim_update for each',
  ],
  [
    'Parse the event name, then its JSON data',
    clients,
    '_: five clients read every event of repeated cycles until they leave',
  ],
  ['done is always sent', stream, 'ends with initial and done when every source fails'],
  ['HTTP 400 for invalid input', routes, malformed],
  ['HTTP 400 for invalid input of a stream', stream, malformedStream],
  [
    'HTTP 502 for provider or upstream failures',
    routes,
    'answers 502 with failures when no source gives a quote',
  ],
]

const s = suite('meta interfaces')
for (const [sentence, file, test] of rows)
  s(`${sentence}: there is a test`, () => {
    assert.ok(readTestTitles(file).has(test), `${file} has no test "${test}"`)
  })

s.run()
