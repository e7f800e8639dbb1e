import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroHash,
} from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import {
  bareChain,
  makeQuote,
  makeRequest,
  router,
  scriptSource,
  taker,
  usdc,
  weth,
} from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { nativeToken, type SourceQuote, type SourceRequest } from '../provider/source.ts'
import { targetsOf } from '../sources/providers.ts'
import { checkedSource, checkQuote, type TargetRow } from './checkQuote.ts'
import type { FoundAllowance } from './findAllowance.ts'

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
  checkQuote(
    { ...bareChain, targets, policy },
    { quote: makeQuote(quote), request: makeRequest(request) },
  )?.reason

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
  ['the input token as spender', { approveTarget: usdc }, {}, 'target_not_allowed'],
  ['the output token as spender', { approveTarget: weth }, {}, 'target_not_allowed'],
  ['the native currency as spender', { approveTarget: nativeToken }, {}, 'target_not_allowed'],
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
  // Of slippage 50 bps, and 100 that providers round and keep.
  ['an exact output within bounds', { maxAmountIn: 1_015_000n }, exact, undefined],
  [
    'an exact output that may take more than was quoted [17/exact-input-cap]',
    { maxAmountIn: 1_015_001n },
    exact,
    'invalid_response',
  ],
  ['an exact output over maxIn', { maxAmountIn: 2_000_001n }, exact, 'no_route'],
  ['an exact output not guaranteed', { minAmountOut: 499n }, exact, 'invalid_response'],
]
for (const [name, quote, request, reason] of rows)
  s(`${reason ? 'refuses' : 'takes'} ${name}`, () => assert.is(why(quote, request), reason))

s('refuses a token that the registry knows, as target and as spender [teeth/known-token]', () => {
  const lists = {
    targets: [
      { provider: 'a', chainId: 8453, targets: [router, other], spenders: [router, other] },
    ],
  } as const
  const check = (quote: Partial<SourceQuote>, known: string) =>
    checkQuote(
      { ...lists, policy: 'standard', isToken: (_, address) => address === known },
      { quote: makeQuote(quote), request: makeRequest() },
    )?.detail
  assert.is(check({ target: other }, other), 'the target is a token')
  assert.is(check({ approveTarget: other }, other), 'the spender is a token')
  assert.equal(
    [check({ target: other }, usdc), check({ approveTarget: other }, usdc)],
    [undefined, undefined],
  )
})

s(
  'takes a source without a list only where it was switched on, under the standard policy [meta/no-allowlist]',
  () => {
    assert.is(why({ provider: 'open', target: other }), undefined)
    assert.is(why({ provider: 'open', target: other }, {}, 'strict'), 'target_not_allowed')
    assert.is(why({ provider: 'unknown', target: other }), 'target_not_allowed')
    assert.is(why({ provider: 'unknown', target: other }, {}, 'strict'), 'target_not_allowed')
  },
)

/** The outcome of one source whose target may, or may not, take tokens of the caller's already. */
async function checked(
  quote: Partial<SourceQuote>,
  allowance: FoundAllowance,
  settlers?: readonly Address[],
  rows: readonly TargetRow[] = targets,
) {
  const deps = {
    ...bareChain,
    targets: rows,
    policy: 'standard' as const,
    findAllowance: async () => allowance,
    findSettlers: async () => settlers,
  }
  const answer = { status: 'quote' as const, quote: makeQuote(quote) }
  const source = checkedSource(deps, scriptSource({ name: 'a', answer }))
  const signal = new AbortController().signal
  const outcome = await source.quote(makeRequest(), { signal, onRetry: () => undefined })
  return outcome.status === 'failure' ? `${outcome.reason}: ${outcome.detail}` : outcome
}
const held: FoundAllowance = { status: 'held', token: weth }

s(
  'refuses a target that may take other tokens of the caller, unless it is the spender [strangers/held-allowance]',
  async () => {
    const open = { provider: 'open', target: other } as const
    assert.match(
      String(await checked(open, held)),
      /^target_not_allowed: the target may already take 0x42/,
    )
    assert.match(String(await checked(open, { status: 'unknown' })), /^upstream_error/)
    const spends = await checked({ ...open, approveTarget: other }, held)
    assert.is(typeof spends === 'object' && spends.status, 'quote')
  },
)

