import { getAddress, keccak256, stringToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  openSettlements,
  settleChainId,
  settleStartMs,
  signPayment,
} from '../../../fixtures/access/simSettlements.ts'
import { createInject } from '../../../fixtures/inject.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createService } from '../../http/service.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessConfig } from '../sale/accessConfig.ts'
import { settlePayment } from '../x402/settlePayment.ts'
import { accessEndpoints, toClaimError } from './routes.ts'

/** Beside a simulated chain; `wallets.fork.test.ts` and `claimQuota.fork.test.ts` have real ones. */
const s = suite('access/wire')
const account = privateKeyToAccount(keccak256(stringToBytes('wallet')))
const network = `eip155:${settleChainId}`

async function open(given: Partial<AccessConfig> = {}) {
  const opened = openSettlements(() => settleStartMs)
  const warnings: unknown[][] = []
  const log = { ...opened.deps.log, warn: (...told: unknown[]) => void warnings.push(told) }
  const deps = { ...opened.deps, log, config: { ...opened.deps.config, ...given } }
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const sold = [{ method: 'POST', url: 'http://test/quote', units: 1 }] as const
  const endpoints = accessEndpoints(deps, sold)
  const service = createService({
    name: 'access',
    endpoints,
    access: {
      identify: async ({ headers }) => ({ keyId: String(headers['x-key'] ?? keyId), scopes: [] }),
      limit: async () => undefined,
      charge: async () => ({ status: 'charged', headers: {}, conclude: async () => undefined }),
    },
    checkOutput: true,
    log: deps.log,
  })
  const inject = createInject(service.app)
  async function ask(path: string, body?: object, headers = {}) {
    const method = body ? 'POST' : 'GET'
    const { status, text } = await inject({ method, path, headers, body: JSON.stringify(body) })
    return { status, answer: JSON.parse(text) }
  }
  return { ...opened, deps, keyId, ask, warnings, paths: endpoints.map(({ path }) => path) }
}

