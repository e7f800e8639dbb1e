import type { RefusalKind } from './refusal.ts'

type PhraseRow = readonly [kind: RefusalKind, said: RegExp, by: string]
type CodeRow = readonly [kind: RefusalKind, codes: readonly number[], by: string]

/**
 * By what is said: the first that fits. Words come before codes, as one code has many meanings.
 * Where they were found: each provider's documents, the sources of the nodes and of proxyd, and what
 * clients collected (eRPC's error_normalizer, ponder's getLogsRetryHelper), 2025 to 2026.
 */
export const phrases: readonly PhraseRow[] = [
  [
    'reverted',
    /^execution reverted|^vm (execution error|exception)|^revert(ed)?\b|^(evm|execution) halted/i,
    'geth, reth, Nethermind, Hardhat',
  ],
  ['reverted', /out of gas|evm error|invalid opcode|stack (under|over)flow/i, 'geth, reth, anvil'],
  [
    'reverted',
    /invalid jump destination|stack limit reached|return data out of bounds|gas uint64 overflow/i,
    'geth, Nitro',
  ],
  // What was to run takes more than it may, or than its sender can pay.
  ['reverted', /gas required exceeds/i, 'geth, Nitro, reth: estimates'],
  [
    'unauthorized',
    /^unauthori[sz]ed|must be authenticated|api key is not allowed/i,
    'Ankr, Alchemy, eRPC -32016, Goldsky',
  ],
  ['overrides_refused', /state ?-?overrides?|too many arguments, want at most 2/i, 'geth, several'],
  ['sender_limited', /sender is over rate limit/i, 'proxyd -32017'],
  ['block_unknown', /extends beyond current head/i, 'reth, execution-apis#875'],
  [
    'block_unknown',
    /header not found|unknown block|block not found/i,
    'geth, Nitro, Alchemy, reth',
  ],
  ['block_unknown', /header for hash not found|is not currently canonical/i, 'geth, Nitro'],
  ['block_unknown', /block (0x)?[\da-f]{64} not found/i, 'Erigon'],
  ['block_unknown', /block (is )?not available|could not find block/i, 'eRPC -32014'],
  // One node alone, that knows its head: nothing to wait for.
  ['invalid_request', /block ?out ?of ?range/i, 'anvil'],
  ['history_missing', /missing trie node|pruned|pruning/i, 'geth, reth 4444'],
  ['history_missing', /historical state|state .*not available|archive/i, 'geth, several'],
  ['history_missing', /exceeds maximum proof window/i, 'reth eth_getProof'],
  [
    'quota_gone',
    /(daily|monthly|month's|day's) .*(limit|quota|count|cap|credits)/i,
    'Infura, Alchemy',
  ],
  [
    'quota_gone',
    /quota|payment required|upgrade your plan to continue/i,
    'Tenderly -32004, dRPC 402',
  ],
  [
    'batch_too_large',
    /batch\w* (requests? )?(is |are |was )?(too large|not supported)/i,
    'geth, jsonrpsee',
  ],
  [
    'batch_too_large',
    /batch(es)? of more than|calls in (a )?batch|batch size/i,
    'dRPC 31, proxyd -32014',
  ],
  ['batch_too_large', /batch.*(exceed|limit|maximum|at most)/i, 'Ankr, several'],
  ['too_many_results', /exceeds max results|returned more than [\d,]+ results/i, 'reth, Infura'],
  ['too_many_results', /logs matched by query exceeds limit/i, 'arb1.arbitrum.io'],
  ['too_many_results', /(more than|exceeds?( limit of)?) [\d,]+ (logs|results)/i, 'Llama, Ankr'],
  [
    'too_many_results',
    /log response size exceeded|too many (logs|results)/i,
    'Alchemy -32602, of ranges that it would answer otherwise',
  ],
  ['range_too_wide', /this block range should work/i, 'Alchemy -32600'],
  [
    'range_too_wide',
    /range (is )?(too (wide|large|high)|larger|bigger)|range limit exceeded/i,
    'Ankr, GetBlock, Nodies, Cloudflare, Morph, Scroll; Chainstack',
  ],
  [
    'range_too_wide',
    /max(imum)? (allowed )?(block )?range|range [\d, -]+ exceeds|range must not exceed/i,
    'PublicNode, eRPC, Infura',
  ],
  [
    'range_too_wide',
    /requested too many blocks|number of requested blocks|limit the query to|range allowed for your plan/i,
    'Avalanche, thirdweb, Coinbase -32005, Blast',
  ],
  ['range_too_wide', /at most [\d,]+ ?[km]? blocks/i, 'several'],
  [
    'range_too_wide',
    /limited to (a )?[\d,]+ (block )?range|ranges? over [\d,]+ blocks/i,
    'QuickNode, dRPC',
  ],
  [
    'range_too_wide',
    /[\d,]+ ?[km]? blocks? range|block range.*(exceed|limit|more than|greater)/i,
    '1RPC, BlockPI',
  ],
  ['range_too_wide', /range.* (is |are )?limited to/i, 'several'],
  ['range_too_wide', /(exceed|more than|greater than|limit).*blocks? range/i, 'reth, several'],
  [
    'answer_too_large',
    /response (is |was )?too (big|large)|response size (should|exceed)/i,
    'reth, geth, jsonrpsee of a batch, 1RPC',
  ],
  [
    'body_too_large',
    /(content length|entity|body|request|payload) (is )?too (large|big)/i,
    'geth, nginx, jsonrpsee',
  ],
  [
    'gas_cap',
    /gas.*(exceeds|above|higher than|greater than|over).*(cap|limit|maximum|allowed)/i,
    'several',
  ],
  ['gas_cap', /gas (limit|cap)?.*(too high|exceeded the cap)|max(imum)? gas/i, 'Erigon, anvil'],
  ['call_timeout', /execution (aborted|timeout)|timeout = \d/i, 'geth, Nitro, eRPC'],
  [
    'call_timeout',
    /gateway timeout|request timed out|deadline exceeded|query timeout/i,
    'proxyd, geth',
  ],
  [
    'method_missing',
    /method.*(not (found|supported|available|whitelisted|exist)|does ?n.t exist|unsupported)/i,
    'all',
  ],
  [
    'method_missing',
    /unsupported method|^unsupported\W*$|not (included )?in (your |the )?(current )?plan|is not available on/i,
    'QuickNode',
  ],
  [
    'rate_limited',
    /(over|rate|request|requests|throughput) limit|too many requests|code: 1015|concurrent requests/i,
    'proxyd, arb1, QuickNode, Cloudflare; Alchemy of a socket',
  ],
  [
    'rate_limited',
    /compute units per second|limit exceeded|credits limited|over capacity/i,
    'Alchemy, Infura, QuickNode, proxyd',
  ],
  ['unhealthy', /no backend|backend (is )?(offline|unhealthy)|not healthy|unhealthy/i, 'proxyd'],
  ['unhealthy', /no (nodes|server) available/i, 'Cloudflare, eRPC'],
  [
    'unhealthy',
    /timeout on the free tier|server (is )?busy|temporarily unavailable|try again/i,
    'dRPC 30, jsonrpsee',
  ],
]

