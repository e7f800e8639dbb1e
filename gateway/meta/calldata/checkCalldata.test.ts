import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from 'viem'
import { makeQuote, makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { tangledList } from '../../../fixtures/meta/tangledList.ts'
import { ethToUsdc, readRecorded } from '../../../fixtures/providers/bodies.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { nativeToken } from '../provider/source.ts'
import { checkCalldata } from './checkCalldata.ts'
import { readSwap } from './readSwap.ts'

/** Payloads that order something else than was asked for, in the words of each known router. */
const s = suite('meta/checkCalldata')
const thief: Address = '0x6666666666666666666666666666666666666666'
const other: Address = '0x3333333333333333333333333333333333333333'
const eNative: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

type Order = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly min: bigint
  readonly recipient: Address
}
const honest: Order = {
  tokenIn: usdc,
  tokenOut: weth,
  amountIn: 1_000_000n,
  min: 995n,
  recipient: taker,
}

const settlerAbi = parseAbi(['function execute((address, address, uint256), bytes[], bytes32)'])
const holderAbi = parseAbi(['function exec(address, address, uint256, address, bytes)'])
const oneInchAbi = parseAbi([
  'function swap(address, (address, address, address, address, uint256, uint256, uint256), bytes)',
])
const kyberAbi = parseAbi([
  'function swap((address, address, bytes, (address, address, address[], uint256[], address[], uint256[], address, uint256, uint256, uint256, bytes), bytes))',
])
const veloraAbi = parseAbi([
  'function swapExactAmountIn(address, (address, address, uint256, uint256, uint256, bytes32, address), uint256, bytes, bytes)',
])
const openOceanAbi = parseAbi([
  'function swap(address, (address, address, address, address, uint256, uint256, uint256, uint256, address, bytes), (uint256, uint256, uint256, bytes)[])',
])
const snwapAbi = parseAbi([
  'function snwap(address, uint256, address, address, uint256, address, bytes)',
])
const processAbi = parseAbi([
  'function processRoute(address, uint256, address, uint256, address, bytes)',
])
const bebopAbi = parseAbi([
  'function swapSingle((uint256, address, address, uint256, address, address, uint256, uint256, address, uint256, uint256), (bytes, uint256), uint256)',
])

const routers: readonly (readonly [name: string, encode: (order: Order) => Hex])[] = [
  [
    '0x',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: holderAbi,
        args: [
          other,
          tokenIn,
          amountIn,
          other,
          encodeFunctionData({
            abi: settlerAbi,
            args: [[recipient, tokenOut, min], ['0x12'], zeroHash],
          }),
        ],
      }),
  ],
  [
    '1inch',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: oneInchAbi,
        args: [other, [tokenIn, tokenOut, other, recipient, amountIn, min, 0n], '0x'],
      }),
  ],
  [
    'KyberSwap',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: kyberAbi,
        args: [
          [
            other,
            other,
            '0x',
            [tokenIn, tokenOut, [other], [amountIn], [], [], recipient, amountIn, min, 0n, '0x'],
            '0x',
          ],
        ],
      }),
  ],
  [
    'Velora',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: veloraAbi,
        args: [
          other,
          [tokenIn, tokenOut, amountIn, min, 1_000n, zeroHash, recipient],
          0n,
          '0x',
          '0x',
        ],
      }),
  ],
  [
    'OpenOcean',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: openOceanAbi,
        args: [
          other,
          [tokenIn, tokenOut, other, recipient, amountIn, min, min, 0n, zeroAddress, '0x'],
          [],
        ],
      }),
  ],
  [
    'Sushi',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: snwapAbi,
        args: [tokenIn, amountIn, recipient, tokenOut, min, other, '0x'],
      }),
  ],
  [
    'Sushi of old',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: processAbi,
        args: [tokenIn, amountIn, tokenOut, min, recipient, '0x'],
      }),
  ],
  [
    'Bebop',
    ({ tokenIn, tokenOut, amountIn, min, recipient }) =>
      encodeFunctionData({
        abi: bebopAbi,
        args: [
          [2n ** 40n, taker, other, 1n, tokenIn, tokenOut, amountIn, min, recipient, 0n, 0n],
          ['0x12', 0n],
          0n,
        ],
      }),
  ],
]
/** To these the zero address is whoever sends; others pay it, and what they pay is lost. */
const paySender = ['1inch', 'KyberSwap', 'Velora', 'OpenOcean']
const lies: readonly (readonly [name: string, change: Partial<Order>, sentence: RegExp])[] = [
  ['another input token', { tokenIn: other }, /takes another token/],
  ['another output token', { tokenOut: other }, /gives another token/],
  ['a larger input', { amountIn: 1_000_001n }, /takes 1000001/],
  ['a recipient of its own', { recipient: thief }, /pays somebody else/],
  ['next to no guard', { min: 1n }, /guarantees 1 only/],
]
const why = (calldata: Hex, request = makeRequest()) => {
  const failure = checkCalldata(makeQuote({ calldata }), request)
  return failure && `${failure.reason}: ${failure.detail}`
}

