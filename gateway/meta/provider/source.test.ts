import { assert, suite } from '../../../fixtures/test.ts'
import { describeFailure, fail, inputCap, isTimeout } from './source.ts'

const s = suite('meta/provider/source')

s('says of a failure its word, and what is known of it [teeth/failure-words]', () => {
  assert.is(describeFailure(fail('no_route')), 'no_route')
  assert.is(describeFailure(fail('timeout', 'after 5 ms')), 'timeout: after 5 ms')
  assert.equal([isTimeout(fail('timeout')), isTimeout(fail('no_route'))], [true, false])
})
s('takes no more than the caller allows, and that rounded up [teeth/input-cap]', () => {
  assert.is(inputCap(1_001n, { slippageBps: 100, maxIn: 2_000n }), 1_012n)
  assert.is(inputCap(1_001n, { slippageBps: 100, maxIn: 1_011n }), 1_011n)
})
s.run()
