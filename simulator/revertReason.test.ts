import { concat, encodeErrorResult, type Hex, parseAbi, size } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { createErrorTable, describeRevert } from './revertReason.ts'

const s = suite('revert reason')
const abi = parseAbi([
  'error TooLittle(uint256 got, uint256 wanted)',
  'error Nested((address a, uint8 b) x)',
  'error Closed()',
  'function swap()',
])
const table = createErrorTable([abi])
const standard = parseAbi(['error Error(string)', 'error Panic(uint256)'])
const error = (message: string) =>
  encodeErrorResult({ abi: standard, errorName: 'Error', args: [message] })

s('gives the words of require', () => {
  assert.is(describeRevert(error('TRANSFER_FROM_FAILED'), table), 'TRANSFER_FROM_FAILED')
})
s('cuts long words and takes control characters out', () => {
  assert.is(describeRevert(error('a\n\u0000b\u202e'), table), 'a  b')
  assert.is(describeRevert(error('x'.repeat(5000)), table).length, 301)
  assert.is(describeRevert(error('x'.repeat(300)), table), 'x'.repeat(300))
  assert.is(describeRevert(error('\n'), table), 'execution reverted')
})
s('explains panics', () => {
  const panic = (code: bigint) =>
    encodeErrorResult({ abi: standard, errorName: 'Panic', args: [code] })
  assert.is(describeRevert(panic(0x11n), table), 'panic: arithmetic overflow or underflow')
  assert.is(describeRevert(panic(0x99n), table), 'panic: code 153')
})
s('names custom errors that it knows, with their arguments', () => {
  const data = encodeErrorResult({ abi, errorName: 'TooLittle', args: [5n, 7n] })
  assert.is(describeRevert(data, table), 'TooLittle(5, 7)')
  const closed = encodeErrorResult({ abi, errorName: 'Closed' })
  assert.is(describeRevert(closed, table), 'Closed()')
  assert.is(table.size, 3)
})
s('shows what it does not know as it is, up to 1 KB', () => {
  assert.is(describeRevert('0x', table), 'execution reverted without a reason')
  assert.is(describeRevert('0x01', table), 'execution reverted with 0x01')
  assert.is(describeRevert('0xdeadbeef', table), 'execution reverted with 0xdeadbeef')
  const long: Hex = `0xdeadbeef${'00'.repeat(5000)}`
  assert.is(describeRevert(long, table).length, 'execution reverted with '.length + 2 + 2048 + 1)
  const whole: Hex = `0xdeadbeef${'00'.repeat(1_020)}`
  assert.is(describeRevert(whole, table), `execution reverted with ${whole}`)
})
s('shows data raw that is not what its selector promises', () => {
  const broken = concat(['0x08c379a0', '0xffff'])
  assert.is(describeRevert(broken, table), `execution reverted with ${broken}`)
  assert.ok(size(broken) === 6)
})
s.run()
