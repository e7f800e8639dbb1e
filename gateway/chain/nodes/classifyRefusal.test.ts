import { assert, suite } from '../../../fixtures/test.ts'
import { classifyRefusal } from './classifyRefusal.ts'
import type { Refusal, SaidNo } from './refusal.ts'

const s = suite('what nodes mean by saying no')

/** Bodies of real endpoints and nodes, as documented, in their sources or as reported. */
const said: readonly (readonly [who: string, no: SaidNo, means: Refusal])[] = [
  [
    'geth, where a method takes no overrides',
    { code: -32602, message: 'too many arguments, want at most 2' },
    { kind: 'overrides_refused' },
  ],
  [
    'a gateway before a node',
    { code: -32000, message: 'state overrides are not available on this plan' },
    { kind: 'overrides_refused' },
  ],
  [
    'mainnet.base.org',
    { status: 429, code: -32016, message: 'over rate limit' },
    { kind: 'rate_limited' },
  ],
  [
    'mainnet.base.org, inside a 200',
    { status: 200, code: -32016, message: '' },
    { kind: 'rate_limited' },
  ],
  [
    'mainnet.base.org',
    { status: 503, code: -32011, message: 'no backend is currently healthy to serve traffic' },
    { kind: 'unhealthy' },
  ],
  [
    'the emulator of mainnet.base.org, whose words are not known',
    { code: -32602, message: 'block range greater than 2000 max' },
    { kind: 'range_too_wide', limit: 2_000 },
  ],
  [
    'arb1.arbitrum.io, logs',
    { code: -32000, message: 'logs matched by query exceeds limit of 10000' },
    { kind: 'too_many_results', limit: 10_000 },
  ],
  [
    'arb1.arbitrum.io',
    {
      status: 429,
      code: 429,
      message: 'Public RPC Rate Limit Hit, limit will reset in 60 seconds',
    },
    { kind: 'rate_limited', retryAfterMs: 60_000 },
  ],
  [
    'Alchemy',
    { status: 429, code: 429, retryAfterMs: 1_000 },
    { kind: 'rate_limited', retryAfterMs: 1_000 },
  ],
  [
    'Alchemy',
    { code: 429, message: 'Your app has exceeded its compute units per second capacity.' },
    { kind: 'rate_limited' },
  ],
  [
    'Alchemy, logs',
    {
      status: 400,
      code: -32600,
      message:
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1a2b3c, 0x1a2b45].',
    },
    { kind: 'range_too_wide', limit: 10, advised: { from: 0x1a2b3cn, to: 0x1a2b45n } },
  ],
  ['Alchemy, tip', { code: 3, message: 'Unknown block' }, { kind: 'block_unknown' }],
  [
    'Infura',
    { code: -32005, message: 'query returned more than 10000 results' },
    { kind: 'too_many_results', limit: 10_000 },
  ],
  [
    'Infura',
    { code: -32602, message: 'range 20000 exceeds limit of 10000' },
    { kind: 'range_too_wide', limit: 10_000 },
  ],
  [
    'Infura',
    { status: 429, code: -32005, message: 'project ID request rate exceeded' },
    { kind: 'rate_limited' },
  ],
  ['Infura, day', { status: 402, code: 402, message: '' }, { kind: 'quota_gone' }],
  [
    'Infura, day',
    { code: -32005, message: 'daily request count exceeded, request rate limited' },
    { kind: 'quota_gone' },
  ],
  [
    'QuickNode, logs',
    { status: 413, code: -32614, message: 'eth_getLogs is limited to a 10,000 range' },
    { kind: 'range_too_wide', limit: 10_000 },
  ],
  ['QuickNode, logs', { status: 413, code: -32614, message: '' }, { kind: 'range_too_wide' }],
  [
    'QuickNode',
    { status: 429, code: -32007, message: '15/second request limit reached' },
    { kind: 'rate_limited' },
  ],
  ['QuickNode', { status: 429, code: -32009, message: '' }, { kind: 'rate_limited' }],
  [
    'QuickNode',
    { status: 429, code: -32012, message: 'credits limited to 500/sec' },
    { kind: 'rate_limited' },
  ],
  [
    'QuickNode, plan',
    { code: -32612, message: 'this method is not in your plan' },
    { kind: 'method_missing' },
  ],
  ['QuickNode, plan', { code: -32613, message: '' }, { kind: 'method_missing' }],
  ['QuickNode, disabled', { status: 403 }, { kind: 'quota_gone' }],
  [
    'Chainstack',
    { status: 413, message: '<html><h1>413 Request Entity Too Large</h1></html>' },
    { kind: 'body_too_large' },
  ],
  [
    'Chainstack, logs',
    { code: -32602, message: 'Block range limit exceeded.' },
    { kind: 'range_too_wide' },
  ],
  ['Chainstack', { status: 502, message: '<html>502 Bad Gateway</html>' }, { kind: 'unhealthy' }],
  ['Chainstack', { status: 504, message: '<html></html>' }, { kind: 'call_timeout' }],
  ['Chainstack, JS tracer', { code: -32612 }, { kind: 'method_missing' }],
  ['Ankr, logs', { code: -32600, message: 'block range is too wide' }, { kind: 'range_too_wide' }],
  ['Ankr', { status: 429, message: 'Too many requests' }, { kind: 'rate_limited' }],
  [
    'dRPC, batch',
    {
      status: 200,
      code: 31,
      message:
        'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org',
    },
    { kind: 'batch_too_large', limit: 3 },
  ],
  ['dRPC, batch', { status: 200, code: 31 }, { kind: 'batch_too_large' }],
  [
    'dRPC',
    { code: 30, message: 'Request timeout on the free tier, please upgrade your tier to paid' },
    { kind: 'unhealthy' },
  ],
  [
    'dRPC, logs',
    { code: 35, message: 'ranges over 10000 blocks are not supported on freetier' },
    { kind: 'range_too_wide', limit: 10_000 },
  ],
  ['dRPC, quota', { status: 402 }, { kind: 'quota_gone' }],
  [
    'PublicNode',
    { code: -32701, message: 'exceed maximum block range: 50000' },
    { kind: 'range_too_wide', limit: 50_000 },
  ],
  [
    'BlockPI',
    { code: -32602, message: 'eth_getLogs is limited to 1024 block range' },
    { kind: 'range_too_wide', limit: 1_024 },
  ],
  [
    '1RPC',
    { code: -32000, message: 'response size should not greater than 10000000 bytes' },
    { kind: 'answer_too_large' },
  ],
  [
    '1RPC',
    { code: -32000, message: 'eth_getLogs is limited to 0 - 1000 blocks range' },
    { kind: 'range_too_wide', limit: 1_000 },
  ],
  [
    'Llama',
    { code: -32602, message: 'query exceeds max results 20000' },
    { kind: 'too_many_results', limit: 20_000 },
  ],
  ['Llama', { status: 200, message: 'error code: 1015' }, { kind: 'rate_limited' }],
  [
    'Tenderly',
    { status: 429, code: -32005, message: 'rate limit exceeded' },
    { kind: 'rate_limited' },
  ],
  [
    'Tenderly',
    { status: 403, code: -32004, message: 'monthly quota reached' },
    { kind: 'quota_gone' },
  ],
  ['reth', { code: -32008, message: 'Response is too big' }, { kind: 'answer_too_large' }],
  [
    'reth',
    {
      code: -32602,
      message: 'query exceeds max results 20000, retry with the range 33228756-33228800',
    },
    { kind: 'too_many_results', limit: 20_000, advised: { from: 33_228_756n, to: 33_228_800n } },
  ],
  [
    'reth',
    { code: -32602, message: 'query exceeds max block range 100000' },
    { kind: 'range_too_wide', limit: 100_000 },
  ],
  [
    'reth',
    { code: -32602, message: 'block range extends beyond current head block' },
    { kind: 'block_unknown' },
  ],
  ['reth', { code: -32001, message: 'block not found: 0x1234' }, { kind: 'block_unknown' }],
  ['reth', { code: -32001, message: 'block not found: hash 0x12' }, { kind: 'block_unknown' }],
  ['reth', { code: 4444, message: 'pruned history unavailable' }, { kind: 'history_missing' }],
  [
    'geth',
    { status: 413, message: 'content length too large (6000000>5242880)' },
    { kind: 'body_too_large' },
  ],
  ['geth', { code: -32003, message: 'response too large' }, { kind: 'answer_too_large' }],
  ['geth', { code: -32600, message: 'batch too large' }, { kind: 'batch_too_large' }],
  ['geth', { code: -32000, message: 'execution aborted (timeout = 5s)' }, { kind: 'call_timeout' }],
  ['geth', { code: -32002, message: 'request timed out' }, { kind: 'call_timeout' }],
  ['geth', { code: -32000, message: 'header not found' }, { kind: 'block_unknown' }],
  ['geth', { code: -32000, message: 'unknown block' }, { kind: 'block_unknown' }],
  ['geth', { code: -32000, message: 'header for hash not found' }, { kind: 'block_unknown' }],
  [
    'Erigon',
    { code: -32000, message: `block ${'0a'.repeat(32)} not found` },
    { kind: 'block_unknown' },
  ],
  [
    'geth',
    { code: -32000, message: 'hash 0x12 is not currently canonical' },
    { kind: 'block_unknown' },
  ],
  [
    'geth',
    { code: -32000, message: 'missing trie node 0a (path ) state 0x0 is not available' },
    { kind: 'history_missing' },
  ],
  [
    'jsonrpsee',
    { code: -32005, message: 'Batched requests are not supported by this server' },
    { kind: 'batch_too_large' },
  ],
  [
    'jsonrpsee',
    { code: -32010, message: 'The batch request was too large' },
    { kind: 'batch_too_large' },
  ],
  ['jsonrpsee', { code: -32007, message: 'Request is too big' }, { kind: 'body_too_large' }],
  [
    'jsonrpsee',
    { code: -32009, message: 'Server is busy, try again later' },
    { kind: 'unhealthy' },
  ],
  ['proxyd', { status: 503, code: -32010, message: 'backend offline' }, { kind: 'unhealthy' }],
  [
    'proxyd',
    { status: 429, code: -32012, message: 'backend is over capacity' },
    { kind: 'rate_limited' },
  ],
  [
    'proxyd',
    { status: 413, code: -32014, message: 'too many RPC calls in batch request' },
    { kind: 'batch_too_large' },
  ],
  ['proxyd', { status: 504, code: -32015, message: 'gateway timeout' }, { kind: 'call_timeout' }],
  [
    'proxyd',
    { status: 429, code: -32017, message: 'sender is over rate limit' },
    { kind: 'sender_limited' },
  ],
  ['proxyd', { status: 503, code: -32018 }, { kind: 'unhealthy' }],
  [
    'proxyd',
    { status: 500, code: -32020, message: 'backend response too large' },
    { kind: 'answer_too_large' },
  ],
  [
    'proxyd',
    { status: 413, code: -32021, message: 'request body too large' },
    { kind: 'body_too_large' },
  ],
  ['proxyd', { code: -32024, message: 'too many requests' }, { kind: 'rate_limited' }],
  [
    'proxyd',
    { code: -32001, message: 'rpc method is not whitelisted' },
    { kind: 'method_missing' },
  ],
  ['eRPC', { code: -32014, message: 'block not available' }, { kind: 'block_unknown' }],
  ['Nethermind', { code: -32015, message: 'VM execution error.' }, { kind: 'reverted' }],
  [
    'a contract',
    { code: 3, message: 'execution reverted: too many requests' },
    { kind: 'reverted' },
  ],
  ['a contract', { code: 3, message: '' }, { kind: 'reverted' }],
  ['geth, a call', { code: -32000, message: 'invalid jump destination' }, { kind: 'reverted' }],
  [
    'geth, a call',
    { code: -32000, message: 'stack limit reached 1024 (1023)' },
    { kind: 'reverted' },
  ],
  ['geth, a call', { code: -32000, message: 'return data out of bounds' }, { kind: 'reverted' }],
  ['geth, a call', { code: -32000, message: 'gas uint64 overflow' }, { kind: 'reverted' }],
  [
    'geth, an estimate',
    { code: -32000, message: 'gas required exceeds allowance (1200000)' },
    { kind: 'reverted' },
  ],
  [
    'reth, an estimate',
    { code: -32003, message: 'out of gas: gas required exceeds: 1200000' },
    { kind: 'reverted' },
  ],
  [
    'a node that caps gas',
    { code: -32000, message: 'gas 26000000 exceeds the cap of 10000000' },
    { kind: 'gas_cap', limit: 10_000_000 },
  ],
  [
    'all',
    { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' },
    { kind: 'method_missing' },
  ],
  [
    'all',
    { code: -32602, message: 'missing value for required argument 0' },
    { kind: 'invalid_request' },
  ],
  ['all', { code: -32000, message: 'the node has lost its mind' }, { kind: 'failed' }],
]

for (const [who, no, means] of said)
  s(`${who}: ${no.message?.slice(0, 60) || `${no.status ?? ''} ${no.code ?? ''}`.trim()}`, () =>
    assert.equal(classifyRefusal(no), means),
  )

s('reads no advice that ends before it begins', () => {
  const message = 'query exceeds max results 20000, retry with the range 20-10'
  assert.is(classifyRefusal({ code: -32602, message }).advised, undefined)
})

s('one code means what the words beside it say [nodes/refusals]', () => {
  const meaningsOf = (code: number) =>
    new Set(said.flatMap(([, no, { kind }]) => (no.code === code ? [kind] : [])))
  for (const code of [-32005, -32602, -32600, -32000, 3]) assert.ok(meaningsOf(code).size >= 2)
})
s.run()
