import { type Address, encodeFunctionData, parseAbi, zeroHash } from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import { makeQuote, makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { checkCalldata } from './checkCalldata.ts'

/** What routers let somebody take of an output whose least they have seen arrive. */
const s = suite('meta/routerFees')
const executor: Address = '0x3333333333333333333333333333333333333333'
/** The quote says 1,000, of which 985 are to be guaranteed. */
const why = (calldata: `0x${string}`) =>
  checkCalldata(makeQuote({ calldata }), makeRequest())?.detail

const partner = BigInt(thief) << 96n
const flag = (bit: number) => partner | (1n << BigInt(bit))
const velora = ({ least = 995n, quoted = 1_000n, partnerAndFee = 0n } = {}) =>
  encodeFunctionData({
    abi: parseAbi([
      'function swapExactAmountIn(address, (address, address, uint256, uint256, uint256, bytes32, address), uint256, bytes, bytes)',
    ]),
    args: [
      executor,
      [usdc, weth, 1_000_000n, least, quoted, zeroHash, taker],
      partnerAndFee,
      '0x',
      '0x',
    ],
  })

s('of more than Velora has quoted nothing is guaranteed [17/velora-surplus]', () => {
  for (const partnerAndFee of [0n, partner, flag(95), flag(94), flag(92)]) {
    assert.is(why(velora({ partnerAndFee })), undefined)
    assert.is(why(velora({ quoted: 985n, partnerAndFee })), undefined)
    assert.is(why(velora({ quoted: 1n, partnerAndFee })), 'the payload guarantees 1 only')
  }
})

s("nor of a partner's part of it [17/velora-surplus]", () => {
  assert.is(why(velora({ partnerAndFee: partner | 100n })), undefined)
  assert.is(why(velora({ partnerAndFee: partner | 200n })), 'the payload guarantees 975 only')
  // More than all of it is all.
  assert.is(why(velora({ partnerAndFee: partner | 0x3fffn })), 'the payload guarantees 0 only')
  assert.is(why(velora({ least: 984n })), 'the payload guarantees 984 only')
})

s('what KyberSwap may fill in part has no least [17/kyber-partial]', () => {
  const kyber = (flags: bigint) =>
    encodeFunctionData({
      abi: parseAbi([
        'function swap((address, address, bytes, (address, address, address[], uint256[], address[], uint256[], address, uint256, uint256, uint256, bytes), bytes))',
      ]),
      args: [
        [
          executor,
          executor,
          '0x12',
          [usdc, weth, [], [], [thief], [999_000n], taker, 1_000_000n, 995n, flags, '0x'],
          '0x',
        ],
      ],
    })
  // As its servers answer: fees in bps, in simple mode, of the output.
  for (const flags of [0n, 0x200n, 0x280n, 0x20n, 0x40n]) assert.is(why(kyber(flags)), undefined)
  for (const flags of [0x1n, 0x21n, 0x281n])
    assert.is(why(kyber(flags)), 'the payload guarantees 0 only')
})

s('nor has what 1inch and OpenOcean may fill in part [17/partial-fill]', () => {
  const oneInch = (flags: bigint) =>
    encodeFunctionData({
      abi: parseAbi([
        'function swap(address, (address, address, address, address, uint256, uint256, uint256), bytes)',
      ]),
      args: [executor, [usdc, weth, executor, taker, 1_000_000n, 995n, flags], '0x'],
    })
  const openOcean = (flags: bigint) =>
    encodeFunctionData({
      abi: parseAbi([
        'function swap(address, (address, address, address, address, uint256, uint256, uint256, uint256, address, bytes), (uint256, uint256, uint256, bytes)[])',
      ]),
      args: [
        executor,
        [usdc, weth, executor, taker, 1_000_000n, 995n, 995n, flags, thief, '0x'],
        [],
      ],
    })
  for (const encode of [oneInch, openOcean]) {
    for (const flags of [0n, 2n, 4n]) assert.is(why(encode(flags)), undefined)
    for (const flags of [1n, 3n, 5n]) assert.is(why(encode(flags)), 'the payload guarantees 0 only')
  }
})

s.run()