/**
 * By the code, where the words say nothing. Not -32015: a halt of what ran to some, and a time-out of
 * proxyd's and eRPC's.
 */
export const codes: readonly CodeRow[] = [
  ['rate_limited', [-32005, -32097, 429, 1008, 1015], 'Infura, Tenderly, arb1, Alchemy'],
  ['rate_limited', [-32016, -32024], 'proxyd'],
  ['rate_limited', [-32007, -32009, -32012], 'QuickNode; jsonrpsee and proxyd use words'],
  ['sender_limited', [-32017], 'proxyd'],
  ['batch_too_large', [31], 'dRPC'],
  ['unhealthy', [30], 'dRPC'],
  ['unhealthy', [-32010, -32011, -32018], 'proxyd'],
  ['unhealthy', [-32055], 'Cloudflare'],
  ['batch_too_large', [-32014], 'proxyd'],
  ['call_timeout', [-32002], 'geth'],
  ['answer_too_large', [-32008, -32020], 'jsonrpsee, proxyd'],
  ['body_too_large', [-32021], 'proxyd'],
  ['range_too_wide', [-32614], 'QuickNode'],
  ['method_missing', [-32601, -32612, -32613], 'all; QuickNode, Chainstack'],
  ['quota_gone', [402, -32004], 'Infura, Tenderly'],
  ['history_missing', [4444], 'EIP-4444: reth'],
  ['block_unknown', [-32001], 'EIP-1474: geth, reth'],
  ['reverted', [3], 'geth, reth'],
  ['invalid_request', [-32600, -32602, -32700], 'JSON-RPC'],
]

/** By the HTTP status, where the body says nothing. */
export const statuses: readonly CodeRow[] = [
  ['rate_limited', [429], 'all'],
  ['unauthorized', [401], 'all'],
  ['quota_gone', [402, 403], 'Infura, dRPC, QuickNode'],
  ['body_too_large', [413], 'nginx, geth'],
  ['call_timeout', [504], 'proxyd, nginx'],
  ['unhealthy', [408, 500, 502, 503, 520, 521, 522, 523, 524], 'nginx, Cloudflare'],
  ['method_missing', [404, 405], 'several'],
  ['invalid_request', [400], 'all'],
]
