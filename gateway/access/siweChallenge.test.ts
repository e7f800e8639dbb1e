import { createClient, custom, numberToHex, RpcRequestError } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { serializeErc6492Signature, serializeErc8010Signature } from 'viem/utils'
import { query, startPostgres } from '../../fixtures/store/postgres.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { base } from '../chain/base.ts'
import { ChainUnavailable, toViemChain } from '../chain/client.ts'
import { openPostgresStore } from '../store/openPostgresStore.ts'
import { openStore } from '../store/openStore.ts'
import { hashApiKey } from './apiKey.ts'
import { grantQuota } from './issueKeys.ts'
import type { AccessConfig, AccessDeps } from './sale/accessConfig.ts'
import { createChallenge, registerWallet } from './siweChallenge.ts'

/** Gateways of one database whose own clocks are an hour off. */
const s = suite('access/siweChallenge')
const postgres = await startPostgres()
if (postgres) addTests(postgres)
else s('needs PostgreSQL, which is not installed', () => undefined)

const hourMs = 3_600_000
const config: AccessConfig = {
  keyPrefix: 'forkyard_test',
  pepper: 'pepper',
  publicUrl: 'https://lab.example',
  serviceName: 'Forkyard',
  freeQuota: 3,
  amountPerQuote: 100n,
  packQuotes: 1000,
  keyLimit: { unitsPerSec: 1000, burst: 5000 },
  ipLimit: undefined,
  isLoopbackLimited: false,
  contracts: [],
}
const log = { debug() {}, info() {}, warn() {}, error() {} }

const createPerson = () => privateKeyToAccount(generatePrivateKey())

async function signIn(
  asked: AccessDeps,
  answered: AccessDeps,
  meanwhile = async () => {},
  account = createPerson(),
) {
  const { address } = account
  const { message, nonce, expiresAtMs } = await createChallenge(asked, { address, chainId: 1 })
  const signature = await account.signMessage({ message })
  await meanwhile()
  const answer = await registerWallet(answered, { address, nonce, signature })
  return { message: parseSiweMessage(message), expiresAtMs, answer }
}

s('is signed by its own wallet alone, within ten minutes [teeth/challenge]', async () => {
  const nowMs = 1_900_000_000_000
  const store = openStore({ path: ':memory:' })
  const deps: AccessDeps = { store, chains: [], config, log, now: () => nowMs }
  const [person, other] = [createPerson(), createPerson()]
  const { address } = person
  const { nonce, message, expiresAtMs } = await createChallenge(deps, { address, chainId: 1 })
  assert.is(expiresAtMs, nowMs + 600_000)
  const { issuedAt, expirationTime } = parseSiweMessage(message)
  assert.equal([Number(issuedAt), Number(expirationTime)], [nowMs, expiresAtMs])
  const register = async (signer: typeof person) => {
    const signature = await signer.signMessage({ message })
    return (await registerWallet(deps, { address, nonce, signature })).status
  }
  assert.equal([await register(other), await register(person)], ['bad_signature', 'registered'])
  await store.close()
})

s(
  'two registrations of one wallet at once make one key, and one gift [teeth/register-race]',
  async () => {
    const store = openStore({ path: ':memory:' })
    const deps: AccessDeps = { store, chains: [], config, log, now: Date.now }
    const person = createPerson()
    let isFirst = true
    const findByWallet: typeof store.keys.findByWallet = async (...wanted) => {
      const found = await store.keys.findByWallet(...wanted)
      // The other is done between this look and what follows from it.
      if (isFirst) {
        isFirst = false
        await signIn(deps, deps, undefined, person)
      }
      return found
    }
    const late = { ...deps, store: { ...store, keys: { ...store.keys, findByWallet } } }
    const { answer } = await signIn(late, late, undefined, person)
    if (answer.status !== 'registered') throw new Error(answer.status)
    const keys = await store.keys.list()
    assert.equal([keys.length, answer.balance.total], [1, 3])
    const found = await store.keys.findBySecretHash(hashApiKey(answer.apiKey, config), Date.now())
    assert.is(found?.id, keys[0]?.id)
    await store.close()
  },
)

s('a key that cannot be kept is told as it is [teeth/register-race]', async () => {
  const store = openStore({ path: ':memory:' })
  const insert = () => Promise.reject(new RangeError('the disk is full'))
  const keys = { ...store.keys, insert }
  const deps: AccessDeps = { store: { ...store, keys }, chains: [], config, log, now: Date.now }
  const failure = await signIn(deps, deps).catch((error: Error) => error.name)
  assert.is(failure, 'RangeError')
  await store.close()
})

