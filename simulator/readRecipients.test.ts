import {
  type Address,
  concat,
  encodeFunctionData,
  getAddress,
  type Hex,
  pad,
  parseAbi,
  slice,
} from 'viem'
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
const read = (...parts: readonly Hex[]) => readRecipients(concat(parts), { exclude: none })

s('reads words behind a selector, behind two or three, and behind none', () => {
  const selector = '0x01020304'
  for (let count = 0; count < 4; count += 1) {
    const before = Array.from({ length: count }, () => selector) as Hex[]
    assert.equal(read(...before, pad(alice)), [alice], `${count}`)
    assert.equal(read(...before, pad('0x5'), pad(alice)), [alice], `${count}, second`)
  }
  assert.equal(read('0x01', pad(alice)), [])
  assert.equal(read(selector, slice(pad(alice), 0, 31)), [])
})
s('takes for an address what has few zeros before it, and ends in something', () => {
  const isFound = (digits: string) => read(pad(`0x${digits}`)).length === 1
  const [long, longer] = ['ab'.repeat(14), 'ab'.repeat(13)]
  assert.equal([isFound(long), isFound(longer)], [true, false])
  const ending = (zeros: number) => `${'ab'.repeat(20 - zeros)}${'00'.repeat(zeros)}`
  assert.equal([isFound(ending(2)), isFound(ending(3))], [true, false])
  assert.not.ok(isFound(`01${'ab'.repeat(20)}`))
})
s('names each once, and no more than are asked for', () => {
  const two = [alice, bob, alice].map((address) => pad(address))
  assert.equal(read(...two), [alice, bob])
  assert.equal(readRecipients(concat(two), { exclude: none, most: 1 }), [alice])
})
s.run()
