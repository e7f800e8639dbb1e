import { mock } from 'node:test'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm'
import { wrapFetchWithPayment } from '@x402/fetch'
import { Type } from 'typebox'
import { type Hex, keccak256, stringToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { assert, suite } from '../../fixtures/test.ts'
import { chains, getChain } from '../chain/chains.ts'
import { createChainClient } from '../chain/client.ts'
import { endpoint } from '../http/endpoint.ts'
import { HttpError } from '../http/httpError.ts'
import { createService } from '../http/service.ts'
import { checkShape } from '../http/validate.ts'
import { openStore } from '../store/openStore.ts'
import { createAccess } from './access.ts'
import { createKey, grantQuota, listKeys, listLedger, revokeKey, rotateKey } from './issueKeys.ts'
import type { AccessConfig } from './sale/accessConfig.ts'
import { listResources } from './sale/listResources.ts'
import { encodeHeader } from './sale/paymentRequired.ts'
import { createChallenge, registerWallet } from './siweChallenge.ts'
import { accessEndpoints } from './wire/routes.ts'

const s = suite('access')
const base = getChain(8453)
if (!base) throw new Error('Base is built in')
const config: AccessConfig = {
  keyPrefix: 'forkyard_test',
  pepper: 'canary-pepper',
  publicUrl: 'https://lab.example',
  serviceName: 'Forkyard',
  freeQuota: 3,
  amountPerQuote: 100n,
  packQuotes: 1000,
  keyLimit: { unitsPerSec: 1000, burst: 5000 },
  ipLimit: undefined,
  isLoopbackLimited: false,
  contracts: chains.map(({ chainId, usdc }) => ({
    chainId,
    address: '0x00000000000000000000000000000000000000A1',
    token: usdc,
    confirmations: 2,
    finalizedFrom: 10n ** 12n,
  })),
}
const store = openStore({ path: ':memory:' })
const unreachable = createChainClient({ chain: base, rpcUrls: ['http://127.0.0.1:9'] })
const log = { debug() {}, info() {}, warn() {}, error() {} }
let nowMs = Date.now()
const startedMs = nowMs
const steadyNow = () => Math.floor(startedMs + performance.now())
const deps = { store, chains: [unreachable], config, log, now: () => nowMs, bookNow: steadyNow }
const work = endpoint({
  method: 'post',
  path: '/work',
  summary: 'Something that costs',
  input: Type.Object({ fail: Type.Optional(Type.Boolean()), n: Type.Optional(Type.Integer()) }),
  output: Type.Object({ at: Type.Number() }),
  auth: 'key',
  cost: 1,
  handle: async ({ body }) => {
    if (body.fail) throw new HttpError(404, 'no_route', 'no route')
    return { at: performance.now() }
  },
})
const ask = endpoint({
  method: 'get',
  path: '/ask',
  summary: 'Something that costs, asked in the address',
  query: Type.Object({ n: Type.Integer() }),
  output: Type.Object({ n: Type.Integer(), at: Type.Number() }),
  auth: 'key',
  cost: 16,
  handle: async ({ query }) => ({ n: query.n, at: performance.now() }),
})
const compare = endpoint({
  method: 'post',
  path: '/compare',
  summary: 'Something that costs by its parts',
  input: Type.Object({ parts: Type.Integer() }),
  output: Type.Object({}),
  auth: 'key',
  costPer: 'part',
  cost: ({ body }) => body.parts,
  handle: async () => ({}),
})
const free = endpoint({
  method: 'get',
  path: '/free',
  summary: 'Something that costs nothing',
  output: Type.Object({}),
  auth: 'key',
  handle: async () => ({}),
})
const service = createService({
  name: 'routing',
  endpoints: [
    ...accessEndpoints(deps, listResources([work, compare, ask, free], config.publicUrl)),
    work,
    ask,
  ],
  access: createAccess(deps),
  log,
  checkOutput: true,
})
const server = await service.listen()
s.after(async () => {
  await server.close()
  store.close()
  unreachable.close()
})

async function call(path: string, init: { body?: unknown; key?: string; headers?: object } = {}) {
  const res = await fetch(server.url + path, {
    method: init.body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(init.key !== undefined && { 'x-api-key': init.key }),
      ...init.headers,
    },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  })
  const text = await res.text()
  return { status: res.status, headers: res.headers, text, body: JSON.parse(text) }
}

