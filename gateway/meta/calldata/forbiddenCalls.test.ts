import { concatHex, encodeFunctionData, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { direct } from '../../../fixtures/meta/routerSteps.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { findForbiddenCall, forbiddenCalls } from './forbiddenCalls.ts'

/** Calls that no swap is, by themselves and within others. */
const s = suite('meta/forbiddenCalls')
const harmless: Hex = '0x12345678'
const transfer = toFunctionSelector('function transfer(address,uint256)')
const zeros: Hex = `0x${'00'.repeat(32)}`

s('names what each of them belongs to [teeth/forbidden]', () => {
  for (const [kind, signatures] of Object.entries(forbiddenCalls))
    for (const signature of signatures) {
      const selector = toFunctionSelector(`function ${signature}`)
      assert.is(findForbiddenCall(concatHex([selector, zeros])), kind, signature)
    }
  assert.is(findForbiddenCall(harmless), undefined)
  assert.is(findForbiddenCall(direct([[0x02, zeros]])), 'Permit2')
})
const toInner = (...calls: readonly Hex[]) => [
  encodeFunctionData({ abi: parseAbi(['function multicall(bytes[])']), args: [calls] }),
  encodeFunctionData({
    abi: parseAbi(['function multicall(uint256, bytes[])']),
    args: [7n, calls],
  }),
  encodeFunctionData({
    abi: parseAbi(['function multicall(bytes32, bytes[])']),
    args: [zeros, calls],
  }),
  encodeFunctionData({ abi: parseAbi(['function batch(bytes[], bool)']), args: [calls, true] }),
]
s('finds them among the calls of a call, whichever it is [teeth/forbidden]', () => {
  for (const calldata of toInner(harmless, transfer, harmless))
    assert.is(findForbiddenCall(calldata), 'ERC-20')
  for (const calldata of [...toInner(harmless, harmless), ...toInner()])
    assert.is(findForbiddenCall(calldata), undefined)
})
s('takes calls of calls three deep, and none below [teeth/forbidden]', () => {
  const nest = (depth: number, inner: Hex): Hex =>
    depth === 0 ? inner : (toInner(nest(depth - 1, inner))[0] ?? '0x')
  const found = [1, 2, 3, 4].map((depth) => findForbiddenCall(nest(depth, harmless)))
  assert.equal(found, [undefined, undefined, undefined, 'ERC-20'])
  assert.is(findForbiddenCall(nest(3, '0x095ea7b3')), 'ERC-20')
})
s('believes nothing of calls that it cannot read [teeth/forbidden]', () => {
  assert.is(findForbiddenCall('0xac9650d8'), 'ERC-20')
})
s.run()