s(
  "refuses an order at AllowanceHolder for whom 0x's registry does not name [17/settlers]",
  async () => {
    const order = encodeAbiParameters(
      parseAbiParameters('address, address, uint256, uint256, bytes32, uint256'),
      [taker, weth, 995n, 160n, zeroHash, 0n],
    )
    const inner = concat(['0x1fff991f', order])
    const abi = parseAbi(['function exec(address, address, uint256, address, bytes)'])
    const settler = '0x00000000000000000000000000000000000000a1'
    const ask = async (
      [operator, called]: readonly [Address, Address],
      settlers: readonly Address[] | undefined,
    ) => {
      const calldata = encodeFunctionData({
        abi,
        args: [operator, usdc, 1_000_000n, called, inner],
      })
      const outcome = await checked({ calldata }, { status: 'none' }, settlers)
      return typeof outcome === 'string' ? outcome : outcome.status
    }
    assert.is(await ask([settler, settler], [other, settler]), 'quote')
    assert.match(
      await ask([settler, thief], [settler]),
      /^target_not_allowed: .* does not name 0x6666/,
    )
    assert.match(await ask([thief, settler], [settler]), /^target_not_allowed/)
    assert.match(await ask([settler, settler], []), /^target_not_allowed/)
    assert.match(await ask([settler, settler], undefined), /^upstream_error/)
  },
)

s(
  'shows no guarantee above that of the payload, where it is read [17/shown-guarantee]',
  async () => {
    const shows = async (calldata: Hex) => {
      const outcome = await checked({ calldata }, { status: 'none' })
      return typeof outcome !== 'string' && outcome.status === 'quote' && outcome.quote.minAmountOut
    }
    const swap = (least: bigint) =>
      encodeFunctionData({
        abi: parseAbi([
          'function swap(address, (address, address, address, address, uint256, uint256, uint256), bytes)',
        ]),
        args: [other, [usdc, weth, other, taker, 1_000_000n, least, 0n], '0x'],
      })
    assert.equal(
      [await shows(swap(990n)), await shows(swap(999n)), await shows('0x12345678aa')],
      [990n, 995n, 995n],
    )
  },
)

s('marks what must be proved, and only that', async () => {
  const proves = async (quote: Partial<SourceQuote>) => {
    const outcome = await checked(quote, { status: 'none' })
    if (typeof outcome === 'string' || outcome.status !== 'quote') throw new Error('no quote')
    return outcome.quote.mustBeProved ?? false
  }
  assert.is(await proves({ provider: 'open', target: other }), true)
  assert.is(await proves({}), false)
})

s(
  'a router whose functions are known wins unproved by those alone [17/untaught-function]',
  async () => {
    const oneInch = '0x111111125421cA6dc452d289314280a0f8842A65'
    // What it gives to whom is the payload's word, and the least of it is nothing.
    const [unoswap, swap] = [
      encodeFunctionData({
        abi: parseAbi(['function unoswapTo(uint256, uint256, uint256, uint256, uint256)']),
        args: [BigInt(thief), BigInt(usdc), 1_000_000n, 0n, BigInt(other)],
      }),
      encodeFunctionData({
        abi: parseAbi([
          'function swap(address, (address, address, address, address, uint256, uint256, uint256), bytes)',
        ]),
        args: [other, [usdc, weth, other, taker, 1_000_000n, 995n, 0n], '0x'],
      }),
    ]
    const single = encodeFunctionData({
      abi: parseAbi([
        'function swapSingle((uint256, address, address, uint256, address, address, uint256, uint256, address, uint256, uint256), (bytes, uint256), uint256)',
      ]),
      args: [
        [2n ** 40n, taker, other, 1n, usdc, weth, 1_000_000n, 995n, taker, 0n, 0n],
        ['0x12', 0n],
        0n,
      ],
    })
    const added = { contracts: { 8453: [router] } }
    const lists = targetsOf(['1inch', 'okx'].map((name) => ({ name, ...added })))
    const proves = async (target: Address, calldata: Hex, provider = '1inch') => {
      const quote = { provider, target, approveTarget: target, calldata }
      const outcome = await checked(quote, { status: 'none' }, undefined, lists)
      if (typeof outcome === 'string' || outcome.status !== 'quote') return outcome
      return outcome.quote.mustBeProved ?? false
    }
    assert.is(await proves(oneInch, unoswap), true)
    assert.is(await proves(oneInch, swap), false)
    // An operator's list says whom, and not what for, either.
    assert.equal([await proves(router, unoswap), await proves(router, swap)], [true, false])
    for (const calldata of [unoswap, swap]) assert.is(await proves(router, calldata, 'okx'), true)
    // Of Fly's router no function is known, and another's may do anything there.
    const fly = '0x20F6Ee51340ADEEd01a59b0e65Cb3703f3dC860c'
    for (const calldata of [unoswap, swap]) assert.is(await proves(fly, calldata, 'fly'), true)
    const settlement = '0xbbbbbBB520d69a9775E85b458C58c648259FAD5F'
    assert.is(await proves(settlement, single, 'bebop'), false)
    assert.is(await proves(settlement, swap, 'bebop'), true)
  },
)

s('knows lists by chain [meta/allowlist]', () => {
  assert.is(why({}, { chainId: 42161 }, 'strict'), 'target_not_allowed')
})

s.run()
