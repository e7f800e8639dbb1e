import { assert, suite } from '../../../fixtures/test.ts'
import { classifyRefusal } from './classifyRefusal.ts'
import type { Refusal, RefusalKind, SaidNo } from './refusal.ts'

/** Of sources and documents, and as people report them; `several`: forms that name no provider. */
const s = suite('the words in which nodes say no')

const alchemySize =
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x10ff]'
const wide = (limit?: number): Refusal => ({
  kind: 'range_too_wide',
  ...(limit !== undefined && { limit }),
})

const said: readonly (readonly [by: string, code: number, message: string, means: Refusal])[] = [
  [
    'Alchemy, of the size (ethers#4703)',
    -32602,
    alchemySize,
    { kind: 'too_many_results', limit: 10_000, advised: { from: 0n, to: 0x10ffn } },
  ],
  [
    'zkSync, Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    { kind: 'too_many_results', limit: 10_000, advised: { from: 1n, to: 2n } },
  ],
  [
    'Alchemy (dank_mids#772)',
    -32600,
    'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123cba5]',
    { ...wide(500), advised: { from: 0x123c9b2n, to: 0x123cba5n } },
  ],
  ['Alchemy', -32602, 'You can make eth_getLogs requests with up to a 10K block range', wide(10e3)],
  ['several', -32602, 'block range is limited to 1k', wide(1_000)],
  ['several', -32602, 'you may query at most 2k blocks', wide(2_000)],
  ['several', -32602, 'eth_getLogs block range is limited to 1.5M', wide(1_500_000)],
  ['mainnet.base.org (hyperindex)', -32602, 'block range too large', wide()],
  ['GetBlock', -32005, 'Block range too large', wide()],
  ['Coinbase (chainstorage)', -32005, 'please limit the query to at most 1000 blocks', wide(1_000)],
  [
    'Avalanche (libevm)',
    -32000,
    'requested too many blocks from 0 to 10000, maximum is set to 2048',
    wide(2_048),
  ],
  [
    'Nodies',
    -32001,
    'Block range too large: maximum allowed is 50 blocks on your current plan. Upgrade your subscription at https://nodies.app for larger ranges.',
    wide(50),
  ],
  [
    'Cloudflare',
    -32047,
    "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    wide(800),
  ],
  ['eRPC', -32012, 'getLogs request exceeded max allowed range', wide()],
  ['several', -32000, 'block range is too large, max is 1000', wide(1_000)],
  [
    'thirdweb (hyperindex)',
    -32602,
    'Maximum allowed number of requested blocks is 3500',
    wide(3_500),
  ],
  [
    'Blast (hyperindex)',
    -32600,
    'exceeds the range allowed for your plan (5000 > 3000)',
    wide(3_000),
  ],
  [
    'Morph (hyperindex#605)',
    -32000,
    'block range is larger than max block range, block range = 5120, max block range = 5000',
    wide(5_000),
  ],
  ['Scroll', -32000, 'block range is bigger than maxBlockRange', wide()],
  ['Candle (alpha-wallet-ios#5277)', -32600, 'block range too high', wide()],
  ['several', -32602, 'log query range must not exceed 25 blocks', wide(25)],
  ['Infura', -32602, 'range 25887126 - 25897126 exceeds limit of 10000', wide(10_000)],
]
for (const [by, code, message, means] of said)
  s(`${by}, ${code}: ${message.slice(0, 60)} [nodes/range-words]`, () =>
    assert.equal(classifyRefusal({ code, message }), means),
  )

s(
  'takes the length of an advised range for the limit where both are told [nodes/range-words]',
  () => {
    const message = 'up to a few blocks: this block range should work: [0x10, 0x19]'
    assert.is(classifyRefusal({ code: -32600, message }).limit, 10)
  },
)

s('reads thousands and millions of bytes and gas, too [nodes/range-words]', () => {
  for (const [message, kind, limit] of [
    ['request body too large: limit is 5MB', 'body_too_large', 5_000_000],
    ['batch size limit of 1k exceeded', 'batch_too_large', 1_000],
    ['gas limit exceeds the allowed maximum of 25M', 'gas_cap', 25_000_000],
  ] as const)
    assert.equal(classifyRefusal({ message }), { kind, limit })
})

const others: readonly (readonly [by: string, no: SaidNo, kind: RefusalKind])[] = [
  [
    'Ankr (near-ca#173)',
    {
      code: -32000,
      message: 'Unauthorized: You must authenticate your request with an API key.',
    },
    'unauthorized',
  ],
  [
    'Ankr (viem#3476)',
    { status: 403, message: 'message: API key is not allowed to access blockchain' },
    'unauthorized',
  ],
  ['Alchemy (eRPC)', { code: -32600, message: 'Must be authenticated!' }, 'unauthorized'],
  ['eRPC, Goldsky', { code: -32016, message: 'unauthorized' }, 'unauthorized'],
  ['several', { code: -32001, message: 'Unauthorized' }, 'unauthorized'],
  ['all', { status: 401 }, 'unauthorized'],
  ['EIP-1474', { code: -32001, message: 'Resource not found' }, 'block_unknown'],
  ['several (eRPC)', { code: -32001, message: 'Unsupported' }, 'method_missing'],
  ['Cloudflare (foundry#11667)', { code: -32055, message: 'No nodes available' }, 'unhealthy'],
  ['Cloudflare (alloy)', { code: -32055, message: '' }, 'unhealthy'],
  [
    'Alchemy (ithacaxyz/relay#1352)',
    {
      code: 1008,
      message:
        'You have exceeded the maximum number of concurrent requests on a single WebSocket. At most 200 concurrent requests are allowed per WebSocket.',
    },
    'rate_limited',
  ],
  ['several', { code: -32000, message: 'too many concurrent requests' }, 'rate_limited'],
  ['jsonrpsee', { code: -32011, message: 'The batch response was too large' }, 'answer_too_large'],
  ['reth, a halt', { code: -32015, message: 'EVM error: InvalidFEOpcode' }, 'reverted'],
  ['several', { code: -32015, message: 'execution halted: OutOfGas' }, 'reverted'],
  ['eRPC', { code: -32015, message: 'execution timeout' }, 'call_timeout'],
  ['eRPC, proxyd or reth', { code: -32015, message: '' }, 'failed'],
  ['proxyd', { status: 504, code: -32015, message: '' }, 'call_timeout'],
  [
    'Hardhat',
    {
      code: -32603,
      message: "VM Exception while processing transaction: reverted with 'Unauthorized'",
    },
    'reverted',
  ],
  ['a contract', { code: 3, message: 'execution reverted: Unauthorized' }, 'reverted'],
]
for (const [by, no, kind] of others)
  s(`${by}: ${no.message || `${no.status ?? ''} ${no.code ?? ''}`} [nodes/refusal-words]`, () =>
    assert.is(classifyRefusal(no).kind, kind),
  )
s.run()
