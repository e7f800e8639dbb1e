import { type Address, concat, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { readRecipients } from './readRecipients.ts'

const s = suite('read recipients')
const alice = getAddress('0xab5801a7d398351b8be11c439e05c5b3259aec9b')
const bob = getAddress('0x00000000219ab540356cbb839cbe05303d7705fa')
const abi = parseAbi([
  'function swap(uint256 amount, address to, bytes data)',
  'function pay(address[] to, uint256 amount)',
])
const none: readonly Address[] = []

s('finds addresses among amounts, in arrays and in nested calls', () => {
  const nested = encodeFunctionData({ abi, functionName: 'pay', args: [[bob], 10n ** 27n] })
  const data = encodeFunctionData({ abi, functionName: 'swap', args: [10n ** 24n, alice, nested] })
  assert.equal(readRecipients(data, { exclude: none }).slice(0, 2), [alice, bob])
})
s('leaves out what it is told to, in any case of letters', () => {
  const data = encodeFunctionData({ abi, functionName: 'swap', args: [1n, alice, '0x'] })
  assert.equal(readRecipients(data, { exclude: [alice.toLowerCase() as Hex] }), [])
})
s('takes no more than eight, and no harm from any bytes', () => {
  const many = Array.from(
    { length: 20 },
    (_, i): Address => `0x${(i + 17).toString(16).repeat(20)}`,
  )
  const data = encodeFunctionData({ abi, functionName: 'pay', args: [many, 1n] })
  assert.is(readRecipients(data, { exclude: none }).length, 8)
  for (const odd of ['0x', '0x01', concat(['0x01020304', '0x00'])] as const)
    assert.equal(readRecipients(odd, { exclude: none }), [])
})
s.run()
