import {
  concat,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  maxUint256,
  multicall3Abi,
  numberToHex,
  pad,
  stringToBytes,
  toEventSelector,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { quotaManager } from '../../contracts/artifacts.ts'
import {
  createPerson,
  type Person,
  type StandChain,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/accessStand.ts'
import { waitForReceipt } from '../../fixtures/send.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { ChainClient } from '../chain/client.ts'
import { claimQuota } from './claimQuota.ts'
import { recheckPayments } from './recheckPayments.ts'

const s = suite('access/claimQuota')
/** What the provider between us and the chain makes of an answer; undefined: it is honest. */
let lie: ((method: string, answer: unknown) => unknown) | undefined
const wrapClient = (real: ChainClient): ChainClient => ({
  ...real,
  client: {
    ...real.client,
    request: (async (args: { method: string }) => {
      const answer = await real.client.request(args as never)
      return lie ? lie(args.method, answer) : answer
    }) as typeof real.client.request,
  },
})
const stand = await startAccessStand({ chainIds: [8453, 42161], wrapClient })
s.after(() => stand.close())
s.after.each(() => {
  lie = undefined
})
const base = stand.chain(8453)
const arbitrum = stand.chain(42161)

const claim = (key: string, tx_hash: string, chain_id = 8453) =>
  stand.call('/auth/quota/claim', { key, body: { chain_id, tx_hash } })
const balanceOf = async (key: string) =>
  (await stand.call('/auth/key-info', { key })).body['quota_remaining']
const pay = async (person: Person, amount = 1_000n, chain: StandChain = base) => {
  const { to, data } = transferUsdc(chain, chain.quotaManager, amount)
  return (await person.send(to, data)).transactionHash
}
const buy = (functionName: 'buyFor' | 'buyWithUSDC', args: readonly unknown[]) =>
  encodeFunctionData({ abi: quotaManager.abi, functionName, args } as never)
const approve = (person: Person, spender: `0x${string}`, chain: StandChain = base) =>
  person.send(
    chain.usdc,
    encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [spender, maxUint256],
    }),
  )
const mined = (hash: Hex) => waitForReceipt({ rpcUrl: base.world.rpcUrl, hash })
const newWallet = () => privateKeyToAccount(generatePrivateKey())

for (const chain of [base, arbitrum])
  s(
    `credits buyWithUSDC on ${chain.client.chainId}, and the same claim again credits nothing`,
    async () => {
      const person = await createPerson(chain)
      const key = await stand.register(person.account)
      await approve(person, chain.quotaManager, chain)
      const receipt = await person.send(chain.quotaManager, buy('buyWithUSDC', [12_345n]))
      const hash = receipt.transactionHash
      const answer = await claim(key, hash, chain.client.chainId)
      assert.equal(answer.body, {
        purchased_quotes: 123,
        quota_total: 123,
        quota_used: 0,
        quota_remaining: 123,
      })
      for (const spelling of [hash, `0x${hash.slice(2).toUpperCase()}`])
        assert.equal((await claim(key, spelling, chain.client.chainId)).body, answer.body)
    },
  )
