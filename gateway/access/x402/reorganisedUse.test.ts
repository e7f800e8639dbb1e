import {
  type Address,
  createClient,
  custom,
  getAbiItem,
  type Hex,
  numberToHex,
  pad,
  RpcRequestError,
  toEventSelector,
} from 'viem'
import { testConfig } from '../../../fixtures/access/testConfig.ts'
import { createRandom } from '../../../fixtures/books/random.ts'
import { keyAddress } from '../../../fixtures/books/simBytes.ts'
import { createSimChain } from '../../../fixtures/books/simChain.ts'
import type { SimTx } from '../../../fixtures/books/simExecution.ts'
import { answerCall, healthy, type SimNode } from '../../../fixtures/books/simNode.ts'
import { addressAt, wordOf } from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { chains } from '../../chain/chains.ts'
import { toViemChain } from '../../chain/client.ts'
import { openStore } from '../../store/openStore.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessDeps } from '../sale/accessConfig.ts'
import { claimQuota } from '../sale/claimQuota.ts'
import { recheckPayments } from '../sale/recheckPayments.ts'
import { eip3009Abi, encodeTransfer } from './eip3009.ts'
import type { PaymentPayload } from './paymentPayload.ts'
import { reconcileSettlements, resolveSettlement } from './resolveSettlement.ts'
import { settlePayment } from './settlePayment.ts'

const s = suite('settlements under reorganisations')
const [base] = chains
if (!base) throw new Error('there is no chain')
const { chainId } = base
const [payer, quotaManager, token] = [addressAt(0, 0), addressAt(3, 1), addressAt(3, 2)]
const nonce = wordOf(1)

type Range = { readonly fromBlock: Hex; readonly toBlock: Hex }

/** As nodes do. */
function refuseWide({ fromBlock, toBlock }: Range, mostBlocks: number): void {
  if (Number(toBlock) - Number(fromBlock) < mostBlocks) return
  const message = `eth_getLogs is limited to a ${mostBlocks} range`
  throw new RpcRequestError({ body: {}, url: '', error: { code: -32602, message } })
}

type Options = {
  readonly asked?: ((method: string) => void) | undefined
  readonly mostBlocks?: number
  /** In place of the chain's own; undefined where that answers. */
  readonly answer?: (method: string, params: readonly unknown[]) => unknown
}

