import { assert, suite } from '../../fixtures/test.ts'
import { callUnitsPattern, readCallUnits } from './callUnits.ts'

const s = suite('what a provider counts for a call')

s('counts each method by the table, others by its star [nodes/unit-table]', () => {
  const unitsOf = readCallUnits('eth_call=26,eth_getLogs=60,*=20')
  assert.equal(['eth_call', 'eth_getLogs', 'eth_chainId'].map(unitsOf), [26, 60, 20])
})

s('counts what no table names as one [nodes/unit-table]', () => {
  assert.is(readCallUnits('')('eth_call'), 1)
  assert.is(readCallUnits('eth_call=26')('eth_getLogs'), 1)
})

s('takes tables only', () => {
  const pattern = new RegExp(callUnitsPattern)
  for (const table of ['', 'eth_call=26', 'eth_call=26,*=20', 'trace_block=0'])
    assert.ok(pattern.test(table), table)
  for (const none of ['eth_call', 'eth_call=', 'eth_call=2.5', 'eth_call=26;*=1', '=3', 'a=1,'])
    assert.not.ok(pattern.test(none), none)
})
s.run()
