import { type Address, concatHex, type Hex, numberToHex, zeroAddress } from 'viem'
import {
  type Answers,
  deadline,
  encodeResult,
  encodeSwap,
  exactInput,
  exactOutput,
  factory,
  forInput,
  forOutput,
  hub,
  openDex,
  pool,
  quoter,
  readCall,
  recipient,
} from '../../../../fixtures/meta/directRouters.ts'
import { router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { nativeToken, type SourceRequest } from '../../provider/source.ts'
import type { DirectDex, Swap } from './directSource.ts'
import { createRanged } from './ranged.ts'

/** Concentrated liquidity through routers that are asked what they are; `quotedSources.fork.test.ts` has real ones. */
const s = suite('meta/direct ranged')
const signal = new AbortController().signal

const paths = {
  first:
    'function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum))',
  firstOut:
    'function exactOutput((bytes path, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum))',
  second:
    'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum))',
  secondOut:
    'function exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum))',
}
const around = [
  'function multicall(bytes[])',
  'function multicall(uint256, bytes[])',
  'function unwrapWETH9(uint256, address)',
  'function unwrapWNativeToken(uint256, address)',
  'function refundETH()',
  'function refundNativeToken()',
]
const fees = (...keys: readonly number[]) => keys.map((key) => numberToHex(key, { size: 3 }))
const [feeA, feeB] = fees(500, 3_000) as [Hex, Hex]
const [spaceA, spaceB] = fees(1, 200) as [Hex, Hex]
const three = [usdc, hub, weth] as const
const packed = (keys: readonly (Hex | undefined)[]) =>
  concatHex(three.flatMap((token, at) => [token, keys[at] ?? '0x'])).toLowerCase()
const backwards = (keys: readonly (Hex | undefined)[]) =>
  concatHex(
    three.toReversed().flatMap((token, at) => [token, keys.toReversed()[at] ?? '0x']),
  ).toLowerCase()

for (const [kind, answers, form, keys, packedKeys, words] of [
  [
    'uniswapV3',
    { 'WETH9() returns (address)': weth },
    'first',
    [500, 3_000],
    [feeA, feeB],
    ['unwrapWETH9', 'refundETH'],
  ],
  [
    'uniswapV3',
    { 'WETH9() returns (address)': weth, 'factoryV2() returns (address)': factory },
    'second',
    [500, 3_000],
    [feeA, feeB],
    ['unwrapWETH9', 'refundETH'],
  ],
  [
    'slipstream',
    { 'WETH9() returns (address)': weth },
    'first',
    [1, 200],
    [spaceA, spaceB],
    ['unwrapWETH9', 'refundETH'],
  ],
  [
    'algebra',
    { 'WNativeToken() returns (address)': weth },
    'first',
    [0, 0],
    [undefined, undefined],
    ['unwrapWNativeToken', 'refundNativeToken'],
  ],
  [
    'algebraIntegral',
    { 'WNativeToken() returns (address)': weth },
    'first',
    [0, 0],
    [zeroAddress, zeroAddress],
    ['unwrapWNativeToken', 'refundNativeToken'],
  ],
] as const)
  s(
    `tells the ${form} router of ${kind} of paths either way, bare value included [teeth/ranged]`,
    async () => {
      const family = createRanged({ now: () => 0 }, kind)
      const { dex } = openDex({ [router]: answers })
      assert.throws(
        () => encodeSwap(family, dex, { path: { tokens: three, keys } }),
        /was not asked/,
      )
      assert.ok(await family.isRouter(dex, signal))
      const path = { tokens: three, keys }
      const own = form === 'first' ? [paths.first, paths.firstOut] : [paths.second, paths.secondOut]
      const until = form === 'first' ? { deadline } : {}
      const signatures = [...own, ...around]
      const tell = (given: Partial<SourceRequest>, amounts: Swap<unknown>['amounts']) =>
        readCall(signatures, encodeSwap(family, dex, { path, given, amounts }).calldata)
      /** What stands in a multicall, or alone. */
      const callsOf = (told: readonly unknown[]) => {
        if (told[0] !== 'multicall') return [told]
        if (form === 'second') assert.is(told[1], deadline)
        return (told.at(-1) as readonly Hex[]).map((data) => readCall(signatures, data))
      }
      const swapIn = (to: Address) => [
        'exactInput',
        {
          path: packed(packedKeys),
          recipient: to,
          ...until,
          amountIn: 1_000n,
          amountOutMinimum: 990n,
        },
      ]
      const swapOut = (to: Address) => [
        'exactOutput',
        {
          path: backwards(packedKeys),
          recipient: to,
          ...until,
          amountOut: 900n,
          amountInMaximum: 1_010n,
        },
      ]
      const itself = form === 'first' ? zeroAddress : '0x0000000000000000000000000000000000000002'
      const [unwrap, refund] = words
      assert.equal(callsOf(tell({}, forInput)), [swapIn(recipient)])
      assert.is(tell({}, forInput)[0], form === 'first' ? 'exactInput' : 'multicall')
      assert.equal(callsOf(tell({}, forOutput)), [swapOut(recipient)])
      const bareIn = { tokenIn: nativeToken, tokenOut: usdc }
      assert.equal(callsOf(tell(bareIn, forInput)), [swapIn(recipient)])
      assert.equal(callsOf(tell(bareIn, forOutput)), [swapOut(recipient), [refund]])
      const bareOut = { tokenIn: usdc, tokenOut: nativeToken }
      assert.equal(callsOf(tell(bareOut, forInput)), [swapIn(itself), [unwrap, 990n, recipient]])
      assert.equal(callsOf(tell(bareOut, forOutput)), [swapOut(itself), [unwrap, 900n, recipient]])
    },
  )
s(
  'asks quoters for the path as its router will read it, and reads the right end [teeth/ranged]',
  () => {
    const { dex } = openDex({})
    const asks = [
      'function quoteExactInput(bytes, uint256)',
      'function quoteExactOutput(bytes, uint256)',
    ]
    const path = { tokens: three, keys: [500, 3_000] }
    const family = createRanged({ now: () => 0 }, 'uniswapV3')
    const ask = (trade: SourceRequest['trade']) => {
      const { target, data } = family.askPrice(dex, path, trade)
      return [target, ...readCall(asks, data)]
    }
    assert.equal(ask(exactInput), [quoter, 'quoteExactInput', packed([feeA, feeB]), 1_000n])
    assert.equal(ask(exactOutput), [quoter, 'quoteExactOutput', backwards([feeA, feeB]), 900n])
    const v2 = 'function a() returns (uint256, uint160[], uint32[], uint256)'
    const found = encodeResult(v2, [5n, [], [], 6n])
    assert.equal(family.readPrice(found, path, exactInput), { amount: 5n, gas: 6n })
    const algebra = createRanged({ now: () => 0 }, 'algebra')
    const old = encodeResult('function a() returns (uint256, uint16[])', [5n, []])
    assert.equal(algebra.readPrice(old, path, exactInput), { amount: 5n, gas: 220_000n })
    const integral = createRanged({ now: () => 0 }, 'algebraIntegral')
    const all =
      'function a() returns (uint256[], uint256[], uint160[], uint32[], uint256, uint16[])'
    const both = encodeResult(all, [[1n, 2n], [3n, 4n], [], [], 9n, []])
    assert.equal(integral.readPrice(both, path, exactInput), { amount: 2n, gas: 9n })
    assert.equal(integral.readPrice(both, path, exactOutput), { amount: 4n, gas: 9n })
  },
)
s(
  'finds pools by fee, by spacing or by pair, and asks again after a minute [teeth/ranged]',
  async () => {
    let nowMs = 0
    const exists =
      (...keys: readonly number[]) =>
      (a: Address, b: Address, key = 0) =>
        [a, b].includes(usdc) && [a, b].includes(weth) && keys.includes(key) ? pool : zeroAddress
    for (const [kind, signature, keys] of [
      ['uniswapV3', 'getPool(address, address, uint24) returns (address)', [3_000]],
      ['slipstream', 'getPool(address, address, int24) returns (address)', [200]],
      ['algebra', 'poolByPair(address, address) returns (address)', [0]],
    ] as const) {
      const { dex, calls } = openDex(
        { [factory]: { [signature]: exists(...keys) } },
        { hubTokens: [hub] },
      )
      const family = createRanged({ now: () => nowMs }, kind)
      const list = () => family.listPaths(dex, { tokenIn: usdc, tokenOut: weth, signal })
      assert.equal(await list(), [{ tokens: [usdc, weth], keys }])
      const asked = calls()
      nowMs += 59_999
      await list()
      assert.is(calls(), asked)
      nowMs += 1
      await list()
      assert.is(calls(), 2 * asked)
    }
  },
)
s(
  'takes nobody for a router who wraps something else or quotes nothing [teeth/ranged]',
  async () => {
    const family = createRanged({ now: () => 0 }, 'uniswapV3')
    const is = (answers: Answers[Address], given?: Partial<DirectDex>) =>
      family.isRouter(openDex({ [router]: answers }, given).dex, signal)
    assert.is(await is({ 'WETH9() returns (address)': usdc }), false)
    assert.is(await is({}), false)
    assert.is(await is({ 'WETH9() returns (address)': weth }, { quoter: undefined }), false)
  },
)

s.run()