function openDeps(
  node: SimNode,
  { asked = () => undefined, mostBlocks = 1_000, answer: instead = () => undefined }: Options = {},
): AccessDeps {
  const request = async ({
    method,
    params = [],
  }: {
    method: string
    params?: readonly unknown[]
  }) => {
    if (method === 'eth_getLogs') refuseWide(params[0] as Range, mostBlocks)
    const answer = instead(method, params) ?? answerCall(node, { method, params })
    asked(method)
    return answer
  }
  const client = createClient({ chain: toViemChain(base as never), transport: custom({ request }) })
  const contract = { chainId, address: quotaManager, confirmations: 1, finalizedFrom: 10n ** 9n }
  return {
    store: openStore({ path: ':memory:' }),
    chains: [{ chainId, client }],
    config: testConfig([
      { ...contract, token: { address: token, name: 'USD Coin', version: '2' } },
    ]),
    now: () => 1_000_000,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
}

function createChain() {
  const usdc = new Map([[payer, 10_000n]])
  const wei = new Map([[keyAddress(0), 10n ** 18n]])
  const place = { quotaManager, token }
  return createSimChain({ chainId, place, hasPool: true, seed: { wei, usdc } })
}

/** A settlement that is signed and not sent, and what else may use its authorization. */
async function reserve(options: Options = {}) {
  const chain = createChain()
  const node = { chain, faults: healthy(), sent: () => undefined }
  const deps = openDeps(node, options)
  const mine = () => chain.mine({ atMs: 1_000_000, choose: () => true })
  for (let block = 0; block < 5; block += 1) mine()
  const fromBlock = BigInt(chain.head().number)
  const fees = { gasLimit: 90_000n, maxFeePerGasWei: 10n ** 9n, maxTipWei: 1n }
  const signed = { to: quotaManager, value: 1_000n, validAfter: 0n, validBefore: 10n ** 9n }
  const use = (hash: Hex, from: SimTx['from'], txNonce?: number): SimTx => ({
    hash,
    from,
    nonce: txNonce,
    ...fees,
    action: { kind: 'settle', payer, ...signed, nonce },
  })
  const { id: keyId } = await createKey(deps, { label: 'buyer' })
  const ours = use(wordOf(7), keyAddress(0), 0)
  const kept = await deps.store.settlements.reserve(
    {
      chainId,
      asset: token,
      payer,
      nonce,
      keyId,
      validBeforeSecs: 10 ** 9,
      fromBlock,
      calldata: encodeTransfer({ ...signed, from: payer, nonce, signature: '0x' }),
      signer: keyAddress(0),
      createdAtMs: 1_000_000,
      chainNonce: 0,
      windowMs: 3_600_000,
    },
    () => ({
      rawTx: '0x',
      txHash: ours.hash,
      gasLimit: 90_000n,
      maxFeePerGasWei: 10n ** 9n,
      maxPriorityFeePerGasWei: 1n,
    }),
  )
  if ('refusal' in kept) throw new Error('nothing was reserved')
  const { settlement } = kept
  return { chain, node, deps, mine, fromBlock, use, keyId, ours, settlement }
}

s('a use that a reorganisation brought below the reservation is found and credited', async () => {
  const { chain, deps, mine, fromBlock, use, keyId, ours, settlement } = await reserve()
  // The chain goes back behind the reservation; there a stranger's comes first, and ours reverts.
  const strangers = use(wordOf(8), addressAt(2, 1))
  chain.pool.set(strangers.hash, strangers)
  const random = { ...createRandom(1), chance: () => true }
  chain.reorganise({ depth: 4, atMs: 1_000_000, random, keeps: () => true })
  assert.ok((chain.blocksOf(strangers.hash)[0]?.number ?? 0) < fromBlock)
  chain.pool.set(`${ours.from} 0`, ours)
  mine()

  const resolved = await resolveSettlement(deps, settlement)
  assert.is(resolved.state, 'settled')
  assert.is(resolved.txHash, strangers.hash)
  assert.is((await deps.store.ledger.balance(keyId)).total, 10)
})

s(
  'a settlement whose use a pruned node shows by its state alone is not failed, expired or not [18/pruned-use]',
  async () => {
    let isPruned = true
    const asked = (method: string) => {
      if (isPruned && method === 'eth_getLogs') throw new Error('pruned history unavailable')
    }
    const { chain, node, deps, mine, keyId, ours, settlement } = await reserve({ asked })
    chain.pool.set(`${ours.from} 0`, ours)
    mine()
    node.faults.hidesReceipts = true
    const past = { ...settlement, validBeforeSecs: 1 }
    for (const seen of [settlement, past])
      assert.is((await resolveSettlement(deps, seen)).state, 'sent')
    isPruned = false
    node.faults.hidesReceipts = false
    assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
    assert.is((await deps.store.ledger.balance(keyId)).total, 10)
  },
)

s('no other key gets it by its hash, before its own or after [claims/settled-hash]', async () => {
  const { chain, deps, mine, keyId, ours, settlement } = await reserve()
  const thief = await createKey(deps, { label: 'thief' })
  const itsPayer = await createKey(deps, { label: 'payer', wallet: payer })
  const claim = (id: string, wallet?: Address) =>
    claimQuota(deps, {
      caller: { keyId: id, wallet, scopes: ['quote'] },
      chainId,
      txHash: ours.hash,
    })
  const strangersGetNothing = async () => {
    assert.equal(await claim(thief.id), { status: 'belongs_to_another_key' })
    assert.equal(await claim(itsPayer.id, payer), { status: 'belongs_to_another_key' })
  }
  chain.pool.set(`${ours.from} 0`, ours)
  mine()
  await strangersGetNothing()
  assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
  await strangersGetNothing()
  const own = await claim(keyId)
  assert.is(own.status === 'claimed' && own.balance.total, 10)
})

s(
  'a payment is credited again, once, when its own block comes back [claims/same-block]',
  async () => {
    const { chain, node, deps, mine, keyId, ours, settlement } = await reserve()
    const [client] = deps.chains
    if (!client) throw new Error('there is no chain')
    const balance = () => deps.store.ledger.balance(keyId)
    chain.pool.set(`${ours.from} 0`, ours)
    mine()
    assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
    await deps.store.ledger.charge({ keyId, units: 4, ref: 'quote', atMs: 1 })
    const branch = createChain()
    for (let block = 0; block < 9; block += 1) branch.mine({ atMs: 1_000_000, choose: () => true })
    branch.reorganise({ depth: 9, atMs: 1_000_000, random: createRandom(1), keeps: () => false })

    for (let round = 0; round < 2; round += 1) {
      node.chain = branch
      await recheckPayments(deps, { chain: client })
      assert.equal(await balance(), { total: 0, used: 4, remaining: -4 })
      node.chain = chain
      for (let looks = 0; looks < 2; looks += 1) {
        await recheckPayments(deps, { chain: client })
        assert.equal(await balance(), { total: 10, used: 4, remaining: 6 })
      }
    }
    assert.equal(await deps.store.ledger.audit(), [])
  },
)

s('one that waits in a pool for ever has failed once it has expired', async () => {
  const { chain, deps, mine, ours, settlement } = await reserve()
  chain.pool.set(`${ours.from} 0`, { ...ours, maxFeePerGasWei: 1n })
  mine()
  assert.is((await resolveSettlement(deps, settlement)).state, 'sent')
  chain.mine({ atMs: (10 ** 9 + 1) * 1_000, choose: () => true })
  assert.is((await resolveSettlement(deps, settlement)).state, 'failed')
})

s('one that is back in a pool for ever is gone once its expiry is final', async () => {
  const { chain, deps, mine, ours, settlement } = await reserve()
  const [client] = deps.chains
  if (!client) throw new Error('there is no chain')
  const listLost = () => deps.store.payments.listLost({ chainId, limit: 9 })
  chain.pool.set(`${ours.from} 0`, ours)
  mine()
  assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
  const random = { ...createRandom(1), chance: (share: number) => share === 1 }
  chain.reorganise({ depth: 1, atMs: 1_000_000, random, keeps: () => true })
  chain.pool.set(`${ours.from} 0`, { ...ours, maxFeePerGasWei: 1n })
  mine()

  await recheckPayments(deps, { chain: client })
  for (let block = 0; block < 70; block += 1) mine()
  chain.mine({ atMs: 10 ** 12, choose: () => true })
  await recheckPayments(deps, { chain: client })
  assert.is((await listLost()).length, 1)
  for (let block = 0; block < 64; block += 1) mine()
  await recheckPayments(deps, { chain: client })
  assert.equal(await listLost(), [])
})

s(
  'a use is found beyond the first range of blocks that nodes answer for [18/use-in-ranges]',
  async () => {
    const { chain, deps, mine, use, keyId, settlement } = await reserve()
    for (let block = 0; block < 1_200; block += 1) mine()
    const strangers = use(wordOf(8), addressAt(2, 1))
    chain.pool.set(strangers.hash, strangers)
    mine()
    const resolved = await resolveSettlement(deps, settlement)
    assert.is(resolved.state, 'settled')
    assert.is(resolved.txHash, strangers.hash)
    assert.is((await deps.store.ledger.balance(keyId)).total, 10)
  },
)

s('a use is found on a node that takes ten blocks at once [18/use-in-short-ranges]', async () => {
  const { chain, deps, mine, use, keyId, settlement } = await reserve({ mostBlocks: 10 })
  for (let block = 0; block < 30; block += 1) mine()
  const strangers = use(wordOf(8), addressAt(2, 1))
  chain.pool.set(strangers.hash, strangers)
  mine()
  assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
  assert.is((await deps.store.ledger.balance(keyId)).total, 10)
})

s('what its payer has canceled is searched for up to there [18/canceled-near]', async () => {
  let asked = 0
  let at = Number.NaN
  const event = toEventSelector(getAbiItem({ abi: eip3009Abi, name: 'AuthorizationCanceled' }))
  const answer = (method: string, [filter]: readonly unknown[]) => {
    if (method === 'eth_call') return pad('0x1')
    if (method !== 'eth_getLogs') return undefined
    asked += 1
    const { topics, fromBlock, toBlock } = filter as Range & { readonly topics: readonly Hex[] }
    const isThere = Number(fromBlock) <= at && at <= Number(toBlock)
    if (!isThere || !topics.flat().includes(event)) return []
    const place = { address: token, blockNumber: numberToHex(at), transactionHash: wordOf(8) }
    return [{ ...place, topics: [event, pad(payer), nonce], data: '0x' }]
  }
  const { deps, mine, fromBlock, settlement } = await reserve({ mostBlocks: 10, answer })
  at = Number(fromBlock) + 1
  for (let block = 0; block < 300; block += 1) mine()
  const past = { ...settlement, validBeforeSecs: 1 }
  assert.is((await resolveSettlement(deps, past)).state, 'failed')
  // Of 64 blocks before the reservation, and those to the one.
  assert.ok(asked <= 8, String(asked))
})

s(
  'what is mined at the last moment is credited, whenever it is looked for [18/last-moment]',
  async () => {
    const events: (() => void)[] = []
    const asked = (method: string) => void (method === 'eth_call' && events.shift()?.())
    const { chain, deps, mine, keyId, ours, settlement } = await reserve({ asked })
    // Between two questions about it.
    events.push(() => {
      chain.pool.set(`${ours.from} 0`, ours)
      mine()
      chain.mine({ atMs: (10 ** 9 + 1) * 1_000, choose: () => true })
    })
    assert.is((await resolveSettlement(deps, settlement)).state, 'sent')
    assert.is((await resolveSettlement(deps, settlement)).state, 'settled')
    assert.is((await deps.store.ledger.balance(keyId)).total, 10)
  },
)

/** Failed when its payer had nothing, in a block that is gone; `mineAfterAll` brings it into another. */
async function failThenReorganise() {
  const { chain, deps, mine, keyId, ours, settlement } = await reserve()
  const [client] = deps.chains
  if (!client) throw new Error('there is no chain')
  const spend = { kind: 'pay', payer, payments: [{ amount: 10_000n, boundTo: wordOf(9) }] } as const
  const spending = { ...ours, hash: wordOf(10), from: payer, nonce: undefined, action: spend }
  chain.pool.set(spending.hash, spending)
  mine()
  chain.pool.set(`${ours.from} 0`, ours)
  mine()
  assert.is((await resolveSettlement(deps, settlement)).state, 'failed')
  const random = { ...createRandom(1), chance: (share: number) => share === 1 }
  chain.reorganise({ depth: 2, atMs: 1_000_000, random, keeps: () => false })
  chain.pool.clear()
  const mineAfterAll = () => {
    chain.pool.set(`${ours.from} 0`, ours)
    mine()
  }
  const pass = (nowMs: number) =>
    reconcileSettlements({ ...deps, now: () => nowMs }, { chain: client })
  const total = async () => (await deps.store.ledger.balance(keyId)).total
  return { deps, keyId, settlement, mineAfterAll, pass, total }
}

s(
  'one that failed in a block that is gone and was mined after all is credited when asked for [18/failed-then-mined]',
  async () => {
    const { deps, keyId, settlement, mineAfterAll, total } = await failThenReorganise()
    mineAfterAll()

    const authorization = { from: payer, nonce }
    const accepted = { network: `eip155:${chainId}`, amount: '1000' }
    const payment = { accepted, payload: { authorization } } as PaymentPayload
    const ask = () => settlePayment(deps, { payment, keyId, waitMs: 0 })
    assert.is((await ask()).status, 'settled')
    assert.is((await ask()).status, 'settled')
    assert.is(await total(), 10)
    const { asset } = settlement
    const kept = await deps.store.settlements.find({ chainId, asset, payer, nonce })
    assert.is(kept?.state, 'settled')
  },
)

s(
  'one that failed in a block that is gone and was mined after all is credited without being asked for [18/failed-recheck]',
  async () => {
    const { mineAfterAll, pass, total } = await failThenReorganise()
    await pass(1_000_000)
    assert.is(await total(), 0)
    mineAfterAll()
    await pass(1_059_999)
    assert.is(await total(), 0, 'it is looked at once a minute')
    await pass(1_060_000)
    await pass(1_120_000)
    assert.is(await total(), 10)
  },
)

s('what failed is looked for until an hour later, and no more [teeth/failed-window]', async () => {
  for (const [laterMs, units] of [
    [3_599_999, 10],
    [3_600_000, 0],
  ] as const) {
    const { mineAfterAll, pass, total } = await failThenReorganise()
    mineAfterAll()
    await pass(1_000_000 + laterMs)
    assert.is(await total(), units)
  }
})
s.run()
