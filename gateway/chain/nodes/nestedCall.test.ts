import { type Address, encodeFunctionResult, parseAbi } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { createNesting } from './nestedCall.ts'

const s = suite('chain/nestedCall')
const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`
const to = addressOf('3')
const nesting = createNesting({
  multicall3: addressOf('1'),
  create2Deployer: addressOf('2'),
  now: () => 0,
})
const nested = nesting.nest({
  method: 'eth_call',
  params: [{ to, data: '0x12345678' }, '0x1', { [to]: { code: '0x6001' } }],
})
const abi = parseAbi([
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3() returns (Result[] returnData)',
])
const encode = (...results: { success: boolean; returnData: `0x${string}` }[]) =>
  encodeFunctionResult({ abi, functionName: 'aggregate3', result: results })
const created = { success: true, returnData: '0x' } as const

s('reads the second answer of the two', () => {
  const read = (result: string) => nested?.read({ result })
  assert.equal(read(encode(created, { success: true, returnData: '0xab' })), { result: '0xab' })
  const reverted = read(encode(created, { success: false, returnData: '0xcd' }))
  assert.ok(reverted && 'error' in reverted)
})

s('did not work where a node answers with something else [nodes/nested-garbage]', () => {
  const garbage = ['0x', '0x00', 'garbage', `0x${'ff'.repeat(64)}`, encode(), encode(created)]
  assert.ok(nested)
  for (const result of garbage) assert.is(nested.read({ result }), undefined, result)
})

s('is made of calls alone that lay code: others pass as they are [nodes/nested-plain]', () => {
  for (const method of ['eth_blockNumber', 'eth_maxPriorityFeePerGas'])
    assert.is(nesting.nest({ method }), undefined)
  assert.is(nesting.nest({ method: 'eth_call', params: [{ to, data: '0x' }, '0x1'] }), undefined)
})

s.run()
