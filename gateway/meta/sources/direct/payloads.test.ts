import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import {
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
  quoter,
  readCall,
  recipient,
} from '../../../../fixtures/meta/directRouters.ts'
import { router, usdc, weth } from '../../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../../fixtures/test.ts'
import { readSwap } from '../../calldata/readSwap.ts'
import { nativeToken, type SourceRequest } from '../../provider/source.ts'
import { createAerodromeV2 } from './aerodromeV2.ts'
import { createMaverickV2 } from './maverickV2.ts'
import { camelotV2, routerV2 } from './routerV2.ts'
import { createUniswapV4, swapProxy } from './uniswapV4.ts'

/** What is told to routers and read of their prices; `quotedSources.fork.test.ts` runs it on chains. */
const s = suite('meta/direct payloads')
const { dex } = openDex({})
const ends = [
  { tokenIn: usdc, tokenOut: weth },
  { tokenIn: nativeToken, tokenOut: usdc },
  { tokenIn: usdc, tokenOut: nativeToken },
] as const

const fee = 'SupportingFeeOnTransferTokens'
const router02 = [
  `function swapExactTokensForTokens${fee}(uint256, uint256, address[], address, uint256)`,
  `function swapExactETHForTokens${fee}(uint256, address[], address, uint256)`,
  `function swapExactTokensForETH${fee}(uint256, uint256, address[], address, uint256)`,
  'function swapTokensForExactTokens(uint256, uint256, address[], address, uint256)',
  'function swapETHForExactTokens(uint256, address[], address, uint256)',
  'function swapTokensForExactETH(uint256, uint256, address[], address, uint256)',
]
s('tells a Router02 of three forms, either kind of trade [teeth/router02]', () => {
  const path = [usdc, hub, weth]
  const rest = [path, recipient, deadline]
  const told = ends.flatMap((given) =>
    [forInput, forOutput].map((amounts) => {
      const { target, spender, calldata } = encodeSwap(routerV2, dex, { path, given, amounts })
      assert.equal([target, spender], [router, router])
      return readCall(router02, calldata)
    }),
  )
  assert.equal(told, [
    [`swapExactTokensForTokens${fee}`, 1_000n, 990n, ...rest],
    ['swapTokensForExactTokens', 900n, 1_010n, ...rest],
    [`swapExactETHForTokens${fee}`, 990n, ...rest],
    ['swapETHForExactTokens', 900n, ...rest],
    [`swapExactTokensForETH${fee}`, 1_000n, 990n, ...rest],
    ['swapTokensForExactETH', 900n, 1_010n, ...rest],
  ])
})
s('asks a Router02 for prices of the right end, with the gas of each pair [teeth/router02]', () => {
  const path = [usdc, hub, weth]
  const prices = [
    'function getAmountsOut(uint256, address[]) returns (uint256[])',
    'function getAmountsIn(uint256, address[]) returns (uint256[])',
  ]
  const ask = (trade: SourceRequest['trade']) => routerV2.askPrice(dex, path, trade)
  assert.equal(readCall(prices, ask(exactInput).data), ['getAmountsOut', 1_000n, path])
  assert.equal(readCall(prices, ask(exactOutput).data), ['getAmountsIn', 900n, path])
  assert.is(ask(exactInput).target, router)
  const data = encodeResult(prices[0] ?? '', [7n, 8n, 9n])
  assert.equal(routerV2.readPrice(data, path, exactInput), { amount: 9n, gas: 205_000n })
  assert.equal(routerV2.readPrice(data, path, exactOutput), { amount: 7n, gas: 205_000n })
  assert.is(routerV2.readPrice(data, [usdc, weth], exactInput).gas, 140_000n)
})
s('names nobody to Camelot who refers, and has no exact outputs there [teeth/router02]', () => {
  const path = [usdc, weth]
  const signatures = [
    `function swapExactTokensForTokens${fee}(uint256, uint256, address[], address, address, uint256)`,
    `function swapExactETHForTokens${fee}(uint256, address[], address, address, uint256)`,
    `function swapExactTokensForETH${fee}(uint256, uint256, address[], address, address, uint256)`,
  ]
  const rest = [path, recipient, zeroAddress, deadline]
  assert.equal(
    ends.map((given) => readCall(signatures, encodeSwap(camelotV2, dex, { path, given }).calldata)),
    [
      [`swapExactTokensForTokens${fee}`, 1_000n, 990n, ...rest],
      [`swapExactETHForTokens${fee}`, 990n, ...rest],
      [`swapExactTokensForETH${fee}`, 1_000n, 990n, ...rest],
    ],
  )
  assert.not.ok(camelotV2.exactOutput)
  assert.throws(() => encodeSwap(camelotV2, dex, { path, amounts: forOutput }), /no exact outputs/)
})

