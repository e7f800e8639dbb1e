import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  parseAbi,
  serializeErc6492Signature,
  stringToBytes,
} from 'viem'
import { quotaManager } from '../../contracts/artifacts.ts'
import {
  createPerson,
  type Person,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/access/accessStand.ts'
import { createAttack } from '../../fixtures/access/claimAttacks.ts'
import { deployEntryPoint, deploySafes } from '../../fixtures/access/contractWallets.ts'
import { compileSource } from '../../fixtures/chains/compileSource.ts'
import { deployArtifact } from '../../fixtures/chains/deployArtifact.ts'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('access/wallets')
const attack = createAttack(s)
const stand = await startAccessStand({ chainIds: [8453, 42161] })
s.after(() => stand.close())
const base = stand.chain(8453)
const { usdc } = base
const arbitrum = stand.chain(42161)
const maker = await createPerson(base)
const predictSafe = await deploySafes(base, maker)
const predictThere = await deploySafes(arbitrum, await createPerson(arbitrum, maker.account))
/** One after the other: they are funded from one account. */
async function people(): Promise<readonly [Person, Person, Person]> {
  return [await createPerson(base), await createPerson(base), await createPerson(base)]
}

async function challenge(address: Address) {
  const { body } = await stand.call('/auth/challenge', { body: { address } })
  return { message: String(body['message']), nonce: String(body['nonce']) }
}
const register = (address: Address, nonce: string, signature: Hex) =>
  stand.call('/auth/register', { body: { address, nonce, signature } })
const claim = (key: string, tx_hash: Hex, chain_id = 8453) =>
  stand.call('/auth/quota/claim', { key, body: { chain_id, tx_hash } })

attack(
  'multisig',
  'a Safe registers (ERC-1271), and what its owners sign out of it is its own, whoever carries it in [access/erc1271]',
  async () => {
    const [owner, second, carrier] = await people()
    const safe = await predictSafe([owner.account, second.account])
    await owner.send(safe.deploy.to, safe.deploy.data)
    const { message, nonce } = await challenge(safe.address)
    const halfSigned = await owner.account.signMessage({ message })
    assert.is((await register(safe.address, nonce, halfSigned)).status, 400)
    const answer = await register(safe.address, nonce, await safe.signMessage(message))
    assert.is(answer.status, 200, answer.text)

    const fund = transferUsdc(base, safe.address, 5_000n)
    await owner.send(fund.to, fund.data)
    const carried = await safe.execute(transferUsdc(base, base.quotaManager, 5_000n))
    const { transactionHash } = await carrier.send(carried.to, carried.data)
    const carrierKey = await stand.register(carrier.account)
    assert.is((await claim(carrierKey, transactionHash)).status, 403)
    const key = String(answer.body['api_key'])
    assert.is((await claim(key, transactionHash)).body['purchased_quotes'], 50)
  },
)
// A Safe whose module anybody may call, and which pays by it.
const { ModuleWallet } = compileSource(`
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
interface Token { function transfer(address to, uint256 amount) external returns (bool); }
contract ModuleWallet {
  event ExecutionFromModuleSuccess(address indexed module);
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0x1626ba7e; }
  function pay(Token token, address to, uint256 amount) external {
    token.transfer(to, amount);
    emit ExecutionFromModuleSuccess(msg.sender);
  }
}`)
s('what a module of a Safe pays is no buy of who carried it in [access/module]', async () => {
  const [patron, carrier] = await people()
  const wallet = await deployArtifact(base.world.rpcUrl, { artifact: ModuleWallet })
  const fund = transferUsdc(base, wallet, 5_000n)
  await patron.send(fund.to, fund.data)
  const { nonce } = await challenge(wallet)
  const answer = await register(wallet, nonce, `0x${'11'.repeat(65)}`)
  assert.is(answer.status, 200)
  const data = encodeFunctionData({
    abi: parseAbi(['function pay(address token, address to, uint256 amount)']),
    functionName: 'pay',
    args: [usdc, base.quotaManager, 5_000n],
  })
  const { transactionHash } = await carrier.send(wallet, data)
  assert.is((await claim(await stand.register(carrier.account), transactionHash)).status, 403)
  const key = String(answer.body['api_key'])
  assert.is((await claim(key, transactionHash)).body['purchased_quotes'], 50)
})
s('refuses a signature of any other message: domain, chain, nonce, expiry, address', async () => {
  const { account } = await createPerson(base)
  const { address } = account
  const { body: given } = await stand.call('/auth/challenge', { body: { address } })
  const nonce = String(given['nonce'])
  const text = String(given['message'])
  const other = await createPerson(base)
  const expiry = new Date(Date.parse(String(given['expires_at'])) + 3_600_000).toISOString()
  const changed = {
    domain: text.replace('127.0.0.1 wants', 'evil.example wants'),
    uri: text.replace('URI: http://127.0.0.1', 'URI: https://evil.example'),
    chain: text.replace('Chain ID: 8453', 'Chain ID: 1'),
    nonce: text.replace(nonce, 'aaaaaaaaaaaaaaaa'),
    expiry: text.replace(String(given['expires_at']), expiry),
    address: text.replace(address, other.account.address),
    version: text.replace('Version: 1', 'Version: 2'),
  }
  for (const [part, message] of Object.entries(changed)) {
    assert.is.not(message, text, part)
    const signature = await account.signMessage({ message })
    const answer = await register(address, nonce, signature)
    assert.is(answer.status, 400, part)
  }
  const signature = await account.signMessage({ message: text })
  assert.is((await register(address, nonce, signature)).status, 200)
})
s('registers no wallet again whose key was revoked for abuse [18/abuse]', async () => {
  const { account } = await createPerson(base)
  await stand.register(account)
  const key = await stand.store.keys.findByWallet(account.address)
  await stand.store.keys.revoke({ id: key?.id ?? '', atMs: 1, abuse: 'burned gas' })
  const { message, nonce } = await challenge(account.address)
  const signature = await account.signMessage({ message })
  assert.is((await register(account.address, nonce, signature)).status, 403)
})
s('registers a Safe that is not deployed yet (ERC-6492) [access/erc6492]', async () => {
  const [owner, second, stranger] = await people()
  const safe = await predictSafe([owner.account, second.account])
  const other = await predictSafe([owner.account, stranger.account])
  const { message, nonce } = await challenge(safe.address)
  const { to: address, data } = safe.deploy
  const wrap = (signature: Hex) => serializeErc6492Signature({ address, data, signature })
  const forged = wrap(await other.signMessage(message))
  assert.is((await register(safe.address, nonce, forged)).status, 400)
  const answer = await register(safe.address, nonce, wrap(await safe.signMessage(message)))
  assert.is(answer.status, 200, answer.text)
  assert.is(await base.rpc('eth_getCode', safe.address, 'latest'), '0x')
})
s(
  "a Safe's former owner, who can still make it on another chain, gets neither its key nor what it pays [attack/former-owner]",
  async () => {
    const [former, heir, patron] = await people()
    const safe = await predictSafe([former.account])
    const there = await predictThere([former.account])
    const { address } = safe
    assert.is(there.address, address)
    await former.send(safe.deploy.to, safe.deploy.data)
    const first = '0x0000000000000000000000000000000000000001'
    const swapOwner = encodeFunctionData({
      abi: parseAbi(['function swapOwner(address prevOwner, address oldOwner, address newOwner)']),
      functionName: 'swapOwner',
      args: [first, former.account.address, heir.account.address],
    })
    const sale = await safe.execute({ to: address, data: swapOwner })
    await former.send(sale.to, sale.data)
    const sold = safe.ownedBy([heir.account])
    const key = await stand.register({
      address,
      signMessage: ({ message }) => sold.signMessage(message),
    })
    const { to, data: initCode } = there.deploy
    const sign = async (message: string) => {
      const signature = await there.signMessage(message)
      return serializeErc6492Signature({ address: to, data: initCode, signature })
    }
    const formers = await stand.register(
      { address, signMessage: ({ message }) => sign(message) },
      42161,
    )
    assert.is((await stand.call('/auth/key-info', { key })).status, 200)

    const fund = transferUsdc(base, address, 5_000n)
    await patron.send(fund.to, fund.data)
    const payment = transferUsdc(base, base.quotaManager, 5_000n)
    const carried = await sold.execute(payment)
    const { transactionHash } = await patron.send(carried.to, carried.data)
    assert.is((await claim(formers, transactionHash)).status, 403)
    assert.is((await claim(key, transactionHash)).body['purchased_quotes'], 50)
    // What it pays there is its own.
    const [rich, once] = [await createPerson(arbitrum), there.deploy]
    await rich.send(once.to, once.data)
    const given = transferUsdc(arbitrum, address, 5_000n)
    await rich.send(given.to, given.data)
    const paid = await there.execute(transferUsdc(arbitrum, arbitrum.quotaManager, 5_000n))
    const hash = (await rich.send(paid.to, paid.data)).transactionHash
    assert.is((await claim(key, hash, 42161)).status, 403)
    assert.is((await claim(formers, hash, 42161)).body['purchased_quotes'], 50)
  },
)
attack(
  'ERC-4337',
  'a smart account buys in a bundle that also deploys it; neither bundler nor owner can claim it [claims/bundle]',
  async () => {
    const [owner, bundler] = await people()
    const entryPoint = await deployEntryPoint(base, bundler)
    const sender = await entryPoint.accountOf(owner.account.address)
    const fund = transferUsdc(base, sender, 5_000n)
    await owner.send(fund.to, fund.data)
    const deposit = entryPoint.deposit(sender)
    await bundler.send(deposit.to, deposit.data, 10n ** 16n)
    const own = await stand.createKey('smart account')
    const approval = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [base.quotaManager, 4_000n],
    })
    const purchase = encodeFunctionData({
      abi: quotaManager.abi,
      functionName: 'buyFor',
      args: [keccak256(stringToBytes(own.id)), 40n],
    })
    const order = await entryPoint.bundle(owner.account, {
      sender,
      bundler: bundler.account.address,
      calls: [
        { to: usdc, data: approval },
        { to: base.quotaManager, data: purchase },
      ],
    })
    const { status, transactionHash } = await bundler.send(order.to, order.data)
    assert.is(status, 'success')
    assert.not.equal(await base.rpc('eth_getCode', sender, 'latest'), '0x')
    for (const { account } of [owner, bundler])
      assert.is((await claim(await stand.register(account), transactionHash)).status, 403)
    assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 40)
  },
)
/** A smart account pays in a registered bundler's transaction, by a plain transfer. */
async function payInBundle(amount: bigint) {
  const [owner, bundler] = await people()
  const entryPoint = await deployEntryPoint(base, bundler)
  const sender = await entryPoint.accountOf(owner.account.address)
  const fund = transferUsdc(base, sender, amount)
  await owner.send(fund.to, fund.data)
  const deposit = entryPoint.deposit(sender)
  await bundler.send(deposit.to, deposit.data, 10n ** 16n)
  const order = await entryPoint.bundle(owner.account, {
    sender,
    bundler: bundler.account.address,
    calls: [transferUsdc(base, base.quotaManager, amount)],
  })
  const { transactionHash } = await bundler.send(order.to, order.data)
  return { transactionHash, bundlerKey: await stand.register(bundler.account) }
}

attack(
  'ERC-4337',
  'a registered bundler takes nothing over from the buyer, and does not keep the buyer out [claims/bundler]',
  async () => {
    const { transactionHash, bundlerKey } = await payInBundle(4_000n)
    const buyer = await stand.createKey('buyer without a wallet')
    assert.is((await claim(bundlerKey, transactionHash)).status, 403)
    assert.is((await claim(buyer.apiKey, transactionHash)).body['purchased_quotes'], 40)
    assert.is((await claim(bundlerKey, transactionHash)).status, 403)
    assert.is((await claim(buyer.apiKey, transactionHash)).body['quota_remaining'], 40)
  },
)
s.run()