s(
  'gives a key to who signs its challenge, a new secret to who has one [teeth/wire-wallets]',
  async () => {
    const { ask, deps, node } = await open({ freeQuota: 7, publicUrl: 'https://api.example' })
    const challenge = () => ask('/auth/challenge', { address: account.address.toLowerCase() })
    const register = async (change: object = {}) => {
      const { message, nonce } = (await challenge()).answer
      const signature = await account.signMessage({ message })
      const sent = { address: account.address, nonce, signature, ...change }
      return { sent, ...(await ask('/auth/register', sent)) }
    }
    const { message, expires_at } = (await challenge()).answer
    assert.ok(message.includes(account.address))
    assert.ok(Date.parse(expires_at) > settleStartMs)
    const first = await register()
    const { api_key, ...rest } = first.answer
    const quota = { quota_total: 7, quota_used: 0, quota_remaining: 7 }
    assert.equal([first.status, rest], [200, { scopes: rest.scopes, ...quota }])
    const again = await register()
    assert.is.not(again.answer.api_key, api_key)
    assert.is(again.answer.quota_total, 7)
    const used = await ask('/auth/register', again.sent)
    assert.equal([used.status, used.answer.code], [400, 'invalid_request'])
    assert.match(used.answer.error, /^nonce is unknown, used, expired or of another address/)
    // What is no ordinary account's is for the chain to say.
    node.faults.isDown = true
    const away = await register({ signature: `0x${'11'.repeat(65)}` })
    assert.equal([away.status, away.answer.code], [503, 'unavailable'])
    node.faults.isDown = false
    const key = await deps.store.keys.findByWallet(account.address)
    const { status, answer } = await ask('/auth/key-info', undefined, { 'x-key': key?.id })
    assert.equal(
      [status, answer],
      [
        200,
        {
          key_id: key?.id,
          key_id_hash: keccak256(stringToBytes(key?.id ?? '')),
          status: 'active',
          wallet: getAddress(account.address),
          ...quota,
          created_at: new Date(settleStartMs).toISOString(),
          scopes: rest.scopes,
        },
      ],
    )
    await deps.store.keys.revoke({ id: key?.id ?? '', atMs: settleStartMs, abuse: 'why' })
    const barred = await register()
    assert.equal([barred.status, barred.answer.code], [403, 'forbidden'])
  },
)
s(
  'tells who sends no signature so, and no operator that a chain is away [attack/erc8010]',
  async () => {
    const { ask, warnings } = await open({ publicUrl: 'https://api.example' })
    // Each ends as that of an account which is to become a contract does (ERC-8010).
    for (const garbage of ['ab'.repeat(64), '00'.repeat(64)]) {
      const { nonce } = (await ask('/auth/challenge', { address: account.address })).answer
      const signature = `0x${garbage}${'8010'.repeat(16)}`
      const sent = { address: account.address, nonce, signature }
      const { status, answer } = await ask('/auth/register', sent)
      assert.is(answer.error, 'signature does not sign the challenge for this address')
      assert.is(status, 400)
    }
    assert.equal(warnings, [])
  },
)
s('tells of a key without a wallet, and of none that is gone [teeth/wire-keys]', async () => {
  const { ask, keyId } = await open()
  const { answer } = await ask('/auth/key-info')
  assert.equal([answer.key_id, answer.wallet, answer.quota_total], [keyId, null, 0])
  assert.is((await ask('/auth/key-info', undefined, { 'x-key': 'gone' })).status, 401)
})
s('tells prices, and what is sold where and how it is paid [teeth/wire-sale]', async () => {
  const { ask, deps } = await open()
  const [contract] = deps.config.contracts
  assert.equal((await ask('/auth/pricing')).answer, {
    x402_version: 2,
    unit_price_usd: 0.0001,
    unit_price_usdc_6dec: 100,
    contracts: [
      {
        chain_id: settleChainId,
        network,
        quota_contract: contract?.address,
        payment_token: contract?.token.address,
        amount_per_quote: '100',
      },
    ],
  })
  const { accepts, ...discovery } = (await ask('/.well-known/x402')).answer
  assert.equal(
    accepts.map((one: { scheme: string; payTo: string }) => [one.scheme, one.payTo]),
    [['exact', contract?.address]],
  )
  assert.equal(discovery, {
    x402Version: 2,
    resources: [{ method: 'POST', url: 'http://test/quote', units: 1 }],
    facilitator: { verify: 'http://test/x402/verify', settle: 'http://test/x402/settle' },
    pricing: 'http://test/auth/pricing',
    claim: 'http://test/auth/quota/claim',
  })
})
s(
  'sells nothing where there is no contract, and says who settles nothing [teeth/wire-sale]',
  async () => {
    assert.equal((await open({ contracts: [] })).paths, [
      '/auth/challenge',
      '/auth/register',
      '/auth/key-info',
      '/auth/pricing',
    ])
    const { deps } = await open()
    const unwatched = accessEndpoints({ ...deps, chains: [] }).map(({ path }) => path)
    assert.equal(unwatched.slice(0, 2), ['/auth/key-info', '/auth/pricing'])
    const contracts = deps.config.contracts.map((one) => ({ ...one, settlement: undefined }))
    const { ask, paths } = await open({ contracts })
    assert.equal(paths.slice(4), ['/auth/quota/claim', '/.well-known/x402'])
    assert.is((await ask('/.well-known/x402')).answer.facilitator, undefined)
  },
)
s('bounds the texts of a registration [teeth/wire-bounds]', async () => {
  const { deps } = await open()
  const register = accessEndpoints(deps).find(({ path }) => path === '/auth/register')
  const isTaken = (nonce: number, bytes: number) => {
    const signature = `0x${'00'.repeat(bytes)}`
    const body = { address: account.address, nonce: 'n'.repeat(nonce), signature }
    return register?.validate.body?.(body) === undefined
  }
  assert.equal([isTaken(8, 1), isTaken(128, 32_767)], [true, true])
  assert.equal([isTaken(7, 1), isTaken(129, 1), isTaken(8, 32_768)], [false, false, false])
})
s(
  'credits the payment that is claimed, and says who claims nothing what it lacks [teeth/wire-claims]',
  async () => {
    const { ask, deps, keyId, mine } = await open()
    await settlePayment(deps, { payment: signPayment(), keyId, waitMs: 0 })
    const [settlement] = await deps.store.settlements.listOpen(settleChainId)
    mine()
    const claim = (tx_hash: unknown) =>
      ask('/auth/quota/claim', { chain_id: settleChainId, tx_hash })
    const { status, answer } = await claim(settlement?.txHash)
    const balance = { quota_total: 10, quota_used: 0, quota_remaining: 10 }
    assert.equal([status, answer], [200, { purchased_quotes: 10, ...balance }])
    const unknown = await claim(`0x${'12'.repeat(32)}`)
    assert.equal([unknown.status, unknown.answer.code], [404, 'unknown_transaction'])
  },
)
for (const [claim, status, retry, sentence] of [
  [{ status: 'unsupported_chain' }, 400, undefined, /no quota is sold/],
  [{ status: 'reverted' }, 400, undefined, /reverted/],
  [{ status: 'not_a_payment' }, 400, undefined, /paid nothing in the payment token/],
  [{ status: 'dust' }, 400, undefined, /less than one quote/],
  [{ status: 'too_large' }, 400, undefined, /too large/],
  [{ status: 'belongs_to_another_key' }, 403, undefined, /another key/],
  [{ status: 'unknown_transaction' }, 404, undefined, /./],
  [{ status: 'unconfirmed', confirmations: 1, needed: 3 }, 409, '2', /has 1 of 3 confirmations/],
  [{ status: 'not_final' }, 409, '60', /once its block is final/],
  [{ status: 'chain_unreachable' }, 503, '5', /cannot be reached/],
] as const)
  s(`answers a claim that is ${claim.status} with ${status} [teeth/wire-claims]`, () => {
    const error = toClaimError(claim as Parameters<typeof toClaimError>[0])
    assert.equal([error.status, error.headers['retry-after']], [status, retry])
    assert.match(error.message, sentence)
  })
s.run()