for (const [router, encode] of routers) {
  s(`${router}: an honest payload passes`, () => assert.is(why(encode(honest)), undefined))
  for (const [name, change, sentence] of lies)
    s(`${router}: refuses ${name}`, () => {
      const calldata = encode({ ...honest, ...change })
      assert.match(why(calldata) ?? '', sentence)
      assert.match(why(calldata) ?? '', /^calldata_mismatch/)
    })
  s(`${router}: pays no zero address unless it means the sender [17/zero-payee]`, () => {
    const reason = why(encode({ ...honest, recipient: zeroAddress }))
    if (paySender.includes(router)) assert.is(reason, undefined)
    else assert.match(reason ?? '', /does not fit its function/)
  })
  s(`${router}: refuses arguments that do not decode`, () => {
    const cut = encode(honest).slice(0, 90) as Hex
    assert.match(why(cut) ?? '', /does not fit its function/)
  })
}

s('copies no entry of a list that it does not judge [17/tangled-order]', () => {
  const { tokenIn, amountIn, recipient, tokenOut, min } = honest
  const order = encodeAbiParameters(
    parseAbiParameters('address, address, uint256, uint256 place, bytes32'),
    [recipient, tokenOut, min, 160n, zeroHash],
  )
  // Some hundred million bytes, were they copied: half a minute.
  const list = tangledList(`0x${'00'.repeat(90_000)}`, 2_900)
  const args = [other, tokenIn, amountIn, other, concat(['0x1fff991f', order, list])] as const
  assert.is(why(encodeFunctionData({ abi: holderAbi, args })), undefined)
})

s("reads Velora's exact output, which may take all of its fromAmount [17/velora-input]", () => {
  const abi = parseAbi([
    'function swapExactAmountOut(address, (address, address, uint256, uint256, uint256, bytes32, address), uint256, bytes, bytes)',
  ])
  const encode = (min: bigint, { recipient = taker, amountIn = 1_000_000n } = {}) =>
    encodeFunctionData({
      abi,
      args: [other, [usdc, weth, amountIn, min, 1_000n, zeroHash, recipient], 0n, '0x', '0x'],
    })
  assert.equal(readSwap(encode(995n)), {
    status: 'read',
    swap: {
      tokenIn: usdc,
      tokenOut: weth,
      amountIn: 1_000_000n,
      minAmountOut: 995n,
      recipient: taker,
    },
  })
  assert.match(why(encode(1n)) ?? '', /guarantees 1 only/)
  assert.match(why(encode(995n, { recipient: thief })) ?? '', /pays somebody else/)
  const trade = { type: 'exactOutput', targetOut: 995n, maxIn: 2_000_000n } as const
  for (const request of [makeRequest(), makeRequest({ trade })]) {
    assert.is(why(encode(995n), request), undefined)
    assert.match(why(encode(995n, { amountIn: 1_000_001n }), request) ?? '', /takes 1000001$/)
  }
})

s("reads what Uniswap's SwapProxy takes", () => {
  const abi = parseAbi(['function execute(address, address, uint256, bytes, bytes[], uint256)'])
  const encode = (token: Address, amount: bigint) =>
    encodeFunctionData({ abi, args: [other, token, amount, '0x', [], 1n] })
  const why = (calldata: Hex) =>
    checkCalldata(makeQuote({ calldata }), makeRequest({ relaxMinReturn: true }))?.detail
  assert.is(why(encode(usdc, 1_000_000n)), undefined)
  assert.match(why(encode(other, 1_000_000n)) ?? '', /takes another token/)
  assert.match(why(encode(usdc, 1_000_001n)) ?? '', /takes 1000001/)
})

