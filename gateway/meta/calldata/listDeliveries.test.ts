import { type Address, concatHex, size, zeroAddress } from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import { taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import {
  itself,
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
  wrap,
} from '../../../fixtures/meta/routerSteps.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { listDeliveries } from './routerDeliveries.ts'

/** What each command is sure to deliver, to the unit, and what the router holds after it. */
const s = suite('meta/listDeliveries')
const [eth, usd] = [weth, usdc].map((token) => token.toLowerCase())
const caller = other
function deliver(steps: readonly Step[], by: Address | undefined = caller) {
  return listDeliveries(toProgram(steps), by).map(({ token, recipient, amount }) => [
    token,
    recipient.toLowerCase(),
    amount,
  ])
}
const to = (token: string | undefined, amount: bigint, recipient: Address = taker) => [
  token,
  recipient.toLowerCase(),
  amount,
]
const hold = (token: Address, amount: bigint) => sellV3(itself, amount, pathOf(other, token))
const left = (token: Address) => pay(sweep, token, taker, 0n)
const takeAll = (token: Address, least: bigint): Step => [
  0x0f,
  toInput('address, uint256', [token, least]),
]
const takePortion = (token: Address, bps: bigint) => pay(0x10, token, thief, bps)

const cases: readonly (readonly [
  name: string,
  steps: readonly Step[],
  ...found: readonly (readonly unknown[])[],
])[] = [
  ['a swap of v3', [sellV3(taker, 7n)], to(eth, 7n)],
  [
    'an exact output of v3, whose path is walked backwards',
    [hold(usdc, 5n), v3(taker, [7n, 9n], pathOf(weth, usdc), 0x01), left(usdc)],
    to(eth, 7n),
    to(usd, 0n),
  ],
  ['a path that is one token', [hold(weth, 5n), sellV3(taker, 7n, usdc), left(weth)], to(eth, 0n)],
  [
    'a path with a byte too many',
    [hold(weth, 5n), sellV3(taker, 7n, concatHex([straight, '0x00'])), left(weth)],
    to(eth, 0n),
  ],
  ['a swap of v2 over a third', [v2(taker, [9n, 7n], 0x08, [usdc, other, weth])], to(eth, 7n)],
  [
    'a swap of v2 from nowhere',
    [hold(weth, 5n), v2(taker, [9n, 7n], 0x08, [usdc]), left(weth)],
    to(eth, 0n),
  ],
  [
    'an exact output of v2, which spends and may bring nothing',
    [hold(usdc, 5n), hold(weth, 7n), v2(taker, [7n, 9n], 0x09), left(usdc), left(weth)],
    to(usd, 0n),
    to(eth, 7n),
  ],
  ['what two swaps left', [hold(weth, 3n), hold(weth, 4n), left(weth)], to(eth, 7n)],
  [
    'a sweep of its least where less is sure',
    [hold(weth, 5n), pay(sweep, weth, taker, 9n), left(weth)],
    to(eth, 9n),
    to(eth, 0n),
  ],
  [
    'a transfer of a part, after which nothing is sure',
    [hold(weth, 10n), pay(transfer, weth, taker, 3n), left(weth)],
    to(eth, 3n),
    to(eth, 0n),
  ],
  ['a transfer of all', [hold(weth, 10n), pay(transfer, weth, taker, whole)], to(eth, 10n)],
  [
    'what a portion leaves',
    [hold(weth, 1_000n), pay(portion, weth, thief, 100n), left(weth)],
    to(eth, 990n),
  ],
  [
    'what a portion of more than all leaves',
    [hold(weth, 1_000n), pay(portion, weth, thief, 20_000n), left(weth)],
    to(eth, 0n),
  ],
  [
    'so much wrapped',
    [hold(zeroAddress, 5n), move(wrap, taker, 3n), left(zeroAddress)],
    to('wrapped', 3n),
    to(zeroAddress, 0n),
  ],
  ['all wrapped', [hold(zeroAddress, 5n), move(wrap, taker, whole)], to('wrapped', 5n)],
  [
    'what is unwrapped beside native currency, and no token any more',
    [
      hold(zeroAddress, 5n),
      hold(weth, 7n),
      move(unwrap, itself, 3n),
      left(zeroAddress),
      left(weth),
    ],
    to(zeroAddress, 8n),
    to(eth, 0n),
  ],
  [
    'nothing after a command that nobody knows',
    [hold(weth, 7n), [0x3f, '0x'], left(weth)],
    to(eth, 0n),
  ],
  [
    'nothing after one that may fail',
    [hold(weth, 7n), sellV3(taker, 1n, straight, 0x80), left(weth)],
    to(eth, 0n),
  ],
  ['what its caller is paid', [sellV3(sender, 7n)], to(eth, 7n, caller)],
  ['nothing of what nobody is paid', [sellV3(zeroAddress, 7n)]],
  [
    'of v4 a part, and then the rest',
    [v4(sellV4(usdc, weth, 7n), take(weth, taker, 3n), take(weth, taker, 0n))],
    to(eth, 3n),
    to(eth, 4n),
  ],
  [
    'of v4 all, and nothing after it',
    [v4(sellV4(usdc, weth, 7n), takeAll(weth, 5n), take(weth, taker, 0n))],
    to(eth, 7n, caller),
    to(eth, 0n),
  ],
  [
    'of v4 the least of all where nothing else is sure',
    [v4(takeAll(weth, 9n), take(weth, taker, 0n))],
    to(eth, 9n, caller),
    to(eth, 0n),
  ],
  ['of v4 nothing that was never bought', [v4(take(weth, taker, 0n))], to(eth, 0n)],
  [
    'of v4 what a portion leaves',
    [v4(sellV4(usdc, weth, 1_000n), takePortion(weth, 100n), take(weth, taker, 0n))],
    to(eth, 990n),
  ],
  [
    'of v4 what a portion of more than all leaves',
    [v4(sellV4(usdc, weth, 1_000n), takePortion(weth, 20_000n), take(weth, taker, 0n))],
    to(eth, 0n),
  ],
  [
    'of v4 what is more than was taken before',
    [
      v4(
        take(weth, taker, 5n),
        take(weth, taker, 0n),
        takePortion(weth, 10_000n),
        sellV4(usdc, weth, 9n),
        take(weth, taker, 0n),
      ),
    ],
    to(eth, 5n),
    to(eth, 0n),
    to(eth, 4n),
  ],
  [
    'of v4 nothing that was sold on',
    [
      v4(
        sellV4(usdc, weth, 7n),
        sellSingle(weth, other, 5n),
        takePortion(weth, 10_000n),
        take(weth, taker, 0n),
        take(other, taker, 0n),
      ),
    ],
    to(eth, 0n),
    to(other, 5n),
  ],
  [
    'of v4 a pool either way',
    [
      v4(sellSingle(usdc, weth, 7n), take(weth, taker, 0n)),
      v4(sellSingle(weth, usdc, 8n), take(usdc, taker, 0n)),
    ],
    to(eth, 7n),
    to(usd, 8n),
  ],
  ...[0x08, 0x09].map(
    (step) =>
      [
        `of v4 nothing beside an exact output (${step})`,
        [v4(sellV4(usdc, weth, 7n), [step, '0x'], take(weth, taker, 0n))],
        to(eth, 0n),
      ] as const,
  ),
  ...[0x0b, 0x0c].map(
    (step) =>
      [
        `nothing of what v4 was paid with (${step})`,
        [hold(weth, 7n), hold(usdc, 3n), v4(settle(weth, 0n, step)), left(weth), left(usdc)],
        to(eth, 0n),
        to(usd, 3n),
      ] as const,
  ),
  [
    'nothing after actions that nobody knows',
    [hold(weth, 7n), v4(take(usdc, taker, 5n), [0x17, '0x']), left(weth)],
    to(eth, 0n),
  ],
  [
    'nothing after actions without inputs',
    [hold(weth, 7n), [0x10, toInput('bytes, bytes[]', ['0x0e', []])], left(weth)],
    to(eth, 0n),
  ],
]
for (const [name, steps, ...found] of cases)
  s(`lists ${name} [teeth/deliveries]`, () => assert.equal(deliver(steps), found))

s('leaves with the sender what its caller does not hand on [teeth/deliveries]', () => {
  const found = listDeliveries(toProgram([sellV3(sender, 7n)]), undefined)
  assert.equal(found, [{ token: eth, recipient: sender, amount: 7n }])
})
s('is sure of an amount of v4 that no place in its bytes may be [teeth/deliveries]', () => {
  const sell = (amountIn: bigint) => v4(sellHop(usdc, amountIn), take(weth, taker, 0n))
  const [, input] = sell(0n)
  const end = BigInt(size(input))
  for (const amountIn of [end, 2n ** 128n]) assert.equal(deliver([sell(amountIn)]), [to(eth, 0n)])
  for (const amountIn of [end + 1n, 2n ** 128n - 1n])
    assert.equal(deliver([sell(amountIn)]), [to(eth, 985n)])
})
s.run()
