import { assert, suite } from '../../fixtures/test.ts'
import { SchemaTooNew } from './schemaGuard.ts'
import { StoreUnavailable, toStoreError } from './storeUnavailable.ts'

const s = suite('store/storeUnavailable')
const failWith = (code: unknown) => Object.assign(new Error('failed'), { code })

s('leaves a fault of our own what it is [teeth/store-error]', () => {
  // An unknown feature, a unique violation, a transaction within one, a column that is not, our own word.
  const ours = ['0A000', '23505', '25001', '42703', 'P0001'].map(failWith)
  const applied = { id: 99, name: 'later', version: null, needs: null }
  for (const cause of [...ours, new SchemaTooNew(applied, 1)]) assert.is(toStoreError(cause), cause)
})
s('tells of a database that is away, full, stopping or read-only [teeth/store-error]', () => {
  const codes = [
    '25006',
    '40001',
    '53100',
    '57P01',
    '08006',
    'ECONNREFUSED',
    '2350',
    '235050',
    23_505,
  ]
  for (const cause of [...codes.map(failWith), new Error('no code'), '23505']) {
    const error = toStoreError(cause)
    assert.ok(error instanceof StoreUnavailable, String(cause))
    assert.is(error.cause, cause)
  }
})
s.run()