s(
  'gives a plain transfer to the first key without a wallet that asks, and to no second',
  async () => {
    const hash = await pay(await createPerson(base))
    const [first, second] = [await stand.createKey('a'), await stand.createKey('b')]
    assert.is((await claim(first.apiKey, hash)).body['purchased_quotes'], 10)
    assert.is((await claim(second.apiKey, hash)).status, 403)
  },
)
s('makes a payer whole whose payment was claimed first by a stranger', async () => {
  const person = await createPerson(base)
  const hash = await pay(person)
  const thief = await stand.createKey('thief')
  assert.is((await claim(thief.apiKey, hash)).status, 200)
  const key = await stand.register(person.account)
  assert.is((await claim(key, hash)).body['purchased_quotes'], 10)
  assert.is(await balanceOf(thief.apiKey), 0)
  assert.is((await claim(thief.apiKey, hash)).status, 403)
})
s(
  'refuses strangers the payment of a registered wallet, with or without a wallet of their own',
  async () => {
    const person = await createPerson(base)
    await stand.register(person.account)
    const hash = await pay(person)
    assert.is((await claim((await stand.createKey('x')).apiKey, hash)).status, 403)
    assert.is((await claim(await stand.register(newWallet()), hash)).status, 403)
  },
)
s('credits a bound purchase to its key only', async () => {
  const person = await createPerson(base)
  const own = await stand.createKey('own')
  await approve(person, base.quotaManager)
  const keyId = keccak256(stringToBytes(own.id))
  const { transactionHash } = await person.send(base.quotaManager, buy('buyFor', [keyId, 7n]))
  const payerKey = await stand.register(person.account)
  assert.is((await claim(payerKey, transactionHash)).status, 403)
  assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 7)
})
s('knows a transaction on its own chain only', async () => {
  const hash = await pay(await createPerson(base))
  const { apiKey } = await stand.createKey('c')
  assert.is((await claim(apiKey, hash, 42161)).status, 404)
  assert.is((await claim(apiKey, hash, 1)).status, 400)
  assert.is((await claim(apiKey, keccak256('0x77'))).status, 404)
})
s('refuses other tokens, other receivers and dust', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('d')
  const patron = base.world.manifest.accounts[0]
  const usdt = base.world.manifest.tokens['USDT']
  if (!patron || !usdt) throw new Error('the world lacks USDT')
  await base.rpc('anvil_impersonateAccount', patron.address)
  const { data } = transferUsdc(base, base.quotaManager, 1_000n)
  const fake = (await base.rpc('eth_sendTransaction', {
    from: patron.address,
    to: usdt.address,
    data,
  })) as Hex
  await mined(fake)
  assert.match((await claim(apiKey, fake)).text, /paid nothing in the payment token/)
  const elsewhere = transferUsdc(base, base.world.manifest.treasury, 1_000n)
  const { transactionHash } = await person.send(elsewhere.to, elsewhere.data)
  assert.is((await claim(apiKey, transactionHash)).status, 400)
  const dust = await claim(apiKey, await pay(person, 99n))
  assert.match(dust.text, /less than one quote/)
})
s('believes events of the configured contracts only', async () => {
  const person = await createPerson(base)
  const { id, apiKey } = await stand.createKey('e')
  const hash = await person.send('0x0000000000000000000000000000000000000000', '0x')
  assert.is((await claim(apiKey, hash.transactionHash)).status, 400)
  const purchased = toEventSelector('QuotaPurchased(bytes32,address,uint256,uint256,bytes32)')
  const transferred = toEventSelector('Transfer(address,address,uint256)')
  const from = pad(person.account.address)
  const forged = await deploy(person, [
    emit([transferred, from, pad(base.quotaManager)], [numberToHex(10n ** 9n, { size: 32 })]),
    emit(
      [purchased, keccak256(stringToBytes(id)), from],
      [1_000n, 100_000n, 0n].map((word) => numberToHex(word, { size: 32 })),
    ),
  ])
  await mined(forged)
  assert.match((await claim(apiKey, forged)).text, /paid nothing/)
})
s('adds up several payments of one transaction through a router', async () => {
  const person = await createPerson(base)
  const key = await stand.register(person.account)
  const { multicall3 } = base.client.chain
  await approve(person, multicall3)
  const transfer = (amount: bigint) =>
    encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [person.account.address, base.quotaManager, amount],
    })
  const calls = [1_000n, 250n, 3_000n].map((amount) => ({
    target: base.usdc,
    allowFailure: false,
    callData: transfer(amount),
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const { transactionHash } = await person.send(multicall3, data)
  assert.is((await claim(key, transactionHash)).body['purchased_quotes'], 42)
})
s(
  'counts a bound and a plain payment of one transaction once each, for their own keys',
  async () => {
    const person = await createPerson(base)
    const own = await stand.createKey('bound')
    const { multicall3 } = base.client.chain
    // Multicall3 is the buyer here: it holds the tokens and approves the quota contract itself.
    const target = base.usdc
    const encode = (functionName: 'transfer' | 'approve', to: Hex, amount: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: [to, amount] })
    await person.send(target, encode('transfer', multicall3, 5_000n))
    const keyId = keccak256(stringToBytes(own.id))
    const calls = [
      { target, allowFailure: false, callData: encode('approve', base.quotaManager, 700n) },
      { target: base.quotaManager, allowFailure: false, callData: buy('buyFor', [keyId, 7n]) },
      { target, allowFailure: false, callData: encode('transfer', base.quotaManager, 2_000n) },
    ]
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    const { transactionHash } = await person.send(multicall3, data)
    const sender = await stand.register(person.account)
    assert.is((await claim(sender, transactionHash)).body['purchased_quotes'], 20)
    assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 7)
  },
)
s('refuses a reverted transaction and one whose payment reverted inside', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('f')
  const tooMuch = transferUsdc(base, base.quotaManager, 10n ** 15n)
  const reverted = await person.send(tooMuch.to, tooMuch.data)
  assert.is(reverted.status, 'reverted')
  assert.match((await claim(apiKey, reverted.transactionHash)).text, /reverted/)
  const { multicall3 } = base.client.chain
  const calls = [{ target: tooMuch.to, allowFailure: true, callData: tooMuch.data }]
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const swallowed = await person.send(multicall3, data)
  assert.is(swallowed.status, 'success')
  assert.match((await claim(apiKey, swallowed.transactionHash)).text, /paid nothing/)
})
s('answers 409 with Retry-After while a payment is pending', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('g')
  await base.rpc('evm_setAutomine', false)
  const { to, data } = transferUsdc(base, base.quotaManager, 1_000n)
  const hash = await person.broadcast(to, data)
  const answer = await claim(apiKey, hash)
  await base.rpc('evm_setAutomine', true)
  await base.rpc('evm_mine')
  assert.is(answer.status, 409, answer.text)
  assert.is(answer.headers.get('retry-after'), '2')
  assert.is((await claim(apiKey, hash)).status, 200)
})
s('credits exactly once when two keys claim 40 times at once', async () => {
  const person = await createPerson(base)
  const [a, b] = [await stand.createKey('race a'), await stand.createKey('race b')]
  const hash = await pay(person)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => claim(index % 2 === 0 ? a.apiKey : b.apiKey, hash)),
  )
  assert.is(answers.filter(({ status }) => status === 200).length, 20)
  assert.is(answers.filter(({ status }) => status === 403).length, 20)
  assert.is(Number(await balanceOf(a.apiKey)) + Number(await balanceOf(b.apiKey)), 10)
})
s('takes back what a reorg removed, and credits it again when it is mined again', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('reorg')
  const snapshot = await base.rpc('evm_snapshot')
  const hash = await pay(person)
  assert.is((await claim(apiKey, hash)).status, 200)
  const raw = (await base.rpc('eth_getRawTransactionByHash', hash)) as Hex
  await recheckPayments(stand.deps, { chain: base.client })
  assert.is(await balanceOf(apiKey), 10)
  await base.rpc('evm_revert', snapshot)
  await base.rpc('anvil_mine', '0x1')
  await recheckPayments(stand.deps, { chain: base.client })
  assert.is(await balanceOf(apiKey), 0)
  assert.is((await claim(apiKey, hash)).status, 404)
  await base.rpc('eth_sendRawTransaction', raw)
  await mined(hash)
  assert.is((await claim(apiKey, hash)).body['purchased_quotes'], 10)
  assert.is(await balanceOf(apiKey), 10)
})
s('marks a payment final and looks at it no more', async () => {
  const { apiKey } = await stand.createKey('final')
  const hash = await pay(await createPerson(base))
  await claim(apiKey, hash)
  await base.rpc('anvil_mine', '0x100')
  await recheckPayments(stand.deps, { chain: base.client })
  const open = await stand.store.payments.listOpen({
    chainId: 8453,
    maxBlock: 10n ** 12n,
    limit: 99,
  })
  assert.equal(open, [])
})
s(
  'waits for as many confirmations as configured, and for a final block where much is paid',
  async () => {
    const { id } = await stand.createKey('patient')
    const hash = await pay(await createPerson(base), 50_000n)
    const strict = (change: object) => ({
      ...stand.deps,
      config: {
        ...stand.deps.config,
        contracts: stand.deps.config.contracts.map((each) => ({ ...each, ...change })),
      },
    })
    const caller = { keyId: id, scopes: [] }
    const ask = (deps: typeof stand.deps) =>
      claimQuota(deps, { caller, chainId: 8453, txHash: hash })
    const three = strict({ confirmations: 3 })
    assert.equal(await ask(three), { status: 'unconfirmed', confirmations: 1, needed: 3 })
    await base.rpc('anvil_mine', '0x2')
    const large = strict({ finalizedFrom: 50_000n })
    assert.equal(await ask(large), { status: 'not_final' })
    assert.is((await ask(three)).status, 'claimed')
    await base.rpc('anvil_mine', '0x100')
    assert.is((await ask(large)).status, 'claimed')
  },
)
s('refuses a payment beyond what a balance can hold', async () => {
  const { id } = await stand.createKey('whale')
  const hash = await pay(await createPerson(base), 1_000n)
  const config = { ...stand.deps.config, amountPerQuote: 1n }
  lie = (method, answer) => (method === 'eth_getTransactionReceipt' ? inflate(answer) : answer)
  const caller = { keyId: id, scopes: [] }
  const deps = { ...stand.deps, config }
  const claimed = await claimQuota(deps, { caller, chainId: 8453, txHash: hash })
  assert.equal(claimed, { status: 'too_large' })
})
s('credits nothing on the word of a provider that lies by omission', async () => {
  const { apiKey } = await stand.createKey('liar')
  const hash = await pay(await createPerson(base))
  lie = (method, answer) => (method === 'eth_getTransactionReceipt' ? null : answer)
  assert.is((await claim(apiKey, hash)).status, 409)
  lie = (method) => (method.startsWith('eth_getTransaction') ? null : undefined)
  assert.is((await claim(apiKey, hash)).status, 404)
  lie = (method, answer) =>
    method === 'eth_getTransactionReceipt'
      ? { ...(answer as object), blockHash: keccak256('0x01') }
      : answer
  assert.is((await claim(apiKey, hash)).status, 409)
  lie = () => {
    throw new Error('connect ECONNREFUSED http://user:key@10.0.0.1')
  }
  const down = await claim(apiKey, hash)
  assert.is(down.status, 503)
  assert.not.match(down.text, /10\.0\.0\.1|user:key/)
  assert.is(await balanceOf(apiKey), 0)
})

/** The same receipt with 2^60 in every transfer. */
function inflate(answer: unknown) {
  const receipt = answer as { logs: object[] }
  const data = numberToHex(2n ** 60n, { size: 32 })
  return { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data })) }
}

/** Init code that logs: MSTORE each word, then LOGn over them. */
function emit(topics: readonly Hex[], words: readonly Hex[]): Hex {
  const stores = words.map((word, index) =>
    concat(['0x7f', word, '0x60', numberToHex(index * 32, { size: 1 }), '0x52']),
  )
  const pushes = topics.toReversed().map((topic) => concat(['0x7f', topic]))
  const size = concat(['0x60', numberToHex(words.length * 32, { size: 1 }), '0x5f'])
  return concat([...stores, ...pushes, size, numberToHex(0xa0 + topics.length, { size: 1 })])
}

async function deploy(person: Person, parts: readonly Hex[]): Promise<Hex> {
  const data = concat([...parts, '0x5f5ff3'])
  const { address } = person.account
  await base.rpc('anvil_impersonateAccount', address)
  return (await base.rpc('eth_sendTransaction', { from: address, data, gas: '0x100000' })) as Hex
}
s.run()
