import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { judge, readHead } from './judge.ts'
import type { RpcAnswer } from './readReply.ts'

const s = suite('what becomes of one call of a batch')
const ethCall = { method: 'eth_call', params: [{ gas: '0x18cba80' }, '0x10'] }
const getLogs = { method: 'eth_getLogs', params: [{}] }
const block = (number: string) => ({ method: 'eth_getBlockByNumber', params: [number, false] })
const no = (code: number, message: string): RpcAnswer => ({ error: { code, message } })
const none = { trouble: { kind: 'bad_answer' }, head: 16, batch: 4 } as const
const next = (call: typeof ethCall | ReturnType<typeof block>, answer: RpcAnswer | undefined) =>
  judge(call, { ...none, answer }).next

for (const [what, call, answer, verdict] of [
  ['an answer stands', ethCall, { result: '0x' }, 'done'],
  ['a revert stands', ethCall, no(3, 'execution reverted'), 'done'],
  ['a wrong request may be none elsewhere', ethCall, no(-32602, 'invalid argument 0'), 'elsewhere'],
  ['a range may be taken elsewhere', getLogs, no(-32602, 'block range is too wide'), 'elsewhere'],
  ['so may what has many logs', getLogs, no(-32005, 'exceeds max results 9'), 'elsewhere'],
  ['another may be faster', ethCall, no(-32000, 'execution aborted'), 'elsewhere'],
  ['a rate limit is waited for', ethCall, no(-32005, 'limit exceeded'), 'again'],
  ['a batch that is too large is cut', ethCall, no(31, 'Batch of more than 3'), 'again'],
  ['so is one whose answer is', ethCall, no(-32011, 'The batch response was too large'), 'again'],
  ['who is not let in asks elsewhere', ethCall, no(-32001, 'Unauthorized'), 'fault'],
  ['no answer at all is a fault', ethCall, undefined, 'fault'],
  ['a gas cap is kept to', ethCall, no(-32000, 'gas limit is too high'), 'fault'],
  ['a block may be known elsewhere', ethCall, no(-32000, 'header not found'), 'elsewhere'],
  ['history may be kept elsewhere', ethCall, no(-32000, 'missing trie node'), 'elsewhere'],
  ['words that nobody knows are asked once more', ethCall, no(-32603, 'oops'), 'elsewhere'],
  ['null is no answer to a call', ethCall, { result: null }, 'elsewhere'],
  ['a block below the head exists', block('0x10'), { result: null }, 'elsewhere'],
  ['a block above the head may not', block('0x11'), { result: null }, 'done'],
] as const)
  s(what, () => assert.is(next(call as typeof ethCall, answer), verdict))

s('a transaction is never sent twice for words that nobody knows [nodes/never-twice]', () => {
  const send = { method: 'eth_sendRawTransaction', params: ['0x02'] }
  assert.is(judge(send, { ...none, answer: no(-32000, 'oops') }).next, 'done')
})

s('the newest block tells its number, and when it was made where it is told whole', () => {
  const told = { result: { number: '0x64', timestamp: '0x3e8' } }
  assert.equal(readHead(block('latest'), told), { number: 100, madeAtMs: 1_000_000 })
  assert.equal(readHead({ method: 'eth_blockNumber' }, { result: '0x64' }), { number: 100 })
  assert.is(readHead(block('0x64'), told), undefined)
  assert.is(readHead(block('latest'), no(-32000, 'oops')), undefined)
})
s('what is no number tells of no block [nodes/no-number]', () => {
  for (const result of [null, '', 'soon', 100, {}, numberToHex(2n ** 60n)]) {
    assert.is(readHead({ method: 'eth_blockNumber' }, { result }), undefined, `${result}`)
    assert.is(readHead(block('latest'), { result: { number: result } }), undefined, `${result}`)
  }
})
s.run()
