import { mock } from 'node:test'
import {
  openSettlements,
  settleChainId,
  settlePayer,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { createInject } from '../../../fixtures/inject.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createService } from '../../http/service.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessChain } from '../sale/accessConfig.ts'
import { x402Endpoints } from './routes.ts'

/** Beside a simulated chain, which mines what it is sent; `x402.fork.test.ts` has official clients. */
const s = suite('x402/routes')
const network = `eip155:${settleChainId}`
const payment = signPayment()
const other = { ...payment, accepted: { ...payment.accepted, amount: '1' } }

async function open(change = (chain: AccessChain): AccessChain => chain, { isMining = true } = {}) {
  const opened = openSettlements(() => settleStartMs, {
    asked: (method) => {
      if (isMining && method === 'eth_sendRawTransaction') opened.mine()
    },
  })
  const { node } = opened
  const deps = { ...opened.deps, chains: opened.deps.chains.map(change) }
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const service = createService({
    name: 'access',
    endpoints: x402Endpoints(deps),
    access: {
      identify: async () => ({ keyId, scopes: [] }),
      limit: async () => undefined,
      charge: async () => ({ status: 'charged', headers: {}, conclude: async () => undefined }),
    },
    checkOutput: true,
    log: deps.log,
  })
  const inject = createInject(service.app)
  async function ask(path: 'verify' | 'settle', paymentPayload: object = payment) {
    const body = JSON.stringify({ x402Version: 2, paymentPayload })
    const { status, headers, text } = await inject({
      method: 'POST',
      path: `/x402/${path}`,
      headers: {},
      body,
    })
    return { status, retryAfter: headers['retry-after'], answer: JSON.parse(text) }
  }
  return { deps, node, keyId, ask }
}

s('verifies what it would settle, and says why it would not [teeth/x402-routes]', async () => {
  const { ask, node, deps } = await open()
  assert.equal((await ask('verify')).answer, { isValid: true, payer: settlePayer })
  const reasons = {
    invalid_payment_requirements: other,
    invalid_exact_evm_payload_authorization_valid_before: signPayment({ validBefore: '1' }),
  }
  for (const [invalidReason, wrong] of Object.entries(reasons))
    assert.equal((await ask('verify', wrong)).answer, {
      isValid: false,
      invalidReason,
      payer: settlePayer,
    })
  assert.equal(await deps.store.settlements.listOpen(settleChainId), [])
  node.faults.isDown = true
  assert.is((await ask('verify')).status, 503)
  node.faults.isDown = false
  await ask('settle')
  assert.equal((await ask('verify')).answer, {
    isValid: false,
    invalidReason: 'invalid_exact_evm_nonce_already_used',
    payer: settlePayer,
  })
})
s('verifies for anybody with calls of which none is paid for [attack/keyless-calls]', async () => {
  const request = () => Promise.reject(new TypeError('for who has a key'))
  const { ask } = await open(({ chainId, client }) => ({
    chainId,
    client: { ...client, request } as AccessChain['client'],
    keyless: client,
  }))
  assert.equal((await ask('verify')).answer, { isValid: true, payer: settlePayer })
  assert.is((await ask('settle')).status, 503)
})
s(
  'settles a payment for the calling key, and the same again moves nothing [teeth/x402-routes]',
  async () => {
    const { ask, deps, keyId } = await open()
    const first = await ask('settle')
    const { transaction, ...answer } = first.answer
    assert.equal(
      [first.status, answer],
      [200, { success: true, payer: settlePayer, network, amount: '1000' }],
    )
    assert.match(transaction, /^0x[0-9a-f]{64}$/)
    assert.equal(await ask('settle'), first)
    assert.is((await deps.store.ledger.balance(keyId)).total, 10)
  },
)
s(
  'refuses with what the client can read, and says when the chain is away [teeth/x402-routes]',
  async () => {
    const { ask, node } = await open()
    const { status, answer } = await ask('settle', other)
    const { error, code, request_id: _, ...rest } = answer
    assert.equal([status, code], [402, 'payment_required'])
    assert.is(error, 'the payment was refused (invalid_payment_requirements)')
    assert.equal(rest, {
      success: false,
      errorReason: 'invalid_payment_requirements',
      payer: settlePayer,
      transaction: '',
      network,
    })
    node.faults.isDown = true
    const away = await ask('settle')
    assert.equal([away.status, away.retryAfter], [503, '5'])
  },
)
s('says of a payment that is on its way when to ask again [teeth/x402-routes]', async () => {
  const { ask, deps, keyId } = await open(undefined, { isMining: false })
  // Each look at the clock is half a minute later than the last.
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => (nowMs += 30_000))
  const { status, retryAfter, answer } = await ask('settle').finally(() => clock.mock.restore())
  const { transaction, ...rest } = answer
  assert.equal([status, retryAfter], [202, '2'])
  assert.equal(rest, { success: false, errorReason: 'settlement_pending', network })
  const [sent] = await deps.store.settlements.listOpen(settleChainId)
  assert.is(transaction, sent?.txHash)
  assert.is((await deps.store.ledger.balance(keyId)).total, 0)
})
s('is absent where nothing is settled [teeth/x402-routes]', async () => {
  const { deps } = await open()
  assert.is(x402Endpoints(deps).length, 2)
  const contracts = deps.config.contracts.map((one) => ({ ...one, settlement: undefined }))
  assert.equal(x402Endpoints({ ...deps, config: { ...deps.config, contracts } }), [])
})
s.run()