s(
  'a wallet whose key is revoked for abuse while it registers is barred [18/abuse-meanwhile]',
  async () => {
    const store = openStore({ path: ':memory:' })
    const deps: AccessDeps = { store, chains: [], config, log, now: Date.now }
    const person = createPerson()
    await signIn(deps, deps, undefined, person)
    const [first] = await store.keys.list()
    const { id = '' } = first ?? {}
    const findByWallet: typeof store.keys.findByWallet = async (wallet, chainId) => {
      await store.keys.revoke({ id, atMs: 1, abuse: 'burned gas' })
      return store.keys.findByWallet(wallet, chainId)
    }
    const late = { ...deps, store: { ...store, keys: { ...store.keys, findByWallet } } }
    assert.is((await signIn(late, late, undefined, person)).answer.status, 'barred')
    const valid = (await store.keys.list()).filter(({ revokedAtMs }) => revokedAtMs === undefined)
    assert.equal(valid, [])
    const made = (await store.keys.list()).length
    assert.is((await signIn(deps, deps, undefined, person)).answer.status, 'barred')
    assert.is((await store.keys.list()).length, made)
    await store.close()
  },
)

s(
  'a node ends what a signature has it run long before its own bound, in calls of which none is paid for [attack/signature-gas]',
  async () => {
    const { chainId } = base
    const gas: number[] = []
    const request = async ({ method, params }: { method: string; params: [{ gas?: string }] }) => {
      if (method === 'eth_call') gas.push(Number(params[0].gas))
      return '0x01'
    }
    const chain = toViemChain(base)
    const connect = (asked: typeof request) =>
      createClient({ chain, transport: custom({ request: asked }, { retryCount: 0 }) })
    // Who registers has no key yet.
    const client = connect(() => Promise.reject(new Error('for who has a key')))
    const keyless = connect(request)
    const store = openStore({ path: ':memory:' })
    const deps: AccessDeps = {
      store,
      chains: [{ chainId, client, keyless }],
      config,
      log,
      now: Date.now,
    }
    const { address, signAuthorization } = createPerson()
    // Of a contract, of one that is yet to be made, and of an account that is to become one: whoever signs says how.
    const made = { address, data: '0x02', signature: '0x03' } as const
    const authorization = await signAuthorization({ address, chainId, nonce: 0 })
    const signatures = [
      '0x01',
      serializeErc6492Signature(made),
      serializeErc8010Signature({ ...made, authorization }),
    ] as const
    for (const signature of signatures) {
      const { nonce } = await createChallenge(deps, { address, chainId })
      await registerWallet(deps, { address, nonce, signature })
    }
    assert.equal(gas, [8_000_000, 8_000_000, 8_000_000])
    await store.close()
  },
)

/** As a client of ours throws it. */
const saysNo = (message: string, code = -32000) =>
  new RpcRequestError({ body: {}, error: { code, message }, url: 'http://upstream' })

s(
  'a signature is a bad one by what its code does, and not by what a node refuses that tells its chain [attack/signature-refused]',
  async () => {
    const { chainId } = base
    const store = openStore({ path: ':memory:' })
    const { address, signAuthorization } = createPerson()
    const made = { address, data: '0x02', signature: '0x03' } as const
    const authorization = await signAuthorization({ address, chainId, nonce: 0 })
    const signatures = ['0x01', serializeErc8010Signature({ ...made, authorization })] as const
    async function register(refused: string, error: Error) {
      const request = async ({ method }: { method: string }) => {
        if (method === refused) throw error
        return method === 'eth_chainId' ? numberToHex(chainId) : '0x'
      }
      const transport = custom({ request }, { retryCount: 0 })
      const client = createClient({ chain: toViemChain(base), transport })
      const deps = { store, chains: [{ chainId, client }], config, log, now: Date.now }
      const told: string[] = []
      for (const signature of signatures) {
        const { nonce } = await createChallenge(deps, { address, chainId })
        told.push((await registerWallet(deps, { address, nonce, signature })).status)
      }
      return told
    }
    const refusals = [
      new ChainUnavailable(chainId, ['over_budget']),
      saysNo('no backend is currently healthy to serve traffic', -32011),
      saysNo('execution timeout'),
      saysNo('header not found'),
    ]
    for (const error of refusals) {
      const both = ['chain_unreachable', 'chain_unreachable']
      assert.equal(await register('eth_call', error), both, error.message)
    }
    // It is asked of ERC-8010 alone.
    const lacksCode = await register('eth_getCode', saysNo('execution timeout'))
    assert.equal(lacksCode, ['bad_signature', 'chain_unreachable'])
    for (const error of [
      saysNo('execution reverted', 3),
      saysNo('out of gas'),
      saysNo('invalid jump destination'),
    ])
      assert.equal(await register('eth_call', error), ['bad_signature', 'bad_signature'])
    await store.close()
  },
)

