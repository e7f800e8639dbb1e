import { assert, suite } from '../../fixtures/test.ts'
import { callUnitsPattern, readCallPrices, readCallUnits } from './callUnits.ts'
import { providerUnits } from './providerUnits.ts'

const s = suite('what a provider counts for a call')

s('counts each method by the table, others by its star [nodes/unit-table]', () => {
  const unitsOf = readCallUnits('eth_call=26,eth_getLogs=60,*=20')
  assert.equal(['eth_call', 'eth_getLogs', 'eth_chainId'].map(unitsOf), [26, 60, 20])
})

s('counts what no table names as one [nodes/unit-table]', () => {
  assert.is(readCallUnits('')('eth_call'), 1)
  assert.is(readCallUnits('eth_call=26')('eth_getLogs'), 1)
})

s('knows the tables of providers by their names [nodes/provider-units]', () => {
  const pattern = new RegExp(callUnitsPattern)
  for (const [name, { units, source, date }] of Object.entries(providerUnits)) {
    assert.ok(pattern.test(name) && pattern.test(units), name)
    assert.ok(URL.canParse(source) && /^20\d\d-\d\d$/.test(date), name)
    const [of, told] = [readCallPrices(name, 0).unitsOf, readCallUnits(units)]
    for (const method of ['eth_call', 'eth_getLogs', 'eth_chainId'])
      assert.is(of(method), told(method))
  }
  const alchemy = readCallPrices('alchemy', 0)
  assert.equal([alchemy.unitsOf('eth_getLogs'), alchemy.usdPerMillion], [60, 0.45])
  // What an operator says of the price counts.
  assert.is(readCallPrices('alchemy', 0.3).usdPerMillion, 0.3)
  assert.is(readCallPrices('infura', 0).usdPerMillion, 0)
})

s('takes tables and known names only', () => {
  const pattern = new RegExp(callUnitsPattern)
  for (const table of ['', 'eth_call=26', 'eth_call=26,*=20', 'trace_block=0'])
    assert.ok(pattern.test(table), table)
  for (const none of [
    'eth_call',
    'eth_call=',
    'eth_call=2.5',
    'eth_call=26;*=1',
    '=3',
    'a=1,',
    'nobody',
    'alchemy,infura',
  ])
    assert.not.ok(pattern.test(none), none)
})
s.run()