s(
  'of a Settler without a minimum, or another contract, nothing is guaranteed [17/settler-minimum]',
  () => {
    const encode = (inner: Hex) =>
      encodeFunctionData({ abi: holderAbi, args: [other, usdc, 1_000_000n, other, inner] })
    const settler = encodeFunctionData({
      abi: settlerAbi,
      args: [[zeroAddress, zeroAddress, 0n], ['0x12'], zeroHash],
    })
    const swap = { tokenIn: usdc, amountIn: 1_000_000n, settlers: [other, other] }
    for (const calldata of [encode(settler), encode('0x12345678')]) {
      assert.equal(readSwap(calldata), { status: 'read', swap })
      assert.match(why(calldata) ?? '', /guarantees 0 only/)
      assert.is(why(calldata, makeRequest({ relaxMinReturn: true })), undefined)
    }
  },
)

for (const [router, encode] of routers)
  s(
    `${router}: takes exactly what is sold, and at most what an exact output may cost [meta/input-exact]`,
    () => {
      assert.match(why(encode({ ...honest, amountIn: 999_999n })) ?? '', /takes 999999$/)
      const trade = { type: 'exactOutput', targetOut: 900n, maxIn: 1_000_000n } as const
      const exact = makeRequest({ trade })
      const order = { ...honest, min: 900n }
      assert.is(why(encode({ ...order, amountIn: 999_999n }), exact), undefined)
      assert.match(why(encode({ ...order, amountIn: 1_000_001n }), exact) ?? '', /takes 1000001/)
      assert.is(why(encode(order), exact), undefined)
      assert.match(why(encode({ ...order, min: 899n }), exact) ?? '', /guarantees 899 only/)
    },
  )

s('gives a guard 100 bps of room below the slippage, and not 101 [meta/guard-room]', () => {
  const [, encode] = routers[1] ?? []
  if (!encode) throw new Error('no router')
  const quote = makeQuote({ amountOut: 1_000_000n })
  // 50 of slippage, and what providers round and keep.
  const judge = (bps: bigint, request = makeRequest()) => {
    const min = (quote.amountOut * (10_000n - bps)) / 10_000n
    return checkCalldata({ ...quote, calldata: encode({ ...honest, min }) }, request)?.reason
  }
  for (const room of [99n, 100n]) assert.is(judge(50n + room), undefined)
  assert.is(judge(151n), 'calldata_mismatch')
  // Never below nothing, however much slippage is allowed.
  assert.is(judge(10_000n, makeRequest({ slippageBps: 10_000 })), undefined)
})

s(
  'lets the output go through the proxy that sends, and the guard down where that is asked for',
  () => {
    const [, encode] = routers[1] ?? []
    if (!encode) throw new Error('no router')
    const proxied = makeRequest({ sender: other })
    assert.is(why(encode({ ...honest, recipient: other }), proxied), undefined)
    assert.is(why(encode({ ...honest, min: 1n }), makeRequest({ relaxMinReturn: true })), undefined)
  },
)

s('knows the native currency in every spelling', () => {
  const [, encode] = routers[1] ?? []
  if (!encode) throw new Error('no router')
  const calldata = encode({ ...honest, tokenIn: eNative })
  assert.is(why(calldata, makeRequest({ tokenIn: nativeToken })), undefined)
  assert.match(why(calldata) ?? '', /takes another token/)
})

s('reads what was recorded', () => {
  type Body = {
    transaction: { data: Hex }
    txParams: { data: Hex }
    transactionRequest: { data: Hex }
  }
  const settler = '0xdc5d8200A030798BC6227240f68b4dD9542686ef'
  const zeroX = readSwap((readRecorded('0x-usdc-weth') as Body).transaction.data)
  assert.equal(zeroX, {
    status: 'read',
    swap: {
      tokenIn: usdc,
      amountIn: 500_000_000n,
      tokenOut: weth,
      minAmountOut: 254_005_248_621_890_700n,
      recipient: taker,
      settlers: [settler, settler],
    },
  })
  const velora = readSwap((readRecorded('velora-usdc-weth') as Body).txParams.data)
  // Less the basis point that is the partner's.
  const least = (252_375_816_576_928_728n * 9_999n) / 10_000n
  assert.is(velora.status === 'read' && velora.swap.minAmountOut, least)
  const lifi = ethToUsdc()['lifi']?.['/v1/quote'] as Body
  assert.equal(readSwap(lifi.transactionRequest.data), {
    status: 'read',
    swap: {
      recipient: taker,
      minAmountOut: 2_016_443_703n,
      tokenIn: zeroAddress,
      tokenOut: usdc.toLowerCase(),
      amountIn: undefined,
    },
  })
})

s('says nothing of functions that nobody taught it', () => {
  assert.equal(readSwap('0x12345678aa'), { status: 'unknown' })
})

s.run()
