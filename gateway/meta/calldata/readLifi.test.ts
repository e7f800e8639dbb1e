import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress, zeroHash } from 'viem'
import { thief } from '../../../fixtures/meta/hostilePayloads.ts'
import { makeQuote, makeRequest, taker, usdc, weth } from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { nativeToken } from '../provider/source.ts'
import { checkCalldata } from './checkCalldata.ts'
import { readSwap } from './readSwap.ts'

/** What LI.FI's orders take of the caller and give, step by step. */
const s = suite('meta/readLifi')
const other: Address = '0x3333333333333333333333333333333333333333'
const lifiStep = '(address, address, address, address, uint256, bytes, bool)'
type Step = { readonly sent?: Address; readonly received?: Address; readonly isDeposit?: boolean }
const toStep = ({ sent = usdc, received = weth, isDeposit = true }: Step = {}) =>
  [other, other, sent, received, 1_000_000n, '0x', isDeposit] as const
const lifiOrder = { recipient: taker, min: 995n, steps: [toStep()] }
for (const [from, to] of [
  ['ERC20', 'ERC20'],
  ['ERC20', 'Native'],
  ['Native', 'ERC20'],
] as const) {
  const request = makeRequest({
    ...(from === 'Native' && { tokenIn: nativeToken }),
    ...(to === 'Native' && { tokenOut: nativeToken }),
  })
  for (const count of ['Single', 'Multiple'] as const) {
    const name = `swapTokens${count}V3${from}To${to}`
    const last = count === 'Single' ? lifiStep : `${lifiStep}[]`
    const abi = parseAbi([
      `function ${name}(bytes32, string, string, address, uint256, ${last})`,
    ] as readonly string[])
    const encode = ({ recipient, min, steps }: typeof lifiOrder = lifiOrder) => {
      const told = count === 'Single' ? steps.at(-1) : steps
      return encodeFunctionData({ abi, args: [zeroHash, 'i', 'r', recipient, min, told] })
    }
    const whyOf = (change: Partial<typeof lifiOrder> = {}) =>
      checkCalldata(makeQuote({ calldata: encode({ ...lifiOrder, ...change }) }), request)
        ?.detail ?? ''
    s(`LI.FI ${name}: reads what is taken, who receives and the guard [meta/readers]`, () => {
      const lower = (address: Address) => address.toLowerCase()
      assert.equal(readSwap(encode()), {
        status: 'read',
        swap: {
          recipient: taker,
          minAmountOut: 995n,
          tokenIn: from === 'Native' ? zeroAddress : lower(usdc),
          tokenOut: to === 'Native' ? zeroAddress : lower(weth),
          amountIn: from === 'Native' ? undefined : 1_000_000n,
        },
      })
      assert.is(whyOf(), '')
      assert.match(whyOf({ recipient: thief }), /pays somebody else/)
      assert.match(whyOf({ recipient: zeroAddress }), /does not fit/)
      assert.match(whyOf({ min: 1n }), /guarantees 1 only/)
      const cut = encode().slice(0, 90) as Hex
      const garbled = checkCalldata(makeQuote({ calldata: cut }), request)
      assert.match(garbled?.detail ?? '', /does not fit/)
    })
    s(`LI.FI ${name}: guarantees what was asked for, for no other token [17/lifi-tokens]`, () => {
      const worthless = whyOf({ steps: [toStep({ received: thief })] })
      assert.match(worthless, to === 'Native' ? /^$/ : /gives another token/)
      const foreign = whyOf({ steps: [toStep({ sent: other })] })
      assert.match(foreign, from === 'Native' ? /^$/ : /takes another token/)
      if (count === 'Single') return
      const beside = [toStep(), toStep({ sent: other })]
      assert.match(whyOf({ steps: beside }), from === 'Native' ? /^$/ : /does not fit/)
      const twice = [toStep(), toStep()]
      assert.match(whyOf({ steps: twice }), from === 'Native' ? /^$/ : /takes 2000000/)
      const on = [toStep({ received: other }), toStep({ sent: other, isDeposit: false })]
      assert.is(whyOf({ steps: on }), '')
      assert.match(whyOf({ steps: [] }), /does not fit/)
    })
  }
}

s.run()
