import { assert, suite } from '../../../fixtures/test.ts'
import { HttpError } from '../../http/httpError.ts'
import { createAddressLimit } from './addressLimit.ts'
import { createAddressTurns, isLimited } from './addressTurns.ts'

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
s('the machine itself has none, unless it is to have one [teeth/loopback]', () => {
  const own = ['127.0.0.1', '127.255.0.9', '::1']
  const others = ['128.0.0.1', '10.127.0.1', '1.127.0.1', '::11', '2001:db8::1']
  const limited = (isLoopbackLimited: boolean) =>
    [...own, ...others].filter((ip) => isLimited({ isLoopbackLimited }, ip))
  assert.equal(limited(false), others)
  assert.equal(limited(true), [...own, ...others])
})
s('turns of one purpose are of one address, whoever takes them [teeth/address-turns]', async () => {
  const deps = { config: { ipLimit: limit, isLoopbackLimited: false } }
  const [one, same] = [createAddressTurns(deps, 'claim'), createAddressTurns(deps, 'claim')]
  const ip = '203.0.113.9'
  await one(ip, 1)
  await same(ip, 1)
  const refusal = await one(ip, 1).catch((error: unknown) => error)
  assert.instance(refusal, HttpError)
  const { status, headers } = refusal as HttpError
  assert.equal([status, headers['retry-after']], [429, '1000'])
  await createAddressTurns(deps, '401')(ip, 2)
  await one('127.0.0.1', 3)
  await createAddressTurns({ config: { ...deps.config, ipLimit: undefined } }, 'claim')(ip, 1_000)
})
s.run()