s('tells Aerodrome of each hop, whether it is stable and whose it is [teeth/aerodrome]', () => {
  const family = createAerodromeV2({ now: () => 0 })
  const path = { tokens: [usdc, hub, weth], keys: [true, false] }
  const routes = '(address from, address to, bool stable, address factory)[]'
  const hops = [
    { from: usdc, to: hub, stable: true, factory },
    { from: hub, to: weth, stable: false, factory },
  ]
  const signatures = [
    `function swapExactTokensForTokens${fee}(uint256, uint256, ${routes}, address, uint256)`,
    `function swapExactETHForTokens${fee}(uint256, ${routes}, address, uint256)`,
    `function swapExactTokensForETH${fee}(uint256, uint256, ${routes}, address, uint256)`,
    `function getAmountsOut(uint256, ${routes}) returns (uint256[])`,
  ]
  const rest = [hops, recipient, deadline]
  assert.equal(
    ends.map((given) => readCall(signatures, encodeSwap(family, dex, { path, given }).calldata)),
    [
      [`swapExactTokensForTokens${fee}`, 1_000n, 990n, ...rest],
      [`swapExactETHForTokens${fee}`, 990n, ...rest],
      [`swapExactTokensForETH${fee}`, 1_000n, 990n, ...rest],
    ],
  )
  const asked = [exactInput, exactOutput].map((trade) => family.askPrice(dex, path, trade))
  assert.equal(
    asked.map(({ target, data }) => [target, ...readCall(signatures, data)]),
    [
      [router, 'getAmountsOut', 1_000n, hops],
      [router, 'getAmountsOut', 900n, hops],
    ],
  )
  const data = encodeResult(signatures[3] ?? '', [7n, 8n, 9n])
  assert.equal(family.readPrice(data, path, exactInput), { amount: 9n, gas: 205_000n })
  assert.throws(() => encodeSwap(family, dex, { path, amounts: forOutput }), /no exact outputs/)
})

s(
  'asks Maverick within its width and either way, and takes no price of a part [teeth/maverick]',
  () => {
    const family = createMaverickV2()
    const signatures = [
      'function calculateSwap(address, uint128, bool, bool, int32) returns (uint256, uint256, uint256)',
      'function exactInputSingle(address, address, bool, uint256, uint256)',
    ]
    const hop = (givesFirst: boolean) => ({ pool: hub, tokens: [usdc, weth] as const, givesFirst })
    const ask = (givesFirst: boolean, trade: SourceRequest['trade']) => {
      const { target, data } = family.askPrice(dex, hop(givesFirst), trade)
      return [target, ...readCall(signatures, data)]
    }
    const most = 2n ** 128n - 1n
    const [top, bottom] = [2 ** 31 - 1, -(2 ** 31)]
    assert.equal(ask(true, exactInput), [quoter, 'calculateSwap', hub, 1_000n, true, false, top])
    assert.equal(ask(false, exactOutput), [
      quoter,
      'calculateSwap',
      hub,
      900n,
      false,
      false,
      bottom,
    ])
    assert.is(ask(true, { type: 'exactInput', amountIn: most })[3], most)
    assert.is(ask(true, { type: 'exactInput', amountIn: most + 1n })[3], most)
    const data = encodeResult(signatures[0] ?? '', [1_000n, 5n, 6n])
    assert.equal(family.readPrice(data, hop(true), exactInput), { amount: 5n, gas: 6n })
    const more = { type: 'exactInput', amountIn: 1_001n } as const
    assert.is(family.readPrice(data, hop(true), more).amount, 0n)
    assert.is(family.readPrice(data, hop(true), exactOutput).amount, 0n)
    const { target, spender, calldata } = encodeSwap(family, dex, { path: hop(false) })
    const told = ['exactInputSingle', recipient, hub, false, 1_000n, 990n]
    assert.equal([target, spender, ...readCall(signatures, calldata)], [router, router, ...told])
    assert.throws(
      () => encodeSwap(family, dex, { path: hop(true), amounts: forOutput }),
      /exact inputs/,
    )
  },
)

const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'
const swapOf = parseAbiParameters([
  pathKey,
  'struct Swap { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  'Swap params',
])
/** A command of the Universal Router, its input read. */
function readCommand(word: string, input: Hex): unknown {
  if (word !== '10')
    return [word, ...decodeAbiParameters(parseAbiParameters('address, uint256'), input)]
  const [actions, inputs] = decodeAbiParameters(parseAbiParameters('bytes, bytes[]'), input)
  const [swap = '0x', settle = '0x', take = '0x', ...more] = inputs
  return {
    actions,
    swap: decodeAbiParameters(swapOf, swap)[0],
    settle: decodeAbiParameters(parseAbiParameters('address, uint256, bool'), settle),
    take: decodeAbiParameters(parseAbiParameters('address, address, uint256'), take),
    more,
  }
}
const v4 = [
  'function execute(bytes, bytes[], uint256)',
  'function execute(address, address, uint256, bytes, bytes[], uint256)',
]
const hopTo = (intermediateCurrency: Address, fee: number, tickSpacing: number) => ({
  intermediateCurrency,
  fee,
  tickSpacing,
  hooks: zeroAddress,
  hookData: '0x',
})
const itself = '0x0000000000000000000000000000000000000002'
const native = zeroAddress

