import { encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import { makeQuote, makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { nativeToken } from '../provider/source.ts'
import { checkCalldata } from './checkCalldata.ts'
import { readSwap } from './readSwap.ts'

/** What Bebop's orders take of the taker and give, filled in part, with natives and with partners. */
const s = suite('meta/readBebop')
const abi = parseAbi([
  'function swapSingle((uint256, address, address, uint256, address, address, uint256, uint256, address, uint256, uint256), (bytes, uint256), uint256)',
])
type Order = {
  readonly takerAmount?: bigint
  readonly makerAmount?: bigint
  readonly commands?: bigint
  readonly flags?: bigint
  readonly filled?: bigint
}
const encode = ({
  takerAmount = 1_000_000n,
  makerAmount = 1_000n,
  commands = 0n,
  flags = 0n,
  filled = 0n,
}: Order = {}) =>
  encodeFunctionData({
    abi,
    args: [
      [2n ** 40n, taker, thief, 1n, usdc, weth, takerAmount, makerAmount, taker, commands, flags],
      ['0x12', 1n],
      filled,
    ],
  })
const why = (order: Order, request = makeRequest()) =>
  checkCalldata(makeQuote({ calldata: encode(order) }), request)?.detail

s('an order moves so much each way, and in part as much less [17/bebop-order]', () => {
  assert.is(why({}), undefined)
  assert.is(why({ makerAmount: 984n }), 'the payload guarantees 984 only')
  assert.is(why({ filled: 999_999n }), 'the payload takes 999999')
  // More than all is all.
  assert.is(why({ filled: 2_000_000n }), undefined)
  const whole = { takerAmount: 4_000_000n, filled: 1_000_000n }
  assert.is(why({ ...whole, makerAmount: 4_000n }), undefined)
  assert.is(why({ ...whole, makerAmount: 3_939n }), 'the payload guarantees 984 only')
  assert.is(why({ takerAmount: 0n }), 'the payload takes 0')
})

s('its commands say which side is native [17/bebop-order]', () => {
  assert.is(why({ commands: 2n }, makeRequest({ tokenOut: nativeToken })), undefined)
  assert.is(why({ commands: 2n }), 'the payload gives another token')
  assert.is(why({}, makeRequest({ tokenOut: nativeToken })), 'the payload gives another token')
  assert.is(why({ commands: 1n }), 'the payload takes another token')
  // By Permit2, of the same token.
  assert.is(why({ commands: 4n }), undefined)
  const read = readSwap(encode({ commands: 3n }))
  assert.equal(read.status === 'read' && [read.swap.tokenIn, read.swap.tokenOut], [
    zeroAddress,
    zeroAddress,
  ])
})

s('a partner has as much of it as he says, and nobody reads that [17/bebop-order]', () => {
  const partner = 1n << 64n
  assert.is(readSwap(encode({ flags: partner })).status, 'unknown')
  assert.is(readSwap(encode({ flags: partner << 63n })).status, 'unknown')
  // What stands beside it names the signature and the event.
  assert.is(readSwap(encode({ flags: (1n << 128n) | 1n })).status, 'read')
})

s.run()