function addTests({ createDatabase, close }: NonNullable<typeof postgres>) {
  const closers: (() => Promise<void>)[] = []
  s.after(async () => {
    for (const end of closers) await end()
    await close()
  })

  async function open() {
    const url = await createDatabase()
    const gateway = async (offByMs: number): Promise<AccessDeps> => {
      const store = await openPostgresStore({ url, connections: 2 })
      closers.push(store.close)
      return { store, chains: [], config, log, now: () => Date.now() + offByMs }
    }
    const [ahead, right, behind] = [await gateway(hourMs), await gateway(0), await gateway(-hourMs)]
    return { url, ahead, right, behind }
  }

  s(
    'a challenge lives for ten minutes of the database, whichever gateways ask and answer [18/challenge-clock]',
    async () => {
      const { url, ahead, right, behind } = await open()
      const forget = () =>
        query(url, 'UPDATE challenges SET expires_at_ms = expires_at_ms - 600001')
      for (const [asked, answered] of [
        [ahead, right],
        [behind, right],
        [ahead, behind],
        [behind, ahead],
        [right, ahead],
        [right, behind],
      ] as const) {
        const fromMs = Date.now()
        const { message, expiresAtMs, answer } = await signIn(asked, answered)
        assert.is(answer.status, 'registered')
        const lifeMs = [expiresAtMs - fromMs, Number(message.expirationTime) - fromMs]
        for (const ms of lifeMs) assert.ok(ms >= 599_000 && ms < 660_000, `${ms} ms`)
        assert.ok(Math.abs(Number(message.issuedAt) - fromMs) < 60_000)
        const late = await signIn(asked, answered, async () => void (await forget()))
        assert.is(late.answer.status, 'unknown_challenge')
      }
    },
  )

  s('no gateway forgets the challenges of another before their time', async () => {
    const { ahead, right } = await open()
    const { answer } = await signIn(right, right, async () => {
      await signIn(ahead, ahead)
    })
    assert.is(answer.status, 'registered')
  })

  s('every row of the ledger has the time of the database [18/ledger-clock]', async () => {
    const { url, ahead, behind } = await open()
    const fromMs = Date.now() - 1_000
    for (const [index, deps] of [ahead, behind].entries()) {
      const { ledger, payments, keys } = deps.store
      const { answer } = await signIn(deps, deps)
      if (answer.status !== 'registered') throw new Error(answer.status)
      const keyId = (await keys.list())[index]?.id ?? ''
      await grantQuota(deps, { id: keyId, quotes: 50, reason: 'test' })
      const atMs = deps.now()
      const charge = { keyId, units: 1, ref: `r${index}`, atMs }
      await ledger.charge(charge)
      await ledger.conclude({ ...charge, answer: undefined })
      const idempotency = { key: 'name', fingerprint: Buffer.from('what'), holder: 'one' }
      await ledger.charge({ ...charge, idempotency })
      const block = { chainId: 1, txHash: `0x0${index}`, blockNumber: 5n } as const
      const payment = {
        logIndex: 0,
        payer: '0x01',
        amount: 5n,
        quotes: 5,
        proof: 1,
        source: '0x01',
      } as const
      const credit = { ...block, blockHash: '0x0a', keyId, payments: [payment], atMs } as const
      await payments.credit(credit)
      await payments.orphan({ ...credit, headBlock: 6n })
    }
    const rows = (await query(
      url,
      `SELECT kind, at_ms::float8 AS at FROM ledger
       UNION ALL SELECT 'key', created_at_ms::float8 FROM keys`,
    )) as { kind: string; at: number }[]
    const kinds = new Set(rows.map(({ kind }) => kind))
    assert.equal(kinds, new Set(['grant', 'charge', 'refund', 'claim', 'clawback', 'key']))
    for (const { kind, at } of rows)
      assert.ok(at >= fromMs && at <= Date.now() + 1_000, `${kind} at ${at - fromMs}`)
  })
}
s.run()
