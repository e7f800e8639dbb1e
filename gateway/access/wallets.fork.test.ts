import {
  type Address,
  createClient,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  maxUint256,
  parseAbi,
  parseEventLogs,
  parseSignature,
  serializeErc6492Signature,
  stringToBytes,
} from 'viem'
import { readContract } from 'viem/actions'
import { quotaManager, swapExecutor } from '../../contracts/artifacts.ts'
import {
  createPerson,
  type Person,
  startAccessStand,
  transferUsdc,
} from '../../fixtures/accessStand.ts'
import { createAttack } from '../../fixtures/claimAttacks.ts'
import { deployEntryPoint, deploySafes } from '../../fixtures/contractWallets.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { toViemChain } from '../chain/client.ts'
import { buyQuota } from './buyQuota.ts'

const s = suite('access/wallets')
const attack = createAttack(s)
const stand = await startAccessStand({ chainIds: [8453] })
s.after(() => stand.close())
const base = stand.chain(8453)
const { usdc } = base
const wethAbi = parseAbi(['function deposit() payable'])
const domain = {
  name: base.client.chain.usdc.name,
  version: base.client.chain.usdc.version,
  chainId: 8453,
  verifyingContract: usdc,
}

const predictSafe = await deploySafes(base, await createPerson(base))
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
const claim = (key: string, tx_hash: Hex) =>
  stand.call('/auth/quota/claim', { key, body: { chain_id: 8453, tx_hash } })

attack(
  'multisig',
  'a Safe registers (ERC-1271), and what its owners sign out of it is its own, whoever carries it in',
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
s('registers a Safe that is not deployed yet (ERC-6492)', async () => {
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
attack(
  'ERC-4337',
  'a smart account buys in a bundle that also deploys it; neither bundler nor owner can claim it',
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
s('credits a purchase by permit', async () => {
  const person = await createPerson(base)
  const { address } = person.account
  const own = await stand.createKey('permit')
  const deadline = maxUint256
  const nonce = await readContract(base.client.client, {
    address: usdc,
    abi: parseAbi(['function nonces(address owner) view returns (uint256)']),
    functionName: 'nonces',
    args: [address],
  })
  const word = { type: 'uint256' } as const
  const permit = await person.account.signTypedData({
    domain,
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', ...word },
        { name: 'nonce', ...word },
        { name: 'deadline', ...word },
      ],
    },
    primaryType: 'Permit',
    message: { owner: address, spender: base.quotaManager, value: 900n, nonce, deadline },
  })
  const { r, s: sig, yParity } = parseSignature(permit)
  const data = encodeFunctionData({
    abi: quotaManager.abi,
    functionName: 'buyForWithPermit',
    args: [keccak256(stringToBytes(own.id)), 9n, deadline, 27 + yParity, r, sig],
  })
  const { transactionHash } = await person.send(base.quotaManager, data)
  assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 9)
})
s(
  'credits a purchase by authorization, whoever brings it to the chain, to the key it was signed for',
  async () => {
    const person = await createPerson(base)
    const carrier = await createPerson(base)
    const own = await stand.createKey('authorization')
    const keyId = keccak256(stringToBytes(own.id))
    const salt = keccak256('0x5a17')
    const nonce = await readContract(base.client.client, {
      address: base.quotaManager,
      abi: quotaManager.abi,
      functionName: 'authorizationNonce',
      args: [keyId, salt],
    })
    const from = person.account.address
    const times = { validAfter: 0n, validBefore: maxUint256 }
    const word = { type: 'uint256' } as const
    const signature = await person.account.signTypedData({
      domain,
      types: {
        ReceiveWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', ...word },
          { name: 'validAfter', ...word },
          { name: 'validBefore', ...word },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'ReceiveWithAuthorization',
      message: { from, to: base.quotaManager, value: 1_100n, ...times, nonce },
    })
    const data = encodeFunctionData({
      abi: quotaManager.abi,
      functionName: 'buyForWithAuthorization',
      args: [keyId, 11n, { from, ...times, salt, signature }],
    })
    const { transactionHash } = await carrier.send(base.quotaManager, data)
    const payerKey = await stand.register(person.account)
    assert.is((await claim(payerKey, transactionHash)).status, 403)
    assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 11)
  },
)
s('credits a purchase with another token, swapped through the executor, to its payer', async () => {
  const person = await createPerson(base)
  const key = await stand.register(person.account)
  const { pools, tokens, executor } = base.world.manifest
  const weth = tokens['WETH']
  const pool = pools.find(
    (each) => each.dex === 'uniswap-v2' && each.tokens.some((token) => token === usdc),
  )
  if (!weth || !pool?.tokens.includes(weth.address))
    throw new Error('the world has no WETH/USDC pair')
  const deadline = maxUint256
  const tokenIn = weth.address
  const share = 2n ** 64n
  const step = {
    kind: 0,
    pool: pool.address,
    tokenIn,
    tokenOut: usdc,
    share,
    data: encodeAbiParameters([{ type: 'uint256' }], [3_000n]),
  }
  const amountIn = 10n ** 15n
  const swap = {
    tokenIn,
    amountIn,
    tokenOut: usdc,
    minAmountOut: 0n,
    recipient: executor,
    deadline,
  }
  const swapData = encodeFunctionData({
    abi: swapExecutor.abi,
    functionName: 'swap',
    args: [swap, [step]],
  })
  await person.send(
    tokenIn,
    encodeFunctionData({ abi: wethAbi, functionName: 'deposit' }),
    amountIn,
  )
  const approve = {
    abi: erc20Abi,
    functionName: 'approve',
    args: [base.quotaManager, amountIn],
  } as const
  await person.send(tokenIn, encodeFunctionData(approve))
  const data = encodeFunctionData({
    abi: quotaManager.abi,
    functionName: 'buyWithToken',
    args: [tokenIn, amountIn, 1_000_000n, swapData],
  })
  const receipt = await person.send(base.quotaManager, data)
  assert.is(receipt.status, 'success')
  const [event] = parseEventLogs({
    abi: quotaManager.abi,
    eventName: 'QuotaPurchased',
    logs: receipt.logs,
  })
  const answer = await claim(key, receipt.transactionHash)
  assert.is(answer.body['purchased_quotes'], Number(event?.args.quotes))
  assert.ok(Number(answer.body['purchased_quotes']) > 10_000)
})
s('lets a person buy quota for a key with one command', async () => {
  const person = await createPerson(base)
  const own = await stand.createKey('buyer')
  const { rpcUrl } = base.world
  const client = createClient({
    account: person.account,
    chain: toViemChain(base.client.chain),
    transport: http(rpcUrl),
  })
  const steps: string[] = []
  const report = (step: string) => void steps.push(step)
  const deps = { serviceUrl: stand.url, apiKey: own.apiKey, client, report }
  const bought = await buyQuota(deps, { quotes: 25 })
  assert.equal([bought.quotes, bought.remaining], [25, 25])
  assert.is(steps.length, 3)
  const failure = await buyQuota(deps, { quotes: 10 ** 9 }).catch((error: Error) => error.message)
  assert.match(String(failure), /cost 100000000000 raw USDC and .* has/)
})
s.run()
