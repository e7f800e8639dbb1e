import {
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
  stringToBytes,
} from 'viem'
import { readContract } from 'viem/actions'
import { quotaManager, swapExecutor } from '../../contracts/artifacts.ts'
import { createPerson, startAccessStand } from '../../fixtures/access/accessStand.ts'
import { assert, suite } from '../../fixtures/test.ts'
import { toViemChain } from '../chain/client.ts'
import { buyQuota } from '../commands/buyQuota.ts'

/** Every kind of purchase ends in a payment that can be claimed, on both chains. */
const s = suite('access/purchases')
const chainIds = [8453, 42161]
const stand = await startAccessStand({ chainIds })
s.after(() => stand.close())
const wethAbi = parseAbi(['function deposit() payable'])

for (const chainId of chainIds) {
  const chain = stand.chain(chainId)
  const { usdc } = chain
  const domain = {
    name: chain.client.chain.usdc.name,
    version: chain.client.chain.usdc.version,
    chainId,
    verifyingContract: usdc,
  }
  const claim = (key: string, tx_hash: Hex) =>
    stand.call('/auth/quota/claim', { key, body: { chain_id: chainId, tx_hash } })

  s(`${chainId}: credits a purchase by permit [claims/permit]`, async () => {
    const person = await createPerson(chain)
    const { address } = person.account
    const own = await stand.createKey('permit')
    const deadline = maxUint256
    const nonce = await readContract(chain.client.client, {
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
      message: { owner: address, spender: chain.quotaManager, value: 900n, nonce, deadline },
    })
    const { r, s: sig, yParity } = parseSignature(permit)
    const data = encodeFunctionData({
      abi: quotaManager.abi,
      functionName: 'buyForWithPermit',
      args: [keccak256(stringToBytes(own.id)), 9n, deadline, 27 + yParity, r, sig],
    })
    const { transactionHash } = await person.send(chain.quotaManager, data)
    assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 9)
  })
  s(
    `${chainId}: credits a purchase by authorization, whoever brings it to the chain, to the key it was signed for [claims/authorization]`,
    async () => {
      const person = await createPerson(chain)
      const carrier = await createPerson(chain)
      const own = await stand.createKey('authorization')
      const keyId = keccak256(stringToBytes(own.id))
      const salt = keccak256('0x5a17')
      const nonce = await readContract(chain.client.client, {
        address: chain.quotaManager,
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
        message: { from, to: chain.quotaManager, value: 1_100n, ...times, nonce },
      })
      const data = encodeFunctionData({
        abi: quotaManager.abi,
        functionName: 'buyForWithAuthorization',
        args: [keyId, 11n, { from, ...times, salt, signature }],
      })
      const { transactionHash } = await carrier.send(chain.quotaManager, data)
      const payerKey = await stand.register(person.account)
      assert.is((await claim(payerKey, transactionHash)).status, 403)
      assert.is((await claim(own.apiKey, transactionHash)).body['purchased_quotes'], 11)
    },
  )
  s(
    `${chainId}: credits a purchase with another token, swapped through the executor, to its payer [claims/other-token]`,
    async () => {
      const person = await createPerson(chain)
      const key = await stand.register(person.account)
      const { pools, tokens, executor } = chain.world.manifest
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
        args: [chain.quotaManager, amountIn],
      } as const
      await person.send(tokenIn, encodeFunctionData(approve))
      const data = encodeFunctionData({
        abi: quotaManager.abi,
        functionName: 'buyWithToken',
        args: [tokenIn, amountIn, 1_000_000n, swapData],
      })
      const receipt = await person.send(chain.quotaManager, data)
      assert.is(receipt.status, 'success')
      const [event] = parseEventLogs({
        abi: quotaManager.abi,
        eventName: 'QuotaPurchased',
        logs: receipt.logs,
      })
      const answer = await claim(key, receipt.transactionHash)
      assert.is(answer.body['purchased_quotes'], Number(event?.args.quotes))
      assert.ok(Number(answer.body['purchased_quotes']) > 10_000)
    },
  )
  s(`${chainId}: lets a person buy quota for a key with one command`, async () => {
    const person = await createPerson(chain)
    const own = await stand.createKey('buyer')
    const { rpcUrl } = chain.world
    const client = createClient({
      account: person.account,
      chain: toViemChain(chain.client.chain),
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
}
s.run()
