import {
  type Address,
  createClient,
  custom,
  type Hex,
  numberToHex,
  padHex,
  toEventHash,
} from 'viem'
import {
  purchasedLog,
  type SimLog,
  transferLog,
  usedLog,
} from '../../../fixtures/books/simTokens.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { base } from '../../chain/base.ts'
import { toViemChain } from '../../chain/client.ts'
import { openStore } from '../../store/openStore.ts'
import { type LostPayment, proofs } from '../../store/payments.ts'
import { createKey } from '../issueKeys.ts'
import type { AccessDeps } from './accessConfig.ts'
import { claimQuota } from './claimQuota.ts'
import { recheckPayments } from './recheckPayments.ts'

/** Whose a payment is and how much of it counts, by receipts that are tables; on forks they are real. */
const s = suite('claims of a receipt')
const { chainId } = base
const toAddress = (id: number) => padHex(numberToHex(id), { size: 20 })
const [token, contract, payer, sender] = [1, 2, 3, 4].map(toAddress) as [Hex, Hex, Hex, Hex]
const toWord = (id: number) => padHex(numberToHex(id), { size: 32 })
const nonce = toWord(8)
const bundled = 'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'
const ofSafe = 'ExecutionSuccess(bytes32,uint256)'

const pay = (value: bigint, from = payer) => transferLog(token, { from, to: contract, value })
const buy = (keyId: Hex, amount: bigint) =>
  purchasedLog(contract, { keyId, payer, quotes: 1n, amount })
const say = (event: string): SimLog => ({
  address: sender,
  topics: [toEventHash(event)],
  data: '0x',
})

function open() {
  const world = { isFinal: true, isDown: false, status: '0x1', blockHash: toWord(100) }
  const asked: string[] = []
  const receipts = new Map<Hex, readonly SimLog[]>()
  type Call = { readonly method: string; readonly params?: readonly string[] }
  const request = async ({ method, params = [] }: Call) => {
    asked.push(`${method} ${params[0]}`)
    if (world.isDown) throw new TypeError('away')
    if (method === 'eth_blockNumber') return numberToHex(100)
    if (method === 'eth_call') return toWord(5)
    if (method === 'eth_getBlockByNumber') {
      const number = params[0] === 'finalized' && !world.isFinal ? 99 : 100
      return { number: numberToHex(number), hash: world.blockHash, transactions: [] }
    }
    const hash = params[0] as Hex
    const logs = receipts.get(hash)
    if (method !== 'eth_getTransactionReceipt' || !logs) return null
    const { blockHash } = world
    const place = { transactionHash: hash, blockHash, blockNumber: numberToHex(100) }
    return {
      ...place,
      from: sender,
      status: world.status,
      logs: logs.map((log, index) => ({ ...log, ...place, logIndex: numberToHex(index) })),
    }
  }
  const transport = custom({ request }, { retryCount: 0 })
  const store = openStore({ path: ':memory:' })
  const sold = {
    chainId,
    address: contract,
    token: { address: token, name: 'USD Coin', version: '2' },
    confirmations: 1,
    finalizedFrom: 100_000n,
  }
  // Of what access is given, what a claim uses.
  const deps = {
    store,
    chains: [{ chainId, client: createClient({ chain: toViemChain(base), transport }) }],
    config: { keyPrefix: 'test', pepper: 'pepper', amountPerQuote: 100n, contracts: [sold] },
    now: () => 1,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  } as unknown as AccessDeps
  const mine = (...logs: readonly SimLog[]) => {
    const hash = toWord(1_000 + receipts.size)
    receipts.set(hash, logs)
    return hash
  }
  async function addKey(wallet?: Address) {
    const { id: keyId } = await createKey(deps, { label: 'one', wallet })
    return { keyId, wallet, scopes: ['quote'] }
  }
  type Caller = Awaited<ReturnType<typeof addKey>>
  async function claim(caller: Caller, txHash: Hex, more: Partial<Pick<LostPayment, 'held'>> = {}) {
    const answer = await claimQuota(deps, { caller, chainId, txHash, ...more })
    return answer.status === 'claimed' ? answer.quotes : answer.status
  }
  return { world, asked, deps, store, mine, addKey, claim }
}

