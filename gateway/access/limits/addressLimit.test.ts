import { assert, suite } from '../../../fixtures/test.ts'
import { createAddressLimit } from './addressLimit.ts'

const s = suite('limits of addresses')
const limit = { unitsPerSec: 0.001, burst: 2 }

s("of one site are four addresses' at most [attack/rate-sites]", async () => {
  const take = createAddressLimit({}, limit)
  const taken = []
  for (let n = 0; n < 32; n += 1) taken.push(await take(`2001:db8:7:${n.toString(16)}::1`, 1))
  assert.equal(
    taken.map(({ allowed }) => allowed),
    Array.from({ length: 32 }, (_, n) => n < 8),
  )
  assert.ok(taken.every((state) => state.allowed || state.retryAfterSecs > 0))
  for (const other of ['2001:db8:8::1', '203.0.113.9'])
    assert.equal(
      [await take(other, 2), await take(other, 1)].map(({ allowed }) => allowed),
      [true, false],
    )
})

s('an address beyond its own takes nothing from its site [attack/rate-sites]', async () => {
  const take = createAddressLimit({}, limit)
  for (let n = 0; n < 32; n += 1) await take('2001:db8:7:1::1', 1)
  assert.ok((await take('2001:db8:7:2::1', 2)).allowed)
})

s('each purpose has units of its own', async () => {
  const take = createAddressLimit({}, limit)
  assert.ok((await take('203.0.113.9', 2)).allowed)
  assert.ok((await take('203.0.113.9', 2, '401 ')).allowed)
  assert.is((await take('203.0.113.9', 1, '401 ')).allowed, false)
})
s.run()
