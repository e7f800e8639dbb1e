import { failWith } from '../../fixtures/store/scriptedPool.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { isUnsure } from './settleUnsure.ts'
import { StoreUnavailable } from './storeUnavailable.ts'

const s = suite('store/settleUnsure')

s('does not know how a transaction ended whose server or connection has gone', () => {
  const gone = ['08006', '40003', '57P01'].map(failWith)
  const wrapped = gone.map((cause) => new StoreUnavailable('away', { cause }))
  const silent = [new Error('Connection terminated unexpectedly'), new Error(), undefined]
  for (const error of [...gone, ...wrapped, ...silent]) assert.ok(isUnsure(error), String(error))
})
s('knows that nothing was done where the server has said no, or was not reached', () => {
  const refused = ['40001', '23505', '53100', '57P03', '57'].map(failWith)
  const said = refused.slice(0, 4)
  const unreached = [
    failWith('ECONNREFUSED'),
    new Error('timeout exceeded when trying to connect'),
    new StoreUnavailable('away', { cause: failWith('ECONNREFUSED') }),
  ]
  for (const error of [...said, ...unreached]) assert.not.ok(isUnsure(error), String(error))
  // Not one of its codes: nobody knows who said it.
  assert.ok(isUnsure(refused[4]))
})
s.run()