async function register(account = privateKeyToAccount(generatePrivateKey())) {
  const { body: challenge } = await call('/auth/challenge', { body: { address: account.address } })
  const signature = await account.signMessage({ message: challenge.message })
  const body = { address: account.address, nonce: challenge.nonce, signature }
  return { account, challenge, body, answer: await call('/auth/register', { body }) }
}

s(
  'issues a key to a wallet that signs an EIP-4361 challenge, with the free quota [access/register]',
  async () => {
    const { account, challenge, answer } = await register()
    const message = parseSiweMessage(challenge.message)
    assert.is(message.domain, 'lab.example')
    assert.is(message.uri, 'https://lab.example')
    assert.is(message.chainId, 8453)
    assert.is(message.nonce, challenge.nonce)
    assert.is(message.expirationTime?.toISOString(), challenge.expires_at)
    assert.is(answer.status, 200, answer.text)
    assert.is(answer.body.quota_remaining, 3)
    const info = await call('/auth/key-info', { key: answer.body.api_key })
    assert.is(info.body.wallet, account.address)
    assert.is(info.body.status, 'active')
    assert.is(info.body.quota_total, 3)
  },
)
s('takes a challenge once, in time, and from its own address only [access/challenge]', async () => {
  const { body } = await register()
  assert.is((await call('/auth/register', { body })).status, 400)
  const other = privateKeyToAccount(generatePrivateKey())
  const { body: challenge } = await call('/auth/challenge', { body: { address: other.address } })
  const signature = await other.signMessage({ message: challenge.message })
  const foreign = { ...body, nonce: challenge.nonce, signature }
  assert.is((await call('/auth/register', { body: foreign })).status, 400)
  const own = { address: other.address, nonce: challenge.nonce, signature }
  nowMs += 600_000
  assert.is((await call('/auth/register', { body: own })).status, 400)
})
s('lets one of two parallel uses of a challenge through [access/challenge-once]', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const { nonce, message } = await createChallenge(deps, { address, chainId: 8453 })
  const signature = await account.signMessage({ message })
  // Both have found it unused before either goes on.
  const met = Promise.withResolvers<void>()
  let found = 0
  const find: typeof store.challenges.find = async (asked) => {
    const challenge = await store.challenges.find(asked)
    if (++found === 2) met.resolve()
    await met.promise
    return challenge
  }
  const racing = { ...deps, store: { ...store, challenges: { ...store.challenges, find } } }
  const use = () => registerWallet(racing, { address, nonce, signature })
  const answers = await Promise.all([use(), use()])
  assert.equal(answers.map(({ status }) => status).sort(), ['registered', 'unknown_challenge'])
})
s('gives a wallet that registers again a new secret for the same key and quota', async () => {
  const first = await register()
  const second = await register(first.account)
  assert.is(second.answer.body.quota_total, 3)
  assert.is((await call('/auth/key-info', { key: first.answer.body.api_key })).status, 401)
  assert.is((await call('/auth/key-info', { key: second.answer.body.api_key })).status, 200)
})
s('gives the free quota with the key or no key at all [access/free-quota]', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  store.db.exec(`CREATE TEMP TRIGGER no_grants BEFORE INSERT ON main.ledger
    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  const failed = await register(account)
  store.db.exec('DROP TRIGGER no_grants')
  assert.is(failed.answer.status, 500, failed.answer.text)
  assert.is(await store.keys.findByWallet(account.address), undefined)
  assert.is((await register(account)).answer.body.quota_total, 3)
})
s('answers 503 when a contract wallet cannot be checked, 400 for nonsense', async () => {
  const { body: challenge } = await call('/auth/challenge', {
    body: { address: '0x00000000000000000000000000000000000000b2' },
  })
  const body = { address: '0x00000000000000000000000000000000000000b2', nonce: challenge.nonce }
  const signature: Hex = `0x${'11'.repeat(90)}`
  const answer = await call('/auth/register', { body: { ...body, signature } })
  assert.is(answer.status, 503, answer.text)
  assert.not.match(answer.text, '127.0.0.1')
  assert.is((await call('/auth/register', { body: { ...body, signature: '0x1' } })).status, 400)
})
s(
  'creates, rotates, grants, lists and revokes keys for the command line [access/keys-command]',
  async () => {
    const { id, apiKey } = await createKey(deps, { label: 'ops', quotes: 5 })
    const rotated = await rotateKey(deps, { id })
    assert.is((await call('/auth/key-info', { key: apiKey })).status, 401)
    const key = rotated?.apiKey ?? ''
    assert.is((await grantQuota(deps, { id, quotes: 7, reason: 'gift' }))?.remaining, 12)
    assert.is((await call('/auth/key-info', { key })).body.quota_remaining, 12)
    assert.is((await listKeys(deps)).find((each) => each.id === id)?.balance.remaining, 12)
    const newest = await listLedger(deps, { id, limit: 1 })
    assert.equal(
      newest.map(({ ref }) => ref),
      ['gift'],
    )
    assert.ok(await revokeKey(deps, { id }))
    assert.not.ok(await revokeKey(deps, { id }))
    assert.is((await call('/auth/key-info', { key })).status, 401)
    assert.is(await rotateKey(deps, { id }), undefined)
    assert.is(await grantQuota(deps, { id: 'nobody', quotes: 1, reason: '' }), undefined)
  },
)
s('stores no key in clear [access/no-clear-key]', async () => {
  const { apiKey } = await createKey(deps, { label: 'secret' })
  assert.not.ok(store.db.serialize().includes(apiKey))
})
s(
  'lets 40 parallel requests on a quota of 10 give exactly 10 answers [access/quota-race]',
  async () => {
    const { apiKey } = await createKey(deps, { label: 'ten', quotes: 10 })
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call('/work', { key: apiKey, body: {} })),
    )
    assert.is(answers.filter(({ status }) => status === 200).length, 10)
    assert.is(answers.filter(({ status }) => status === 402).length, 30)
  },
)
s(
  'keeps one row and grows no faster for a key that is refunded without end [strangers/refund-row]',
  async () => {
    const { id, apiKey } = await createKey(deps, { label: 'refunded', quotes: 1 })
    const statuses: number[] = []
    // The first pause is a second.
    const clock = mock.method(performance, 'now', () => 0)
    for (let at = 0; at < 60; at++)
      statuses.push((await call('/work', { key: apiKey, body: { fail: true } })).status)
    const paused = await call('/work', { key: apiKey, body: {} })
    clock.mock.restore()
    assert.equal(statuses, [...Array(51).fill(404), ...Array(9).fill(429)])
    assert.equal([paused.status, paused.headers.get('retry-after')], [429, '1'])
    assert.is((await store.ledger.entries(id, 100)).length, 3)
    assert.is((await store.ledger.balance(id)).remaining, 1)
  },
)
s('charges nothing for a refusal, and says what is left [access/free-refusal]', async () => {
  const { apiKey } = await createKey(deps, { label: 'refunds', quotes: 2 })
  assert.is((await call('/work', { key: apiKey, body: { fail: true } })).status, 404)
  assert.is((await call('/work', { key: apiKey, body: { n: 'x' } })).status, 400)
  const answer = await call('/work', { key: apiKey, body: {} })
  assert.is(answer.headers.get('x-quota-remaining'), '1')
  assert.is(answer.headers.get('x-ratelimit-limit'), '5000')
})
s('tells who was given more than is free, whatever is left of it', async () => {
  const isPaying = async (quotes: number) => {
    const { id: keyId } = await createKey(deps, { label: 'class', quotes })
    const from = { method: 'POST', path: '/work', search: '', headers: {}, rawBody: '' }
    const caller = { keyId, scopes: [] }
    const charge = await createAccess(deps).charge({ caller, cost: 3, requestId: 'r', ...from })
    return charge.status === 'charged' && charge.isPaying
  }
  assert.is(await isPaying(config.freeQuota), false)
  assert.is(await isPaying(config.freeQuota + 1), true)
})
s('answers a repeated Idempotency-Key from the store, once charged', async () => {
  const { id, apiKey } = await createKey(deps, { label: 'idem', quotes: 5 })
  const headers = { 'idempotency-key': 'order-1' }
  const first = await call('/work', { key: apiKey, body: { n: 1 }, headers })
  const again = await call('/work', { key: apiKey, body: { n: 1 }, headers })
  assert.is(again.text, first.text)
  assert.is(again.headers.get('idempotent-replayed'), 'true')
  assert.is((await call('/work', { key: apiKey, body: { n: 2 }, headers })).status, 409)
  assert.is((await store.ledger.balance(id)).used, 1)
})
s('tells requests apart by what their address asks, under one key or one payment', async () => {
  const { id, apiKey } = await createKey(deps, { label: 'asked', quotes: 100 })
  const address = '0x00000000000000000000000000000000000000b2'
  const authorization = {
    from: address,
    to: address,
    nonce: `0x${'11'.repeat(32)}`,
    value: '1',
    validAfter: '0',
    validBefore: '1',
  }
  const accepted = { scheme: 'exact', network: 'eip155:8453', amount: '1' }
  const payment = encodeHeader({
    x402Version: 2,
    accepted: { ...accepted, asset: address, payTo: address },
    payload: { signature: '0x11', authorization },
    extensions: { 'payment-identifier': { info: { id: 'pay_0123456789abcdef' } } },
  })
  const names = [{ 'payment-signature': payment }, { 'idempotency-key': 'asked-1' }]
  for (const [index, headers] of names.entries()) {
    const first = await call('/ask?n=1000', { key: apiKey, headers })
    assert.is(first.status, 200, first.text)
    const again = await call('/ask?n=1000', { key: apiKey, headers })
    assert.is(again.text, first.text)
    assert.is(again.headers.get('idempotent-replayed'), 'true')
    assert.is((await call('/ask?n=999999999', { key: apiKey, headers })).status, 409)
    assert.is((await store.ledger.balance(id)).used, 16 * (index + 1))
  }
})
s('answers 503 when the disk is full, and nothing without its row in the ledger', async () => {
  const { id, apiKey } = await createKey(deps, { label: 'full', quotes: 10_000 })
  store.db.pragma(`max_page_count = ${store.db.pragma('page_count', { simple: true })}`)
  const headers = { 'x-request-id': 'r'.repeat(128) }
  let answered = 0
  let last = await call('/work', { key: apiKey, body: {}, headers })
  for (; last.status === 200 && answered < 1_000; answered++)
    last = await call('/work', { key: apiKey, body: {}, headers })
  store.db.pragma('max_page_count = 1073741823')
  assert.is(last.status, 503, last.text)
  assert.is((await store.ledger.balance(id)).used, answered)
  assert.is((await call('/work', { key: apiKey, body: {} })).status, 200)
})
s('tells a key all of itself [access/key-info-fields]', async () => {
  const { account, answer } = await register()
  const key = answer.body.api_key
  await call('/work', { key, body: {} })
  const { body } = await call('/auth/key-info', { key })
  const { key_id, key_id_hash, created_at, ...rest } = body
  assert.is(key_id_hash, keccak256(stringToHex(key_id)))
  assert.is(new Date(created_at).toISOString(), created_at)
  assert.equal(rest, {
    status: 'active',
    wallet: account.address,
    quota_total: 3,
    quota_used: 1,
    quota_remaining: 2,
    scopes: ['quote'],
  })
})
s('tells where and how to pay by absolute URLs [access/discovery-fields]', async () => {
  const { body } = await call('/.well-known/x402')
  const { accepts, resources: _, ...rest } = body
  assert.equal(rest, {
    x402Version: 2,
    pricing: 'https://lab.example/auth/pricing',
    claim: 'https://lab.example/auth/quota/claim',
  })
  assert.is(accepts.length, config.contracts.length)
})
s('answers pricing to the letter [access/pricing]', async () => {
  const { body } = await call('/auth/pricing')
  assert.is(body.x402_version, 2)
  assert.is(body.unit_price_usd, 0.0001)
  assert.is(body.unit_price_usdc_6dec, 100)
  assert.equal(body.contracts[0], {
    chain_id: 8453,
    network: 'eip155:8453',
    quota_contract: '0x00000000000000000000000000000000000000A1',
    payment_token: base.usdc.address,
    amount_per_quote: '100',
  })
})
s(
  'answers 402 with a PAYMENT-REQUIRED header that never offers what nobody settles [access/402]',
  async () => {
    const { apiKey } = await createKey(deps, { label: 'poor' })
    const { status, headers, body } = await call('/work', { key: apiKey, body: {} })
    assert.is(status, 402)
    assert.is(headers.get('cache-control'), 'no-store')
    const header = Buffer.from(headers.get('payment-required') ?? '', 'base64').toString()
    const required = JSON.parse(header)
    assert.is(required.x402Version, 2)
    assert.is(required.resource.url, 'https://lab.example/work')
    assert.is(required.accepts[0].scheme, 'prepaid-claim')
    assert.is(required.accepts[0].amount, '100000')
    assert.is(required.extensions['quota-claim'].info.quotaUnitsRequired, 1)
    assert.equal(body.accepts, required.accepts)
    assert.is(body.error, required.error)
    const elsewhere = await createAccess(deps).charge({
      caller: { keyId: 'nobody', scopes: [] },
      cost: 1,
      method: 'POST',
      path: '/quote',
      search: '',
      headers: {},
      rawBody: '',
      requestId: 'r',
      baseUrl: 'https://meta.example',
    })
    assert.is(elsewhere.status, 'refused')
    const told = elsewhere.status === 'refused' ? JSON.stringify(elsewhere.error.extra) : ''
    assert.match(told, '"url":"https://meta.example/quote"')
    const discovery = await call('/.well-known/x402')
    assert.equal(discovery.body.accepts, required.accepts)
    assert.is(discovery.body.facilitator, undefined)
    assert.is(discovery.body.claim, 'https://lab.example/auth/quota/claim')
  },
)
s('names what is sold in /.well-known/x402 [access/resources]', async () => {
  const { body } = await call('/.well-known/x402')
  const at = 'https://lab.example'
  assert.equal(body.resources, [
    { method: 'POST', url: `${at}/work`, units: 1 },
    { method: 'POST', url: `${at}/compare`, units: 1, per: 'part' },
    { method: 'GET', url: `${at}/ask`, units: 16 },
  ])
})
s(
  'makes the official client stop without a signature where nobody would settle one [access/never-offers]',
  async () => {
    const { apiKey } = await createKey(deps, { label: 'claim-only' })
    let signatures = 0
    const account = privateKeyToAccount(generatePrivateKey())
    const signTypedData: typeof account.signTypedData = (typedData) => {
      signatures++
      return account.signTypedData(typedData)
    }
    const client = new x402Client().register(
      'eip155:8453',
      new ExactEvmScheme({ ...account, signTypedData }),
    )
    const failure = await wrapFetchWithPayment(fetch, client)(`${server.url}/work`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': apiKey },
    }).catch((error: Error) => error.message)
    assert.match(String(failure), /No .*registered/)
    assert.is(signatures, 0)
  },
)
s('documents an outage of the database wherever there is need of it', () => {
  for (const { path, auth, errors } of accessEndpoints(deps))
    assert.ok(
      path === '/auth/pricing' || path.startsWith('/.well') || auth === 'key' || errors?.[503],
      path,
    )
})
s('documents examples that its own schemas accept', () => {
  const documented = service.endpoints.filter(({ examples }) => examples)
  assert.ok(documented.length >= 6)
  for (const { path, examples, validate, output } of documented) {
    if (examples?.input)
      assert.is(validate.body?.(structuredClone(examples.input)), undefined, path)
    if (examples?.output) assert.is(checkShape(output, examples.output), undefined, path)
  }
})
s(
  'answers a claim with 503 while the chain is out of reach, 400 for a malformed one [access/bad-claim]',
  async () => {
    const { apiKey: key } = await createKey(deps, { label: 'claims' })
    const tx_hash = `0x${'ab'.repeat(32)}`
    const answer = await call('/auth/quota/claim', { key, body: { chain_id: 8453, tx_hash } })
    assert.is(answer.status, 503, answer.text)
    assert.ok(answer.headers.has('retry-after'))
    // It has a node asked several times.
    assert.is(answer.headers.get('x-ratelimit-remaining'), '4995')
    for (const body of [{ chain_id: 1, tx_hash }, { chain_id: 8453, tx_hash: '0x12' }, {}])
      assert.is((await call('/auth/quota/claim', { key, body })).status, 400)
  },
)
s('changes no balance when the clock jumps an hour either way [access/clock]', async () => {
  const { id, apiKey: key } = await createKey(deps, { label: 'clock', quotes: 100 })
  const headers = { 'idempotency-key': 'clock' }
  const first = await call('/work', { key, body: {}, headers })
  for (const jumpMs of [-3_600_000, 7_200_000, -3_600_000]) {
    nowMs += jumpMs
    assert.is((await call('/work', { key, body: {}, headers })).text, first.text)
    assert.is((await call('/work', { key, body: {} })).status, 200)
    assert.is((await call('/work', { key, body: { fail: true } })).status, 404)
  }
  assert.equal(await store.ledger.balance(id), { total: 100, used: 4, remaining: 96 })
  assert.equal(await store.ledger.audit(), [])
})
s('remembers an answer although the clock jumps by two days [access/clock-day]', async () => {
  const { id, apiKey: key } = await createKey(deps, { label: 'clock of days', quotes: 100 })
  const ask = (name: string) =>
    call('/work', { key, body: {}, headers: { 'idempotency-key': name } })
  const first = await ask('first')
  nowMs += 48 * 3_600_000
  assert.is((await ask('second')).status, 200)
  assert.is((await ask('first')).text, first.text)
  nowMs -= 48 * 3_600_000
  assert.is((await store.ledger.balance(id)).used, 2)
})
s.run()
