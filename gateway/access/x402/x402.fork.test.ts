import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { wrapFetchWithPayment } from '@x402/fetch'
import { Type } from 'typebox'
import { RpcRequestError } from 'viem'
import {
  createPerson,
  type Person,
  startAccessStand,
} from '../../../fixtures/access/accessStand.ts'
import { send, waitForReceipt } from '../../../fixtures/chains/send.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { ChainUnavailable } from '../../chain/client.ts'
import { endpoint } from '../../http/endpoint.ts'
import { encodeHeader } from '../sale/paymentRequired.ts'
import { startAccessJobs } from '../startAccessJobs.ts'
import { reconcileSettlements } from './resolveSettlement.ts'

const s = suite('access/x402')
const quote = endpoint({
  method: 'post',
  path: '/quote',
  summary: 'Costs one quote',
  input: Type.Object({}),
  output: Type.Object({ ok: Type.Boolean() }),
  auth: 'key',
  cost: 1,
  handle: async () => ({ ok: true }),
})
/** What the provider answers in place of a gas estimate; undefined: the estimate. */
let estimateFault: Error | undefined
const stand = await startAccessStand({
  chainIds: [8453, 42161],
  wrapClient: (real) => ({
    ...real,
    client: {
      ...real.client,
      request: (async (args: { method: string }) => {
        if (estimateFault && args.method === 'eth_estimateGas') throw estimateFault
        return real.client.request(args as never)
      }) as typeof real.client.request,
    },
  }),
  isSettling: true,
  endpoints: [quote],
})
s.after(() => stand.close())
const base = stand.chain(8453)

/** The official client of x402 version 2, allowed one network. */
const clientOf = ({ account }: Person, chainId = 8453) =>
  new x402Client().register(`eip155:${chainId}`, new ExactEvmScheme(account))

async function sign(person: Person, key: string) {
  const answer = await stand.call('/quote', { key, body: {} })
  const required = decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '')
  return new x402HTTPClient(clientOf(person)).createPaymentPayload(required)
}
const payWith = (key: string, payment: object) =>
  stand.call('/quote', { key, body: {}, headers: { 'payment-signature': encodeHeader(payment) } })
const remaining = async (key: string) =>
  (await stand.call('/auth/key-info', { key })).body['quota_remaining']

for (const chainId of [8453, 42161])
  s(
    `lets the official client buy quota and receive a quote on ${chainId} [x402/settles]`,
    async () => {
      const person = await createPerson(stand.chain(chainId))
      const { apiKey } = await stand.createKey('official')
      const pay = wrapFetchWithPayment(fetch, clientOf(person, chainId))
      const answer = await pay(`${stand.url}/quote`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      })
      assert.is(answer.status, 200)
      assert.equal(await answer.json(), { ok: true })
      const response = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
      assert.is(response.success, true)
      assert.is(response.network, `eip155:${chainId}`)
      assert.match(response.transaction, /^0x[0-9a-f]{64}$/)
      assert.is(await remaining(apiKey), 999)
    },
  )
