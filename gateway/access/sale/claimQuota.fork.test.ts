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
import { quotaManager } from '../../../contracts/artifacts.ts'
import {
  createPerson,
  type Person,
  type StandChain,
  startAccessStand,
  transferUsdc,
} from '../../../fixtures/access/accessStand.ts'
import { createAttack } from '../../../fixtures/access/claimAttacks.ts'
import { waitForReceipt } from '../../../fixtures/chains/send.ts'
import { assert, suite } from '../../../fixtures/test.ts'

const s = suite('access/claimQuota')
const attack = createAttack(s)
const stand = await startAccessStand({ chainIds: [8453, 42161] })
s.after(() => stand.close())
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
  attack(
    'replay',
    `credits buyWithUSDC on ${chain.client.chainId}, and the same claim again credits nothing [claims/replay]`,
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
attack(
  'front-running',
  'gives a plain transfer to the first key without a wallet that asks, and to no second [claims/plain-transfer]',
  async () => {
    const hash = await pay(await createPerson(base))
    const [first, second] = [await stand.createKey('a'), await stand.createKey('b')]
    assert.is((await claim(first.apiKey, hash)).body['purchased_quotes'], 10)
    assert.is((await claim(second.apiKey, hash)).status, 403)
  },
)
attack(
  'front-running',
  'makes a payer whole whose payment was claimed first by a stranger [claims/made-whole]',
  async () => {
    const person = await createPerson(base)
    const hash = await pay(person)
    const thief = await stand.createKey('thief')
    assert.is((await claim(thief.apiKey, hash)).status, 200)
    const key = await stand.register(person.account)
    assert.is((await claim(key, hash)).body['purchased_quotes'], 10)
    assert.is(await balanceOf(thief.apiKey), 0)
    assert.is((await claim(thief.apiKey, hash)).status, 403)
  },
)
/** One person's tokens in a transaction of another's. */
async function payThrough(payer: Person, sender: Person): Promise<Hex> {
  const { multicall3 } = base.client.chain
  await approve(payer, multicall3)
  const callData = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transferFrom',
    args: [payer.account.address, base.quotaManager, 1_000n],
  })
  const calls = [{ target: base.usdc, allowFailure: false, callData }]
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls],
  })
  return (await sender.send(multicall3, data)).transactionHash
}
attack(
  ['router', 'double count'],
  'credits a payment to its sender or its payer, whoever of the two claims first, never to both [claims/payer-or-sender]',
  async () => {
    const [payer, sender] = [await createPerson(base), await createPerson(base)]
    const hash = await payThrough(payer, sender)
    const senderKey = await stand.register(sender.account)
    assert.is((await claim(senderKey, hash)).body['purchased_quotes'], 10)
    const payerKey = await stand.register(payer.account)
    assert.is((await claim(payerKey, hash)).status, 403)
    assert.equal([await balanceOf(senderKey), await balanceOf(payerKey)], [10, 0])
  },
)
attack(
  ['router', 'payer with a key'],
  'credits the sender that claims first although the payer has a key: the two rank alike [claims/sender-beside-payer]',
  async () => {
    const [payer, sender] = [await createPerson(base), await createPerson(base)]
    const hash = await payThrough(payer, sender)
    const payerKey = await stand.register(payer.account)
    const senderKey = await stand.register(sender.account)
    assert.is((await claim(senderKey, hash)).body['purchased_quotes'], 10)
    assert.is((await claim(payerKey, hash)).status, 403)
    assert.equal([await balanceOf(senderKey), await balanceOf(payerKey)], [10, 0])
  },
)
attack(
  ['router', 'front-running'],
  "refuses strangers a payment whose payer or sender has a key, and strangers' wallets any [claims/stranger]",
  async () => {
    const strangersWallet = await stand.register(newWallet())
    const strangersKey = await stand.createKey('stranger')
    for (const whose of ['payer', 'sender'] as const) {
      const people = { payer: await createPerson(base), sender: await createPerson(base) }
      const hash = await payThrough(people.payer, people.sender)
      assert.is((await claim(strangersWallet, hash)).status, 403)
      await stand.register(people[whose].account)
      assert.is((await claim(strangersKey.apiKey, hash)).status, 403)
      assert.is((await claim(strangersWallet, hash)).status, 403)
    }
  },
)
attack(
  'payer with a key',
  'refuses strangers the payment of a registered wallet, with or without a wallet of their own [claims/registered-payer]',
  async () => {
    const person = await createPerson(base)
    await stand.register(person.account)
    const hash = await pay(person)
    assert.is((await claim((await stand.createKey('x')).apiKey, hash)).status, 403)
    assert.is((await claim(await stand.register(newWallet()), hash)).status, 403)
  },
)
attack('bound purchase', 'credits a bound purchase to its key only [claims/bound]', async () => {
  const person = await createPerson(base)
  const own = await stand.createKey('own')
  await approve(person, base.quotaManager)
  const keyId = keccak256(stringToBytes(own.id))
  const { transactionHash } = await person.send(base.quotaManager, buy('buyFor', [keyId, 7n]))
  const payerKey = await stand.register(person.account)
  assert.is((await claim(payerKey, transactionHash)).status, 403)
  assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 7)
})
attack(
  'other chain',
  'knows a transaction on its own chain only [claims/other-chain]',
  async () => {
    const hash = await pay(await createPerson(base))
    const { apiKey } = await stand.createKey('c')
    assert.is((await claim(apiKey, hash, 42161)).status, 404)
    assert.is((await claim(apiKey, hash, 1)).status, 400)
  },
)
attack('unknown', 'answers 404 for a hash that no chain knows [claims/unknown]', async () => {
  const { apiKey } = await stand.createKey('nothing')
  for (const chain of [base, arbitrum])
    assert.is((await claim(apiKey, keccak256('0x77'), chain.client.chainId)).status, 404)
})
attack('fake token', 'refuses a payment in another token [claims/fake-token]', async () => {
  const { apiKey } = await stand.createKey('fake token')
  const patron = base.world.manifest.accounts[0]
  const usdt = base.world.manifest.tokens['USDT']
  if (!patron || !usdt) throw new Error('the world lacks USDT')
  const { data } = transferUsdc(base, base.quotaManager, 1_000n)
  await base.rpc('anvil_impersonateAccount', patron.address)
  const order = { from: patron.address, to: usdt.address, data }
  const hash = (await base.rpc('eth_sendTransaction', order)) as Hex
  await mined(hash)
  assert.match((await claim(apiKey, hash)).text, /paid nothing in the payment token/)
})
attack(
  'other receiver',
  'refuses a payment to another contract [claims/other-receiver]',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('elsewhere')
    const elsewhere = transferUsdc(base, base.world.manifest.treasury, 1_000n)
    const { transactionHash } = await person.send(elsewhere.to, elsewhere.data)
    assert.is((await claim(apiKey, transactionHash)).status, 400)
  },
)
attack(
  'dust',
  'refuses payments worth less than a quote, and adds no two of them up [claims/dust]',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('dust')
    assert.match((await claim(apiKey, await pay(person, 99n))).text, /less than one quote/)
    assert.is((await claim(apiKey, await pay(person, 199n))).body['purchased_quotes'], 1)
  },
)
attack(
  'fake event',
  'believes events of the configured contracts only [claims/fake-event]',
  async () => {
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
  },
)
attack(
  ['batch', 'router'],
  'adds up several payments of one transaction through a router [claims/batch]',
  async () => {
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
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    const { transactionHash } = await person.send(multicall3, data)
    assert.is((await claim(key, transactionHash)).body['purchased_quotes'], 42)
  },
)
attack(
  'double count',
  'counts a bound and a plain payment of one transaction once each, for their own keys [claims/double-count]',
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
attack('reverted', 'refuses a reverted transaction [claims/reverted]', async () => {
  const person = await createPerson(base)
  const { apiKey } = await stand.createKey('f')
  const tooMuch = transferUsdc(base, base.quotaManager, 10n ** 15n)
  const reverted = await person.send(tooMuch.to, tooMuch.data)
  assert.is(reverted.status, 'reverted')
  assert.match((await claim(apiKey, reverted.transactionHash)).text, /reverted/)
})
attack(
  'inner revert',
  'refuses a transaction whose payment reverted inside [claims/inner-revert]',
  async () => {
    const person = await createPerson(base)
    const { apiKey } = await stand.createKey('h')
    const tooMuch = transferUsdc(base, base.quotaManager, 10n ** 15n)
    const { multicall3 } = base.client.chain
    const calls = [{ target: tooMuch.to, allowFailure: true, callData: tooMuch.data }]
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    const swallowed = await person.send(multicall3, data)
    assert.is(swallowed.status, 'success')
    assert.match((await claim(apiKey, swallowed.transactionHash)).text, /paid nothing/)
  },
)
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
