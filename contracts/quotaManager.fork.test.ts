import {
  type ContractFunctionArgs,
  createClient,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  isAddressEqual,
  keccak256,
  maxUint256,
  parseAbi,
  parseEventLogs,
  parseSignature,
  stringToHex,
  type TransactionReceipt,
  zeroAddress,
  zeroHash,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { send } from '../fixtures/chains/send.ts'
import { assert, suite } from '../fixtures/test.ts'
import { startWorldChain } from '../fixtures/world.ts'
import { quotaManager, swapExecutor } from './artifacts.ts'

const s = suite('QuotaManager with the real FiatToken')
const chain = await startWorldChain({ chainId: 8453 })
s.after(() => chain.close())

const { rpcUrl, manifest } = chain
const manager = manifest.quotaManager
const usdc = manifest.tokens['USDC']?.address ?? zeroAddress
const weth = manifest.tokens['WETH']?.address ?? zeroAddress
const [payer, stranger] = manifest.accounts
if (!payer || !stranger) throw new Error('the world has no accounts')
const account = privateKeyToAccount(payer.privateKey)
const client = createClient({ transport: http(rpcUrl) })
const keyId = keccak256(stringToHex('the public id of a key'))
const pricePerQuote = 100n
const forever = 1n << 64n
const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: usdc } as const

type Purchase = 'buyWithToken' | 'buyForWithPermit' | 'buyForWithAuthorization'
function purchase<name extends Purchase>(
  functionName: name,
  args: ContractFunctionArgs<typeof quotaManager.abi, 'nonpayable' | 'payable', name>,
): Hex {
  return encodeFunctionData({ abi: quotaManager.abi, functionName, args } as never)
}
function buy(data: Hex, { privateKey = payer?.privateKey ?? '0x', value = 0n } = {}) {
  return send({ rpcUrl, privateKey }, { to: manager, data, value, gas: 2_000_000n })
}
function readPurchases({ logs }: TransactionReceipt) {
  return parseEventLogs({ abi: quotaManager.abi, eventName: 'QuotaPurchased', logs }).map(
    ({ args }) => args,
  )
}
const balanceOf = (token: Hex, owner: Hex) =>
  readContract(client, { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })

/** The payer's EIP-3009 signature over the nonce that names the key. */
async function authorize(quotes: bigint, salt: Hex) {
  const value = quotes * pricePerQuote
  const nonce = keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'address' }, { type: 'bytes32' }, { type: 'bytes32' }],
      [8453n, manager, keyId, salt],
    ),
  )
  const message = {
    from: account.address,
    to: manager,
    value,
    validAfter: 0n,
    validBefore: forever,
    nonce,
  }
  const signature = await account.signTypedData({
    domain,
    primaryType: 'ReceiveWithAuthorization',
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message,
  })
  const authorization = {
    from: account.address,
    validAfter: 0n,
    validBefore: forever,
    salt,
    signature,
  }
  return { authorization, nonce }
}

s('sells to a signature that a stranger submits, once, for its key only', async () => {
  const { authorization, nonce } = await authorize(250n, zeroHash)
  const args = [keyId, 250n, authorization] as const
  const before = await balanceOf(usdc, manager)

  const other = keccak256(stringToHex('another key'))
  const redirected = await buy(
    purchase('buyForWithAuthorization', [other, 250n, authorization]),
    stranger,
  )
  assert.is(redirected.status, 'reverted')

  const receipt = await buy(purchase('buyForWithAuthorization', args), stranger)
  assert.equal(readPurchases(receipt), [
    { keyId, payer: account.address, quotes: 250n, amount: 25_000n, ref: nonce },
  ])
  assert.is(await balanceOf(usdc, manager), before + 25_000n)

  const again = await buy(purchase('buyForWithAuthorization', args), stranger)
  assert.is(again.status, 'reverted')
})

s('sells to a permit, also when somebody else has used it up', async () => {
  const nonces = parseAbi(['function nonces(address) view returns (uint256)'])
  for (const frontRun of [false, true]) {
    const message = {
      owner: account.address,
      spender: manager,
      value: 1_000n,
      nonce: await readContract(client, {
        address: usdc,
        abi: nonces,
        functionName: 'nonces',
        args: [account.address],
      }),
      deadline: forever,
    }
    const signature = await account.signTypedData({
      domain,
      primaryType: 'Permit',
      types: {
        Permit: [
          { name: 'owner', type: 'address' },
          { name: 'spender', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      message,
    })
    const { r, s: half, yParity } = parseSignature(signature)
    const v = 27 + yParity
    if (frontRun) {
      const abi = parseAbi([
        'function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
      ])
      const args = [account.address, manager, 1_000n, forever, v, r, half] as const
      const data = encodeFunctionData({ abi, functionName: 'permit', args })
      assert.is(
        (await send({ rpcUrl, privateKey: stranger.privateKey }, { to: usdc, data })).status,
        'success',
      )
    }
    const receipt = await buy(purchase('buyForWithPermit', [keyId, 10n, forever, v, r, half]))
    assert.is(readPurchases(receipt)[0]?.quotes, 10n)
  }
})

s(
  'sells for native currency through a real Uniswap v3 pool, whoever the quote was for',
  async () => {
    const pool = manifest.pools.find(
      ({ dex, tokens: [a, b] }) =>
        dex === 'uniswap-v3' &&
        [a, b].some((token) => isAddressEqual(token, weth)) &&
        [a, b].some((token) => isAddressEqual(token, usdc)),
    )
    if (!pool) throw new Error('no WETH/USDC pool')
    const amountIn = 10n ** 15n
    const swapData = encodeFunctionData({
      abi: swapExecutor.abi,
      functionName: 'swap',
      args: [
        {
          tokenIn: zeroAddress,
          amountIn,
          tokenOut: usdc,
          minAmountOut: 0n,
          recipient: stranger.address,
          deadline: maxUint256,
        },
        [
          {
            kind: 1,
            pool: pool.address,
            tokenIn: weth,
            tokenOut: usdc,
            share: 1n << 64n,
            data: '0x',
          },
        ],
      ],
    })
    const before = await balanceOf(usdc, manager)
    const data = purchase('buyWithToken', [zeroAddress, amountIn, 1n, swapData])
    const receipt = await buy(data, { value: amountIn })
    const amount = (await balanceOf(usdc, manager)) - before
    assert.ok(amount > pricePerQuote)
    assert.equal(readPurchases(receipt), [
      {
        keyId: zeroHash,
        payer: account.address,
        quotes: amount / pricePerQuote,
        amount,
        ref: zeroHash,
      },
    ])
  },
)

s.run()