s(
  'offers what the official client decodes: exact on every chain, a quota-claim extension [x402/offers]',
  async () => {
    const { apiKey } = await stand.createKey('poor')
    const { headers, body } = await stand.call('/quote', { key: apiKey, body: {} })
    const required = decodePaymentRequiredHeader(headers.get('payment-required') ?? '')
    assert.equal(
      required.accepts.map(({ scheme, network, amount }) => [scheme, network, amount]),
      [
        ['exact', 'eip155:8453', '100000'],
        ['exact', 'eip155:42161', '100000'],
      ],
    )
    assert.ok(required.extensions?.['quota-claim'])
    assert.equal(body['accepts'], required.accepts)
    assert.ok((headers.get('payment-required') ?? '').length < 4096)
  },
)
s('charges the same payment once, however often and however parallel it comes', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('once')
  const payment = await sign(person, apiKey)
  const answers = await Promise.all(Array.from({ length: 10 }, () => payWith(apiKey, payment)))
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.is(await remaining(apiKey), 990)
  assert.is((await payWith(apiKey, payment)).status, 200)
  assert.is(await remaining(apiKey), 989)
})
s('refuses the payment of another key and changes nothing', async () => {
  const person = await createPerson(base)
  const [owner, thief] = [await stand.createKey('owner'), await stand.createKey('thief')]
  const payment = await sign(person, owner.apiKey)
  assert.is((await payWith(owner.apiKey, payment)).status, 200)
  const stolen = await payWith(thief.apiKey, payment)
  assert.is(stolen.status, 402)
  const response = decodePaymentResponseHeader(stolen.headers.get('payment-response') ?? '')
  assert.is(response.success, false)
  assert.is(await remaining(thief.apiKey), 0)
})
s(
  'never trusts the echoed terms: amount, receiver, token, network, expiry, signature',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('tampered')
    const payment = (await sign(person, apiKey)) as unknown as {
      accepted: Record<string, unknown>
      payload: { signature: string; authorization: Record<string, unknown> }
    }
    const change = (
      accepted: object,
      authorization: object,
      signature = payment.payload.signature,
    ) => ({
      ...payment,
      accepted: { ...payment.accepted, ...accepted },
      payload: { signature, authorization: { ...payment.payload.authorization, ...authorization } },
    })
    const zero = '0x0000000000000000000000000000000000000001'
    const rows: [object, string][] = [
      [change({ amount: '1' }, { value: '1' }), 'invalid_payment_requirements'],
      [change({ payTo: zero }, { to: zero }), 'invalid_payment_requirements'],
      [change({ asset: zero }, {}), 'invalid_payment_requirements'],
      [change({ network: 'eip155:1' }, {}), 'invalid_payment_requirements'],
      [change({ scheme: 'upto' }, {}), 'invalid_payment_requirements'],
      [change({}, { to: zero }), 'invalid_exact_evm_recipient_mismatch'],
      [change({}, { value: '1' }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
      [change({}, { validBefore: '1' }), 'invalid_exact_evm_payload_authorization_valid_before'],
      [
        change({}, { validAfter: '99999999999' }),
        'invalid_exact_evm_payload_authorization_valid_after',
      ],
      [change({}, { nonce: `0x${'ab'.repeat(32)}` }), 'invalid_exact_evm_signature'],
      [change({}, {}, `0x${'11'.repeat(65)}`), 'invalid_exact_evm_signature'],
      [change({}, { from: zero }), 'invalid_exact_evm_insufficient_balance'],
    ]
    for (const [tampered, reason] of rows) {
      const answer = await payWith(apiKey, tampered)
      assert.is(answer.status, 402, answer.text)
      const response = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
      assert.is(response.errorReason, reason)
      const verdict = await stand.call('/x402/verify', {
        body: { x402Version: 2, paymentPayload: tampered },
      })
      assert.is(verdict.body['invalidReason'], reason)
    }
    assert.is(await remaining(apiKey), 0)
  },
)
s('refuses malformed payment headers with 400, whatever the key', async () => {
  const headers = ['%%%', 'e30=', Buffer.from('{"x402Version":1}').toString('base64')]
  for (const header of headers)
    for (const key of ['', 'nonsense']) {
      const request = { key, body: {}, headers: { 'payment-signature': header } }
      assert.is((await stand.call('/quote', request)).status, 400)
    }
})
s('verifies and settles through the facilitator endpoints [x402/facilitator]', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('facilitator')
  const body = { x402Version: 2, paymentPayload: await sign(person, apiKey) }
  assert.equal((await stand.call('/x402/verify', { body })).body['isValid'], true)
  const first = await stand.call('/x402/settle', { key: apiKey, body })
  assert.is(first.body['success'], true, first.text)
  assert.equal((await stand.call('/x402/settle', { key: apiKey, body })).body, first.body)
  assert.is(await remaining(apiKey), 1000)
  assert.equal((await stand.call('/x402/verify', { body })).body['isValid'], false)
  type Answer = { content: { 'application/json': { schema: object } } }
  const document = (await stand.call('/openapi.json')).body as {
    paths: Record<string, { post: { responses: Record<string, Answer> } }>
  }
  const { responses } = document.paths['/x402/settle']?.post ?? { responses: {} }
  const schemas = ['200', '202'].map(
    (status) => responses[status]?.content['application/json'].schema,
  )
  assert.equal(schemas[0], { ['$ref']: '#/components/schemas/SettlementResponse' })
  assert.equal(schemas[1], schemas[0])
})
s('refuses no payment because the chain could not be asked about it', async () => {
  const { apiKey } = await stand.createKey('unlucky')
  const payment = await sign(await createPerson(base), apiKey)
  const busy = { error: { code: -32000, message: 'header not found' }, body: {}, url: 'http://x' }
  for (const fault of [new ChainUnavailable(8453, ['timeout']), new RpcRequestError(busy)]) {
    estimateFault = fault
    const body = { x402Version: 2, paymentPayload: payment }
    const verdict = await stand.call('/x402/verify', { body })
    const answer = await payWith(apiKey, payment)
    estimateFault = undefined
    assert.is(verdict.status, 503, verdict.text)
    assert.is(answer.status, 503, answer.text)
    for (const { headers } of [verdict, answer]) assert.ok(headers.has('retry-after'))
  }
  assert.is((await payWith(apiKey, payment)).status, 200)
})
s('credits a payment that a stranger brought to the chain around us', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('around')
  const payment = await sign(person, apiKey)
  await base.rpc('evm_setAutomine', false)
  const running = payWith(apiKey, payment)
  const open = await untilOpen()
  await base.rpc('anvil_dropTransaction', open.txHash)
  await base.rpc('evm_setAutomine', true)
  const { rpcUrl, manifest } = base.world
  const stranger = manifest.accounts[5]
  if (!stranger) throw new Error('the world has no sixth account')
  await send({ rpcUrl, ...stranger }, { to: open.asset, data: open.calldata })
  assert.is((await running).status, 200)
  assert.is(await remaining(apiKey), 999)
  // Our own transaction was lost, but its nonce must not hold up the next one.
  await reconcileSettlements(stand.deps, { chain: base.client })
  await waitForReceipt({ rpcUrl, hash: open.txHash })
})
s('carries on after a crash between signing and sending', async () => {
  const person = await createPerson(base)
  const { id, apiKey } = await stand.createKey('crash')
  const payment = await sign(person, apiKey)
  await base.rpc('evm_setAutomine', false)
  const running = payWith(apiKey, payment)
  const open = await untilOpen()
  // What a crash leaves: the row is there, the bytes are not on the chain.
  await base.rpc('anvil_dropTransaction', open.txHash)
  await base.rpc('evm_setAutomine', true)
  const jobs = startAccessJobs(stand.deps, { everyMs: 50 })
  assert.is((await running).status, 200)
  await jobs.close()
  assert.is((await stand.store.ledger.balance(id)).total, 1000)
  assert.equal(await stand.store.ledger.audit(), [])
})

async function untilOpen() {
  const deadline = Date.now() + 10_000
  for (;;) {
    const [open] = await stand.store.settlements.listOpen(8453)
    const pool = (await base.rpc('txpool_status')) as { pending: string }
    if (open && pool.pending !== '0x0') return open
    if (Date.now() > deadline) throw new Error('no settlement was sent in 10 s')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
s.run()
