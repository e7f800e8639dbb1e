import { concatHex, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import { makeQuote, makeRequest, router, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import {
  deadline,
  direct,
  hop,
  itself,
  key,
  move,
  other,
  pathOf,
  pay,
  portion,
  type Step,
  sellHop,
  sellSingle,
  sellV3,
  sellV4,
  sender,
  settle,
  straight,
  sweep,
  take,
  toInput,
  toProgram,
  transfer,
  unwrap,
  v2,
  v3,
  v4,
  whole,
  within,
  wrap,
} from '../../../fixtures/meta/routerSteps.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { SourceRequest } from '../provider/source.ts'
import { checkCalldata } from './checkCalldata.ts'

/** What Universal Router's commands guarantee to the taker, against what the quote says. */
const s = suite('meta/routerDeliveries')
/** As router 2.1 has it: a limit of each hop before the amounts. */
const sellLimited: Step = [
  0x07,
  toInput(`(address, ${hop}[], uint256[], uint128, uint128)`, [
    [usdc, [[weth, 500, 10, thief, '0x']], [], 1_000_000n, 1n],
  ]),
]
const buySingle: Step = [
  0x08,
  toInput(`(${key}, bool, uint128, uint128, bytes)`, [
    [[weth, usdc, 500, 10, thief], false, 995n, 1_000_000n, '0x'],
  ]),
]
const proxied = (steps: readonly Step[]) =>
  encodeFunctionData({
    abi: parseAbi(['function execute(address, address, uint256, bytes, bytes[], uint256)']),
    args: [router, usdc, 1_000_000n, ...toProgram(steps), deadline],
  })
const undated = (steps: readonly Step[]) =>
  encodeFunctionData({
    abi: parseAbi(['function execute(bytes, bytes[])']),
    args: toProgram(steps),
  })
/** The quote says 1,000, of which 985 are to be guaranteed. */
const why = (calldata: Hex, request: Partial<SourceRequest> = {}) =>
  checkCalldata(makeQuote({ calldata }), makeRequest(request))?.detail
const native = { tokenOut: zeroAddress }

const enough: readonly (readonly [
  name: string,
  steps: readonly Step[],
  Partial<SourceRequest>?,
])[] = [
  ['one swap of v3', [sellV3(taker, 985n)]],
  ['over another token', [sellV3(taker, 985n, pathOf(usdc, other, weth))]],
  ['swaps of v2 and v3 together', [sellV3(taker, 500n), v2(taker, [500_000n, 485n])]],
  [
    'a sweep of what swaps left',
    [sellV3(itself, 0n), v2(itself, [1n, 0n]), pay(sweep, weth, taker, 985n)],
  ],
  [
    'swaps, less of a portion',
    [sellV3(itself, 995n), pay(portion, weth, thief, 100n), pay(sweep, weth, taker, 0n)],
  ],
  ['a transfer of so much', [sellV3(itself, 0n), pay(transfer, weth, taker, 985n)]],
  ['a transfer of all', [sellV3(itself, 985n), pay(transfer, weth, taker, whole)]],
  ['all of v4', [v4(sellV4(usdc, weth, 985n), settle(), take(weth, taker, 0n))]],
  ['a pool of v4', [v4(sellSingle(usdc, weth, 985n), settle(), take(weth, taker, 0n))]],
  ['so much of v4', [v4(sellV4(usdc, weth, 0n), settle(), take(weth, taker, 985n))]],
  ['v4, of all that was settled', [v4(settle(), sellHop(usdc, 0n), take(weth, taker, 0n))]],
  [
    'v4, less of a portion',
    [v4(sellV4(usdc, weth, 995n), pay(0x10, weth, thief, 100n), settle(), take(weth, taker, 0n))],
  ],
  ['what is unwrapped', [sellV3(itself, 0n), move(unwrap, taker, 985n)], native],
  [
    'native currency of v4',
    [v4(sellV4(usdc, zeroAddress, 985n), settle(), take(zeroAddress, taker, 0n))],
    native,
  ],
  [
    'native currency of v4, wrapped',
    [
      v4(sellV4(usdc, zeroAddress, 985n), settle(), take(zeroAddress, itself, 0n)),
      move(wrap, taker, whole),
    ],
  ],
  [
    'so much, exactly',
    [v3(taker, [900n, 1_000_000n], pathOf(weth, usdc), 0x01)],
    { trade: { type: 'exactOutput', targetOut: 900n, maxIn: 1_000_000n } },
  ],
]
for (const [name, steps, request] of enough)
  s(`takes ${name} [17/router-guarantee]`, () => {
    for (const encode of [proxied, direct, undated])
      assert.is(why(encode(steps), request), undefined)
  })

const tooLittle: readonly (readonly [name: string, steps: readonly Step[], guaranteed: bigint])[] =
  [
    ['nothing', [], 0n],
    ['next to no guard', [sellV3(taker, 984n)], 984n],
    ['to somebody else', [sellV3(thief, 985n)], 0n],
    ['to the zero address', [sellV3(zeroAddress, 985n)], 0n],
    ['another token', [sellV3(taker, 985n, pathOf(usdc, other))], 0n],
    // The router walks from pair to pair, and ends at the thief's token.
    [
      'what stands behind a path',
      [sellV3(taker, 985n, concatHex([pathOf(usdc, other), weth]))],
      0n,
    ],
    ['what may fail', [sellV3(taker, 985n, straight, 0x80)], 0n],
    ['what is spelt otherwise', [sellV3(taker, 985n, straight, 0x40)], 0n],
    [
      'what was swept away',
      [sellV3(itself, 985n), pay(sweep, weth, thief, 0n), pay(sweep, weth, taker, 0n)],
      0n,
    ],
    [
      'what was unwrapped',
      [sellV3(itself, 985n), move(unwrap, thief, 0n), pay(sweep, weth, taker, 0n)],
      0n,
    ],
    [
      'what was swapped on',
      [sellV3(itself, 985n), sellV3(thief, 0n, pathOf(weth, other)), pay(sweep, weth, taker, 0n)],
      0n,
    ],
    [
      'what was sent away',
      [sellV3(itself, 985n), pay(transfer, weth, thief, 985n), pay(sweep, weth, taker, 0n)],
      0n,
    ],
    [
      'what v4 was paid with',
      [sellV3(itself, 985n), v4(settle(weth, whole)), pay(sweep, weth, taker, 0n)],
      0n,
    ],
    ['a portion', [sellV3(itself, 985n), pay(portion, weth, taker, 10_000n)], 0n],
    // The router reads 160 bits of it.
    [
      'a guard that is too wide',
      [sellV3(itself, 0n), pay(sweep, weth, taker, 2n ** 160n + 984n)],
      984n,
    ],
    ['what somebody between v2 keeps', [v2(taker, [985n, 1_000_000n], 0x09)], 0n],
    ['what a hook of v4 keeps', [v4(buySingle, settle(), take(weth, taker, 0n))], 0n],
    ['what 2.1 reads otherwise', [v4(sellLimited, settle(), take(weth, taker, 0n))], 0n],
    // The list that 2.1 reads there is the last hop's empty hook data, and its least output one.
    ['what both read', [v4(sellHop(usdc, 0x160n), settle(), take(weth, taker, 0n))], 0n],
    // The same in the action behind it, and before it.
    ['what both read further on', [v4(sellHop(usdc, 0x1c0n), settle(), take(weth, taker, 0n))], 0n],
    [
      'what both read before it',
      [v4(sellHop(usdc, 2n ** 256n - 0x20n), settle(), take(weth, taker, 0n))],
      0n,
    ],
    ['what both read of a native', [v4(sellHop(zeroAddress, 0n), take(weth, taker, 0n))], 0n],
    // A list as long as the path, of whatever stands behind its currency.
    ['what both read of the first address', [v4(sellHop(sender, 0n), take(weth, taker, 0n))], 0n],
    [
      'what was sold again in v4',
      [v4(sellV4(usdc, weth, 985n), sellSingle(weth, other, 0n), settle(), take(weth, taker, 0n))],
      0n,
    ],
    [
      'what was taken before',
      [v4(sellV4(usdc, weth, 985n), settle(), take(weth, thief, 0n), take(weth, taker, 0n))],
      0n,
    ],
    [
      'part of what was taken before',
      [v4(sellV4(usdc, weth, 985n), settle(), take(weth, thief, 1n), take(weth, taker, 0n))],
      984n,
    ],
    [
      'actions that nobody knows',
      [v4(sellV4(usdc, weth, 985n), [0x17, '0x'], take(weth, taker, 0n))],
      0n,
    ],
    ['a program within it', [within(0x21, [sellV3(taker, 985n)])], 0n],
  ]
for (const [name, steps, guaranteed] of tooLittle)
  s(`of ${name} no more is guaranteed than that [17/router-guarantee]`, () => {
    for (const encode of [proxied, direct, undated])
      assert.is(why(encode(steps)), `the payload guarantees ${guaranteed} only`)
    assert.is(why(proxied(steps), { relaxMinReturn: true }), undefined)
  })

s('the sender is whoever calls the router, and not its proxy [17/router-guarantee]', () => {
  const ways: readonly (readonly Step[])[] = [
    [sellV3(sender, 985n)],
    [v4(sellV4(usdc, weth, 0n), settle(), [0x0f, toInput('address, uint256', [weth, 985n])])],
    [v4(sellV4(usdc, weth, 985n), settle(), [0x0f, toInput('address, uint256', [weth, 0n])])],
  ]
  for (const steps of ways) {
    assert.is(why(direct(steps)), undefined)
    assert.is(why(proxied(steps)), 'the payload guarantees 0 only')
  }
})

s('of more or fewer inputs than commands nothing is guaranteed [17/router-guarantee]', () => {
  const abi = parseAbi(['function execute(bytes, bytes[], uint256)'])
  const [, input] = sellV3(taker, 985n)
  for (const [commands, inputs] of [
    ['0x0000', [input]],
    ['0x00', [input, input]],
  ] as const) {
    const calldata = encodeFunctionData({ abi, args: [commands, inputs, deadline] })
    assert.is(why(calldata), 'the payload guarantees 0 only')
  }
})

s('reads nobody of an address that is wider than that [17/router-guarantee]', () => {
  const [, input] = pay(sweep, weth, taker, 985n)
  const wide: Hex = `${input.slice(0, 66)}1${input.slice(67)}` as Hex
  for (const encode of [proxied, direct])
    assert.is(why(encode([[sweep, wide]])), 'the payload does not fit its function')
})

s('reads no path in capitals as another [17/router-guarantee]', () => {
  const spent = [
    sellV3(itself, 985n, pathOf(other, weth)),
    sellV3(thief, 0n, pathOf(weth, other)),
    pay(sweep, weth, taker, 0n),
  ]
  const shouted = proxied(spent).replace(/[a-f]/g, (letter) => letter.toUpperCase()) as Hex
  assert.is(why(shouted), 'the payload guarantees 0 only')
})

s.run()
