import { mock } from 'node:test'
import {
  openSettlements,
  settleChainId,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../fixtures/access/simSettlements.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { Charge, ChargeRequest } from '../http/access.ts'
import { StoreUnavailable } from '../store/storeUnavailable.ts'
import { chargeRequest } from './chargeRequest.ts'
import { createKey } from './issueKeys.ts'
import { encodeHeader } from './sale/paymentRequired.ts'

/** With a real book and key beside a simulated chain, which mines what it is sent. */
const s = suite('access/chargeRequest')
const network = `eip155:${settleChainId}`

const requestOf = (keyId: string): ChargeRequest => ({
  caller: { keyId, scopes: [] },
  cost: 1,
  method: 'POST',
  path: '/quote',
  search: '',
  headers: {},
  rawBody: '{}',
  requestId: 'r',
})

async function open({ units = 0, atMs = settleStartMs, isMining = true } = {}) {
  let nowMs = atMs
  const opened = openSettlements(() => nowMs, {
    asked: (method) => {
      if (isMining && method === 'eth_sendRawTransaction') opened.mine()
    },
  })
  const { deps, node } = opened
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  if (units > 0) await deps.store.ledger.grant({ keyId, units, ref: 'test', atMs: 1 })
  const asked = requestOf(keyId)
  return {
    deps,
    node,
    keyId,
    setNow: (ms: number) => {
      nowMs = ms
    },
    charge: (given: Partial<ChargeRequest> = {}, unitsPerMonth?: number) =>
      chargeRequest(deps, { ...asked, ...given }, { unitsPerMonth }),
  }
}
const errorOf = (charge: Charge) => {
  if (charge.status !== 'refused') throw new Error(`it was ${charge.status}`)
  return charge.error
}
const paying = (payment: object = signPayment()) => ({
  'payment-signature': encodeHeader(payment),
})

s('says what is left, and who has more than is given for nothing [teeth/charge]', async () => {
  const { charge } = await open({ units: 5 })
  const charged = await charge({ cost: 2 })
  if (charged.status !== 'charged') throw new Error(charged.status)
  assert.equal([charged.headers, charged.isPaying], [{ 'x-quota-remaining': '3' }, true])
  await charged.conclude({ status: 199, body: '' })
  const again = await charge({ cost: 2, requestId: 's' })
  assert.is(again.status === 'charged' && again.headers['x-quota-remaining'], '3')
})
s('keeps a charge of 2xx alone [teeth/charge]', async () => {
  const { charge, deps, keyId } = await open({ units: 9 })
  for (const [status, used] of [
    [200, 1],
    [299, 2],
    [300, 2],
    [500, 2],
  ] as const) {
    const charged = await charge({ requestId: `r ${status}` })
    if (charged.status === 'charged') await charged.conclude({ status, body: '' })
    assert.is((await deps.store.ledger.balance(keyId)).used, used)
  }
})
s('tells where to pay, in a header and the body [teeth/charge]', async () => {
  const { charge, deps } = await open()
  const { status, message, headers, extra } = errorOf(await charge({ cost: 3 }))
  assert.is(status, 402)
  assert.match(message, /^this request costs 3 quotes and the key has 0; buy more as PAYMENT/)
  assert.is(headers['cache-control'], 'no-store')
  const required = JSON.parse(Buffer.from(headers['payment-required'] ?? '', 'base64').toString())
  const { error, ...decoded } = required
  assert.equal([error, decoded], [message, extra])
  assert.is(required.resource.url, 'http://test/quote')
  const { info } = required.extensions['quota-claim']
  assert.equal([info.quotaUnitsRequired, info.quotaRemaining], [3, 0])
  const [contract] = info.contracts
  const [offer] = required.accepts
  const [sold] = deps.config.contracts
  const { address: payTo, token } = sold ?? {}
  assert.equal(contract, { network, quotaContract: payTo, paymentToken: token?.address })
  const { name, version } = token ?? {}
  const terms = { scheme: 'exact', network, amount: '1000', asset: token?.address, payTo }
  const domain = { name, version, assetTransferMethod: 'eip3009' }
  assert.equal(offer, { ...terms, maxTimeoutSeconds: 120, extra: domain })
  const identifier = required.extensions['payment-identifier']
  assert.equal(identifier.info, { required: false })
  const { minLength, maxLength } = identifier.schema.properties.id
  assert.equal([minLength, maxLength], [16, 128])
})
s('says of a balance below nothing that it is nothing [teeth/charge]', async () => {
  const { charge, deps, keyId } = await open()
  await deps.store.ledger.grant({ keyId, units: -4, ref: 'taken back', atMs: 1 })
  const { message, extra } = errorOf(await charge({ cost: 3 }))
  assert.match(message, /^this request costs 3 quotes and the key has 0; buy more/)
  assert.match(JSON.stringify(extra), '"quotaRemaining":-4')
})
for (const [what, conclude, outcome] of [
  [
    'stands where the database is away',
    () => Promise.reject(new StoreUnavailable('away')),
    undefined,
  ],
  ['tells of a mistake as it is', () => Promise.reject(new RangeError('mistake')), 'RangeError'],
  ['is not answered for where a later one has failed', async () => false, 409],
] as const)
  s(`a charge that is concluded ${what} [teeth/charge]`, async () => {
    const { deps, keyId } = await open({ units: 5 })
    const ledger = { ...deps.store.ledger, conclude }
    const asked = { ...deps, store: { ...deps.store, ledger } }
    const charged = await chargeRequest(asked, requestOf(keyId))
    if (charged.status !== 'charged') throw new Error(charged.status)
    const failure = await charged.conclude({ status: 404, body: '' }).catch((error) => error)
    assert.is(failure?.status ?? failure?.name, outcome)
    assert.is((await deps.store.ledger.balance(keyId)).used, 1)
  })
s('offers nothing where nothing is sold [teeth/charge]', async () => {
  const { charge, deps } = await open()
  Object.assign(deps.config, { contracts: [] })
  const { status, headers } = errorOf(await charge())
  assert.equal([status, headers], [402, {}])
})
s('settles the payment that comes along, and charges what it bought [teeth/charge]', async () => {
  const { charge, deps, keyId } = await open()
  const charged = await charge({ headers: paying() })
  if (charged.status !== 'charged') throw new Error(JSON.stringify(errorOf(charged)))
  const { 'payment-response': response, ...headers } = charged.headers
  assert.equal(headers, { 'x-quota-remaining': '9', 'cache-control': 'no-store, private' })
  const { success, payer } = JSON.parse(Buffer.from(response ?? '', 'base64').toString())
  assert.equal([success, payer], [true, settlePayer])
  assert.equal(await deps.store.ledger.balance(keyId), { total: 10, used: 1, remaining: 9 })
  // With quota left no payment is looked at.
  assert.is((await charge({ headers: paying(signPayment({ nth: 2 })) })).status, 'charged')
  assert.is((await deps.store.ledger.balance(keyId)).total, 10)
})
s('settles a pack that is less than what is asked, and asks for more [teeth/charge]', async () => {
  const { charge, deps, keyId } = await open()
  const refused = errorOf(await charge({ cost: 11, headers: paying() }))
  assert.match(refused.message, /^this request costs 11 quotes and the key has 10; buy more/)
  const response = Buffer.from(refused.headers['payment-response'] ?? '', 'base64').toString()
  assert.is(JSON.parse(response).success, true)
  assert.equal(await deps.store.ledger.balance(keyId), { total: 10, used: 0, remaining: 10 })
})
s('asks who has paid to come again while the payment is on its way [teeth/charge]', async () => {
  const { charge, deps, keyId } = await open({ isMining: false })
  // Each look at the clock is half a minute later than the last.
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => (nowMs += 30_000))
  const charged = await charge({ headers: paying() }).finally(() => clock.mock.restore())
  const { status, headers } = errorOf(charged)
  const { 'payment-response': response = '', ...others } = headers
  assert.is(status, 409)
  assert.equal(others, { 'retry-after': '2', 'cache-control': 'no-store, private' })
  const { errorReason } = JSON.parse(Buffer.from(response, 'base64').toString())
  assert.is(errorReason, 'settlement_pending')
  assert.is((await deps.store.ledger.balance(keyId)).total, 0)
})
s('says why a payment was not taken, and that nothing was [teeth/charge]', async () => {
  const { charge, node } = await open()
  const wrong = signPayment()
  const short = { ...wrong, accepted: { ...wrong.accepted, amount: '1' } }
  const refused = errorOf(await charge({ headers: paying(short) }))
  assert.match(refused.message, /^the payment was refused \(invalid_payment_requirements\); this/)
  assert.ok(refused.headers['payment-response'])
  // What is no payment at all is as if nothing had been said.
  const none = errorOf(await charge({ headers: { 'payment-signature': 'x' } }))
  assert.match(none.message, /^this request costs 1 quotes/)
  assert.is(none.headers['payment-response'], undefined)
  node.faults.isDown = true
  const away = errorOf(await charge({ headers: paying() }))
  assert.equal([away.status, away.headers], [503, { 'retry-after': '5' }])
})
s(
  'answers an Idempotency-Key and a payment identifier once, for what they were used for [teeth/charge]',
  async () => {
    const { charge } = await open({ units: 9 })
    const headers = { 'idempotency-key': 'i' }
    const first = await charge({ headers })
    const running = errorOf(await charge({ headers }))
    assert.equal([running.status, running.headers], [409, { 'retry-after': '1' }])
    if (first.status === 'charged') await first.conclude({ status: 201, body: '{"a":1}' })
    const again = await charge({ headers })
    if (again.status !== 'replayed') throw new Error(again.status)
    assert.equal([again.reply.status, again.reply.body], [201, '{"a":1}'])
    assert.is(again.reply.headers['idempotent-replayed'], 'true')
    for (const other of [
      { rawBody: '{ }' },
      { path: '/other' },
      { search: '?a' },
      { method: 'GET' },
    ])
      assert.is(errorOf(await charge({ headers, ...other })).status, 409, JSON.stringify(other))
    for (const bad of ['', ' ', 'é', 'x'.repeat(129)]) {
      const refused = await charge({ headers: { 'idempotency-key': bad } }).catch((error) => error)
      assert.is(refused.status, 400)
    }
    const extensions = { 'payment-identifier': { info: { id: 'pay_0123456789abcdef' } } }
    const named = { headers: paying({ ...signPayment(), extensions }) }
    assert.is((await charge(named)).status, 'charged')
    assert.is(errorOf(await charge({ ...named, rawBody: '{ }' })).headers['retry-after'], undefined)
  },
)
s('sends who has had its month away until it is over, a day at most [teeth/charge]', async () => {
  const end = Date.UTC(2026, 11, 1)
  const { charge, setNow } = await open({ units: 9, atMs: end - 10_500 })
  assert.is((await charge({}, 1)).status, 'charged')
  const refused = errorOf(await charge({ requestId: 's' }, 1))
  assert.equal([refused.status, refused.headers['retry-after']], [429, '11'])
  assert.match(refused.message, /^this request costs 1 of the 1 quotes/)
  // In whole seconds, none of them too few.
  for (const [leftMs, secs] of [
    [10_001, '11'],
    [10_000, '10'],
    [1, '1'],
  ] as const) {
    setNow(end - leftMs)
    assert.is(errorOf(await charge({ requestId: secs }, 1)).headers['retry-after'], secs)
  }
  setNow(end)
  assert.is((await charge({ requestId: 't' }, 1)).status, 'charged')
  assert.is(errorOf(await charge({ requestId: 'u' }, 1)).headers['retry-after'], '86400')
})
s.run()
