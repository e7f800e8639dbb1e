import { encodeFunctionData, parseAbi } from 'viem'
import { assert, suite } from '../../fixtures/test.ts'
import { encodeCall } from './encodeCall.ts'

const s = suite('encodeCall')
const abi = parseAbi([
  'function get(address who, uint256 place) view returns (uint256)',
  'function find(uint256 place) view returns (uint256)',
  'function find(address who) view returns (uint256)',
  'function count() view returns (uint256)',
  'event count(uint256 place)',
])
const who = '0x00000000000000000000000000000000000000aa'

s('writes what viem does, again and again, of one name and of several', () => {
  for (const call of [
    { abi, functionName: 'get', args: [who, 7n] },
    { abi, functionName: 'get', args: [who, 8n] },
    { abi, functionName: 'find', args: [7n] },
    { abi, functionName: 'find', args: [who] },
    { abi, functionName: 'count' },
    { abi, functionName: 'count', args: [] },
  ] as const)
    assert.is(encodeCall(call), encodeFunctionData(call))
})

s('refuses what the function does not take, the first time and later', () => {
  const few = { abi, functionName: 'get', args: [who] } as never
  assert.throws(() => encodeCall(few), /Expected length/)
  assert.throws(() => encodeCall({ abi, functionName: 'nothing' } as never), /nothing/)
  assert.throws(() => encodeCall(few), /Expected length/)
})
s.run()
