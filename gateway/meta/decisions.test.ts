import { assert, suite } from '../../fixtures/test.ts'
import { readTestTitles } from '../../fixtures/testTitles.ts'

/** What the meta-aggregator promises beyond the interfaces document, and the test that proves it. */
type Row = readonly [promise: string, file: string, test: string]

const routes = 'meta/routes.test.ts'
const dispatch = 'meta/dispatch.test.ts'
const faults = 'meta/providerFaults.test.ts'
const providers = 'meta/providers.test.ts'
const rank = 'meta/rank.test.ts'
const stream = 'meta/stream.test.ts'
const clients = 'meta/streamClients.test.ts'
const withRouting = 'meta/withRouting.fork.test.ts'
const onChain = 'meta/onChain.fork.test.ts'
const quoted = 'meta/quotedSources.fork.test.ts'
const metrics = 'sourceMetrics.test.ts'

const rows: readonly Row[] = [
  // Sources
  [
    'on-chain sources through their own routers',
    onChain,
    '_: _ to _ delivers what each source quotes, to the wei',
  ],
  ['those of quoted families too', quoted, '_: _ gives _ for _ as quoted, to the wei'],
  [
    'their payloads guard the output',
    quoted,
    '_: a payload of each family reverts below its guard',
  ],
  [
    'each exchange is a source, or there is a reason',
    quoted,
    '_: every exchange of the routing service is a source or left out with a reason',
  ],
  ['providers: units, placeholders, spender', providers, '_: 500 USDC to WETH in its own units'],
  [
    'a spender apart from the target',
    providers,
    'okx and relay name a spender that is not their target',
  ],
  [
    'exact output where the provider has it',
    providers,
    'asks for exact outputs where the provider has them',
  ],
  ['unsupported_exact_output', providers, 'says so where the provider has no exact output'],
  ['unsupported_chain', providers, 'says so on a chain that the provider does not serve'],
  ['CoW is a reference price only', providers, 'cow is a price, never a quote'],
  [
    'key, base URL, timeout and rate are configuration',
    'meta/providerSettings.test.ts',
    'reads a list of names, JSON with settings, and nothing',
  ],
  [
    'a source can be turned off',
    'meta/configuredProviders.test.ts',
    'never asks a source that is turned off, and knows the names it can turn off',
  ],
  // Dispatch
  ['parallel', 'meta/fanOut.test.ts', 'asks all at once and answers in the order of arrival'],
  ['one deadline', 'meta/fanOut.test.ts', 'ends at the deadline with nothing in hand'],
  [
    'a slow source never delays the rest',
    'meta/fanOut.test.ts',
    'stops waiting for slow sources once patience ends with a quote in hand',
  ],
  [
    'only slow ones are waited for',
    'meta/fanOut.test.ts',
    'waits beyond patience when only slow sources can answer',
  ],
  ['a timeout per source', dispatch, 'bounds an answer by the timeout of the source and aborts it'],
  ['an abort reaches the socket', faults, 'an abort closes the socket of the provider at once'],
  [
    'and connects no other',
    'meta/provider/createConnections.test.ts',
    'closes the connection of a request given up _, and connects no other',
  ],
  ['Retry-After is respected', dispatch, 'makes no call while the source asked for a pause'],
  [
    'also by those in the queue',
    dispatch,
    'keeps a pause that is asked for while others stand in the queue, and tries nothing inside',
  ],
  [
    'one retry, of transient faults only',
    dispatch,
    'tries a transient fault once more, and nothing else',
  ],
  [
    'a circuit breaker',
    dispatch,
    'opens the circuit after faults in a row, and lets one call try later',
  ],
  ['a concurrency limit and a rate', dispatch, 'limits calls at once and per second'],
  [
    'single flight',
    dispatch,
    'shares one call between equal requests, and aborts it when the last caller left',
  ],
  [
    'late quotes are kept for streams',
    stream,
    'sends initial with the first quote, late quotes after, then done',
  ],
  // Truth
  [
    'all quotes are simulated, and the winner is best',
    routes,
    'moves best to the winner of the simulation',
  ],
  ['states as enumerated', routes, 'names _ _, and best is another'],
  [
    'an unreachable simulator is rpcError',
    routes,
    'names a simulator that cannot be reached rpcError',
  ],
  ['the allowlist is by chain', 'meta/checkQuote.test.ts', 'knows lists by chain'],
  [
    'a source without a list is standard only',
    'meta/checkQuote.test.ts',
    'takes a provider without a list only under the standard policy',
  ],
  ['strict: simulated with success', routes, 'strict keeps only what a simulation proved'],
  [
    "strict: within the caller's bound",
    routes,
    'strict refuses a payload that delivers less than the bound',
  ],
  [
    'strict streams show nothing unproved',
    stream,
    'shows nothing unproved under the strict policy',
  ],
  [
    'simulated first, reverted never best',
    rank,
    'puts what a simulation proved before what is only promised, reverted last',
  ],
  [
    'net of gas, with the L1 data fee',
    rank,
    'compares net of gas and of the L1 data fee where a price is known',
  ],
  [
    'the price of gas and of the L1 data fee',
    'meta/priceGas.fork.test.ts',
    '_: knows gas, the L1 data fee of each payload, and the price of both',
  ],
  [
    'absurd quotes do not win unsimulated',
    rank,
    'keeps an absurdly high quote from winning until a simulation proves it',
  ],
  ['nor two that agree', rank, 'is not fooled by two lures that agree'],
  [
    'taxes are reported',
    withRouting,
    'delivers a token that taxes its transfers, with its tax reported by every source',
  ],
  // Exact output, relaxed guards, proxies
  [
    'reverse, then forward',
    'meta/withExactOutput.test.ts',
    'reaches _ with at most 0.2 % too much, in at most six calls',
  ],
  ['never over maxIn', 'meta/withExactOutput.test.ts', 'never asks for more than maxIn'],
  [
    'relaxed as far as each source takes it',
    providers,
    'relaxes a guard as far as each provider takes it, and no further',
  ],
  [
    'proxyTx is what its calldata encodes',
    routes,
    'adds proxyTx whose value and minOut are what its calldata encodes',
  ],
  [
    'simulated through the proxy',
    routes,
    'simulates through a proxy that is deployed, and directly before it is',
  ],
  ['and executed', onChain, "_: proxyTx runs through the owner's proxy, simulated and for real"],
  // Stream
  [
    'five clients, nginx, gzip: single shot',
    clients,
    '_: five clients read each event as it comes and stop on done',
  ],
  [
    'five clients, nginx, gzip: repeated cycles',
    clients,
    '_: five clients read every event of repeated cycles until they leave',
  ],
  ['the answer is packed', clients, 'nginx does pack the stream'],
  ['204 after done', stream, 'answers 204 to a client that comes back after done'],
  [
    'back-pressure holds up further cycles',
    'meta/backPressure.test.ts',
    'asks nobody anew for a client that does not read, and goes on once it reads',
  ],
  [
    'back-pressure is bounded',
    'meta/outbox.test.ts',
    'keeps one event per key for a client that does not read, the newest',
  ],
  [
    '500 open streams',
    'meta/manyStreams.test.ts',
    'serves 500 open streams at once, and aborts all upstream work when they leave',
  ],
  // What operators see
  ['GET /sources', withRouting, 'lists its sources with their figures'],
  [
    'metrics: answers',
    metrics,
    'counts each answer of each source by its outcome, refusals of our own included',
  ],
  [
    'metrics: circuits and pauses',
    metrics,
    'shows an open circuit and a pause that was asked for, and nobody else beside them',
  ],
  ['metrics: durations', metrics, 'measures how long each source took'],
  // Faults
  ['garbage, HTML, huge bodies, redirects', faults, '_ is _ from every provider, never a throw'],
  ['hostile payloads', faults, '_ is _ from every provider'],
  [
    'another token',
    faults,
    'another token than the asked one is no quote of any provider that names it',
  ],
  [
    'another chain',
    faults,
    'another chain than the asked one is no quote of any provider that names it',
  ],
  ['SSRF', faults, 'refuses base URLs that are not public and https, unless allowed'],
  ['malformed bodies', routes, 'refuses _ with 400 and one sentence'],
  ['malformed bodies of a stream', stream, 'refuses _ with 400 before the stream opens'],
  ['502 carries failures', routes, 'answers 502 with failures when no source gives a quote'],
]

const s = suite('meta decisions')
for (const [promise, file, test] of rows)
  s(`${promise}: there is a test`, () => {
    assert.ok(readTestTitles(file).has(test), `${file} has no test "${test}"`)
  })
s.run()