for (const [what, given, tokens, before, after] of [
  ['tokens', { tokenIn: usdc, tokenOut: weth }, [usdc, weth], [], []],
  [
    'value that a pool wants wrapped',
    { tokenIn: nativeToken, tokenOut: usdc },
    [weth, usdc],
    [['0b', itself, 2n ** 255n]],
    [],
  ],
  ['value that a pool holds', { tokenIn: nativeToken, tokenOut: usdc }, [native, usdc], [], []],
  [
    'wrapped value that a pool wants bare',
    { tokenIn: weth, tokenOut: usdc },
    [native, usdc],
    [['0c', itself, 0n]],
    [],
  ],
  [
    'value for who is to have it bare',
    { tokenIn: usdc, tokenOut: nativeToken },
    [usdc, weth],
    [],
    [['0c', recipient, 990n]],
  ],
  [
    'value for who is to have it wrapped',
    { tokenIn: usdc, tokenOut: weth },
    [usdc, native],
    [],
    [['0b', recipient, 2n ** 255n]],
  ],
] as const)
  s(`tells the Universal Router of ${what} [teeth/universal-router]`, () => {
    const family = createUniswapV4({ now: () => 0 })
    const path = { tokens, keys: [3_000] }
    const { target, spender, calldata } = encodeSwap(family, dex, { path, given })
    const isNativeIn = given.tokenIn === nativeToken
    assert.equal([target, spender], Array(2).fill(isNativeIn ? router : swapProxy))
    const [name, ...args] = readCall(v4, calldata)
    const [words, inputs, until] = args.slice(-3) as [Hex, readonly Hex[], bigint]
    const taken = isNativeIn ? [] : [router, given.tokenIn, 1_000n]
    assert.equal([name, args.slice(0, -3), until], ['execute', taken, deadline])
    const list = words.slice(2).match(/../g) ?? []
    assert.is(list.length, inputs.length)
    const [currencyIn, currencyOut] = tokens
    assert.equal(
      list.map((word, index) => readCommand(word, inputs[index] ?? '0x')),
      [
        ...before,
        {
          actions: '0x070b0e',
          swap: {
            currencyIn,
            path: [hopTo(currencyOut, 3_000, 60)],
            amountIn: 1_000n,
            amountOutMinimum: 990n,
          },
          settle: [currencyIn, 0n, false],
          take: [currencyOut, after.length > 0 ? itself : recipient, 0n],
          more: [],
        },
        ...after,
      ],
    )
    const read = readSwap(calldata)
    const [last = []] = after
    const token = last[0] === '0b' ? 'wrapped' : given.tokenOut.toLowerCase()
    assert.equal(read.status === 'read' && read.swap.deliveries, [
      { token, recipient: recipient.toLowerCase(), amount: 990n },
    ])
  })
s('asks the v4 quoter hop by hop, within its width [teeth/universal-router]', () => {
  const family = createUniswapV4({ now: () => 0 })
  const path = { tokens: [usdc, hub, native, weth, usdc], keys: [100, 500, 3_000, 10_000] }
  const signature = [
    pathKey,
    'struct Quote { address exactCurrency; PathKey[] path; uint128 exactAmount; }',
    'function quoteExactInput(Quote) returns (uint256, uint256)',
  ]
  const ask = (trade: SourceRequest['trade']) => {
    const { target, data } = family.askPrice(dex, path, trade)
    return [target, ...readCall(signature, data)]
  }
  const hops = [
    hopTo(hub, 100, 1),
    hopTo(native, 500, 10),
    hopTo(weth, 3_000, 60),
    hopTo(usdc, 10_000, 200),
  ]
  const asked = (exactAmount: bigint) => [
    quoter,
    'quoteExactInput',
    { exactCurrency: usdc, path: hops, exactAmount },
  ]
  assert.equal(ask(exactInput), asked(1_000n))
  assert.equal(ask(exactOutput), asked(900n))
  const most = 2n ** 128n - 1n
  for (const amountIn of [most, most + 1n])
    assert.equal(ask({ type: 'exactInput', amountIn }), asked(most))
  const data = encodeAbiParameters(parseAbiParameters('uint256, uint256'), [5n, 6n])
  assert.equal(family.readPrice(data, path, exactInput), { amount: 5n, gas: 6n })
  assert.throws(() => encodeSwap(family, dex, { path, amounts: forOutput }), /exact inputs only/)
})
s.run()