s(
  'counts whole quotes of each payment, and none that is less than one [claims/worth]',
  async () => {
    const { mine, addKey, claim } = open()
    const key = await addKey()
    assert.is(await claim(key, mine(pay(199n))), 1)
    assert.is(await claim(key, mine(pay(99n), pay(99n))), 'dust')
    assert.is(await claim(key, mine(pay(99n), pay(100n), pay(299n))), 3)
    assert.is(await claim(key, mine()), 'not_a_payment')
  },
)
s(
  'has a key claim nothing by a payment of its own that is less than one [claims/worth]',
  async () => {
    const { mine, addKey, claim } = open()
    const other = toAddress(5)
    const [ofPayer, ofOther] = [await addKey(payer), await addKey(other)]
    const hash = mine(pay(99n), pay(1_000n, other))
    assert.is(await claim(ofPayer, hash), 'belongs_to_another_key')
    assert.is(await claim(ofOther, hash), 10)
  },
)
s('pays out what a balance can hold, and not a quote more [claims/worth]', async () => {
  const { mine, addKey, claim } = open()
  const most = 2n ** 51n
  assert.is(await claim(await addKey(), mine(pay(most * 100n + 99n))), Number(most))
  assert.is(await claim(await addKey(), mine(pay(most * 100n + 100n))), 'too_large')
})
s(
  'waits for the final block of what is large, all payments of it together [claims/worth]',
  async () => {
    const { world, mine, addKey, claim } = open()
    const key = await addKey()
    world.isFinal = false
    assert.is(await claim(key, mine(pay(99_999n))), 999)
    const large = mine(pay(50_000n), pay(50_000n))
    assert.is(await claim(key, large), 'not_final')
    world.isFinal = true
    assert.is(await claim(key, large), 1_000)
  },
)
s(
  'has no settlement wait for what came in the same transaction [claims/settled-alone]',
  async () => {
    const { world, deps, mine, addKey } = open()
    const caller = await addKey()
    const findKey = async () => caller.keyId
    const settlements = { ...deps.store.settlements, findKey }
    const settling = { ...deps, store: { ...deps.store, settlements } }
    const ask = async (amount: bigint, besides: bigint) => {
      const txHash = mine(usedLog(token, { from: payer, nonce }), pay(amount), pay(besides))
      const only = proofs.settled
      const answer = await claimQuota(settling, { caller, chainId, txHash, only })
      return answer.status === 'claimed' ? answer.quotes : answer.status
    }
    world.isFinal = false
    assert.is(await ask(1_000n, 100_000n), 10)
    assert.is(await ask(1_000n, 2n ** 51n * 100n), 10)
    assert.is(await ask(100_000n, 1_000n), 'not_final')
    world.isFinal = true
    assert.is(await ask(100_000n, 1_000n), 1_000)
  },
)
s('says what is the matter with a transaction [claims/refused]', async () => {
  const { world, deps, mine, addKey, claim } = open()
  const key = await addKey()
  const hash = mine(pay(100n))
  assert.is(await claim(key, toWord(9)), 'unknown_transaction')
  world.status = '0x0'
  assert.is(await claim(key, hash), 'reverted')
  world.isDown = true
  assert.is(await claim(key, hash), 'chain_unreachable')
  const elsewhere = { caller: key, chainId: 1, txHash: hash }
  assert.is((await claimQuota(deps, elsewhere)).status, 'unsupported_chain')
  const deep = { caller: key, chainId, txHash: hash, confirmations: 2 }
  Object.assign(world, { isDown: false, status: '0x1' })
  assert.equal(await claimQuota(deps, deep), { status: 'unconfirmed', confirmations: 1, needed: 2 })
})
s('answers the same again, however the hash is spelt [claims/again]', async () => {
  const { mine, addKey, claim } = open()
  const [key, other] = [await addKey(), await addKey()]
  const hash = mine(pay(1_000n))
  assert.is(await claim(key, hash), 10)
  assert.is(await claim(key, hash.toUpperCase().replace('X', 'x') as Hex), 10)
  assert.is(await claim(other, hash), 'belongs_to_another_key')
})
s('a bound purchase is its key’s alone [claims/whose]', async () => {
  const { store, mine, addKey, claim } = open()
  const [bound, payers, other] = [await addKey(), await addKey(payer), await addKey()]
  const idHash = (await store.keys.find(bound.keyId))?.idHash ?? '0x'
  const hash = mine(pay(1_000n), buy(idHash, 1_000n))
  for (const stranger of [payers, other])
    assert.is(await claim(stranger, hash), 'belongs_to_another_key')
  assert.is(await claim(bound, hash), 10)
})
s(
  'who has nothing of it takes nothing back of what its old block paid [claims/whose]',
  async () => {
    const { world, store, mine, addKey, claim } = open()
    const [ofPayer, stranger] = [await addKey(payer), await addKey(toAddress(77))]
    const hash = mine(pay(1_000n))
    assert.is(await claim(ofPayer, hash), 10)
    world.blockHash = toWord(101)
    assert.is(await claim(stranger, hash), 'belongs_to_another_key')
    assert.is((await store.ledger.balance(ofPayer.keyId)).total, 10)
  },
)
s('of several payments each key gets its own [claims/whose]', async () => {
  const { store, mine, addKey, claim } = open()
  const [bound, payers] = [await addKey(), await addKey(payer)]
  const idHash = (await store.keys.find(bound.keyId))?.idHash ?? '0x'
  const hash = mine(pay(700n), buy(idHash, 700n), pay(300n))
  assert.equal([await claim(payers, hash), await claim(bound, hash)], [3, 7])
})
s(
  'the first without a wallet has what neither payer nor sender may claim [claims/whose]',
  async () => {
    const { mine, addKey, claim } = open()
    const first = await addKey()
    const withWallet = await addKey(toAddress(77))
    const hash = mine(pay(1_000n))
    assert.is(await claim(withWallet, hash), 'belongs_to_another_key')
    assert.is(await claim(first, hash), 10)
    const later = mine(pay(1_000n))
    const ofSender = await addKey(sender)
    assert.is(await claim(first, later), 'belongs_to_another_key')
    assert.is(await claim(ofSender, later), 10)
    const last = mine(say(bundled), pay(1_000n))
    await addKey(payer)
    assert.is(await claim(first, last), 'belongs_to_another_key')
  },
)
s('who carries in what others have signed is no buyer [claims/carriers]', async () => {
  const { mine, addKey, claim } = open()
  const ofSender = await addKey(sender)
  const byAuthorization = [usedLog(token, { from: payer, nonce }), pay(1_000n)]
  assert.is(await claim(ofSender, mine(say(bundled), pay(1_000n))), 'belongs_to_another_key')
  assert.is(await claim(ofSender, mine(...byAuthorization)), 'belongs_to_another_key')
  // A Safe without a key is its owner's, who sends for it.
  assert.is(await claim(ofSender, mine(say(ofSafe), pay(1_000n))), 10)
  const ofPayer = await addKey(payer)
  assert.is(await claim(ofSender, mine(say(ofSafe), pay(1_000n))), 'belongs_to_another_key')
  assert.is(await claim(ofSender, mine(pay(1_000n))), 10)
  assert.is(await claim(ofPayer, mine(say(ofSafe), pay(1_000n))), 10)
})
s(
  'what a key had before a reorganisation it has after it, whoever came since [claims/held]',
  async () => {
    const { mine, addKey, claim } = open()
    const first = await addKey()
    await addKey(payer)
    const hash = mine(pay(1_000n))
    assert.is(await claim(first, hash), 'belongs_to_another_key')
    for (const proof of [proofs.first, proofs.sender]) {
      const held = new Map([[payer, proof]])
      assert.is(await claim(first, mine(pay(1_000n)), { held }), 10)
    }
  },
)
s(
  'nobody has after a reorganisation what another paid in the same transaction [attack/held-payer]',
  async () => {
    const { world, deps, mine, addKey, claim } = open()
    const [chain] = deps.chains
    if (!chain) throw new Error('there is no chain')
    const other = toAddress(5)
    const [ofSender, ofOther] = [await addKey(sender), await addKey(other)]
    const carried = [usedLog(token, { from: other, nonce }), pay(1_000n, other)]
    const hash = mine(pay(200n), ...carried)
    assert.is(await claim(ofSender, hash), 2)
    world.blockHash = toWord(101)
    await recheckPayments(deps, { chain })
    assert.is((await deps.store.ledger.balance(ofSender.keyId)).total, 2)
    assert.is(await claim(ofOther, hash), 10)
  },
)
s(
  'what one key spent is repaid by no other’s payment of the same transaction, whoever claims first [attack/repaid-by-others]',
  async () => {
    const { world, deps, store, mine, addKey, claim } = open()
    const [chain] = deps.chains
    if (!chain) throw new Error('there is no chain')
    const other = toAddress(5)
    const [first, second, ofOther] = [await addKey(), await addKey(), await addKey(other)]
    const bought = async ({ keyId }: typeof first) => {
      const key = await store.keys.find(keyId)
      return key ? [pay(1_000n), buy(key.idHash, 1_000n)] : []
    }
    const hash = mine(...(await bought(first)), ...(await bought(second)), pay(1_000n, other))
    const all = [first, second, ofOther]
    for (const key of all) {
      assert.is(await claim(key, hash), 10)
      await store.ledger.charge({ keyId: key.keyId, units: 10, ref: 'r', atMs: 1 })
      world.blockHash = toWord(101 + all.indexOf(key))
      for (const one of all.slice(0, all.indexOf(key) + 1).reverse())
        assert.is(await claim(one, hash), 10)
    }
    world.blockHash = toWord(200)
    await recheckPayments(deps, { chain })
    for (const { keyId } of all)
      assert.equal(await store.ledger.balance(keyId), { total: 10, used: 10, remaining: 0 })
  },
)
s(
  'of a transaction’s many payments one block is asked for, and none keeps another from its turn [attack/recheck-blocks]',
  async () => {
    const { world, asked, deps, store, mine, addKey, claim } = open()
    const [chain] = deps.chains
    if (!chain) throw new Error('there is no chain')
    const key = await addKey()
    world.isFinal = false
    const hashes = [mine(...Array.from({ length: 50 }, () => pay(100n))), mine(pay(100n))]
    for (const hash of hashes) await claim(key, hash)
    asked.length = 0
    await recheckPayments(deps, { chain })
    assert.is(asked.filter((call) => call === 'eth_getBlockByNumber 0x64').length, 1)
    const listed = await store.payments.listOpen({ chainId, maxBlock: 100n, limit: 2 })
    assert.equal(new Set(listed.map(({ txHash }) => txHash)), new Set(hashes))
  },
)
s('asks once whose wallet paid, however many payments it made [attack/claim-lookups]', async () => {
  const { deps, store, mine, addKey } = open()
  const caller = await addKey()
  let lookups = 0
  const isWallet: typeof store.keys.isWallet = (...wanted) => {
    lookups += 1
    return store.keys.isWallet(...wanted)
  }
  const counting = { ...deps, store: { ...store, keys: { ...store.keys, isWallet } } }
  const txHash = mine(...Array.from({ length: 500 }, () => pay(100n)))
  const answer = await claimQuota(counting, { caller, chainId, txHash })
  assert.is(answer.status === 'claimed' && answer.quotes, 500)
  assert.ok(lookups <= 2, String(lookups))
})
s.run()
