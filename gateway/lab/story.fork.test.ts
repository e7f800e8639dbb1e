import {
  type Address,
  createClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseEther,
  parseUnits,
  stringToHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { quotaManager, userProxyFactoryV6 } from '../../contracts/artifacts.ts'
import { assert, suite } from '../../fixtures/test.ts'
import type { LabChainManifest } from './manifest.ts'
import { findTestLab } from './testing/testLab.ts'
import { createPerson } from './testing/testPerson.ts'

/**
 * The story of the product, as a wallet's developer lives it: over HTTP and real chains only.
 * A person registers by signature, buys quota on chain, claims it, asks for a quote, checks it against
 * a worse one, swaps; then lets the relay deploy a proxy and swaps through it.
 */
const lab = await findTestLab()
const manifest = lab.manifest()
const story = suite('story')
story.after(async () => {
  await lab.down()
})

type Json = Record<string, unknown>

async function call(url: string, { body, apiKey }: { body?: Json; apiKey?: string } = {}) {
  const response = await fetch(url, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    headers: {
      'content-type': 'application/json',
      ...(apiKey ? { 'x-api-key': apiKey } : {}),
    },
  })
  const answer = (await response.json()) as Json
  assert.is(response.status, 200, `${url}: ${JSON.stringify(answer)}`)
  return answer
}

const v2RouterAbi = [
  {
    type: 'function',
    name: 'swapExactTokensForTokens',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'amountIn', type: 'uint256' },
      { name: 'amountOutMin', type: 'uint256' },
      { name: 'path', type: 'address[]' },
      { name: 'to', type: 'address' },
      { name: 'deadline', type: 'uint256' },
    ],
    outputs: [{ name: 'amounts', type: 'uint256[]' }],
  },
] as const

function token(chain: LabChainManifest, symbol: string) {
  const found = chain.tokens[symbol]
  if (!found) throw new Error(`no ${symbol} in the manifest`)
  return found
}

/** The same swap through the Uniswap v2 pair alone: what a naive integration would send. */
function naiveCandidate(
  chain: LabChainManifest,
  { amountIn, taker }: { amountIn: bigint; taker: Address },
) {
  const router = chain.dexes.find((dex) => dex.name === 'uniswap-v2')?.router
  if (!router) throw new Error('no Uniswap v2 router in the manifest')
  const path = [token(chain, 'WETH').address, token(chain, 'USDC').address]
  const data = encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'swapExactTokensForTokens',
    args: [amountIn, 0n, path, taker, BigInt(Math.floor(Date.now() / 1000) + 600)],
  })
  return { target: router, data }
}

for (const [id, chain] of Object.entries(manifest.chains)) {
  const chainId = Number(id)
  const { routing, meta, relay } = manifest.services
  const usdc = token(chain, 'USDC')
  const weth = token(chain, 'WETH')

  story(
    `on chain ${id}: register, buy quota, claim, quote, compare, swap, then swap through a sponsored proxy [lab/story]`,
    async () => {
      const { rpcUrl } = chain
      // The same on every run: a fork pack holds the reads of this account, and of no other.
      const privateKey = keccak256(stringToHex(`somebody on chain ${chainId}`))
      const account = privateKeyToAccount(privateKey)
      const person = createPerson({ rpcUrl, address: account.address, privateKey })
      const patron = chain.accounts[1]
      if (!patron) throw new Error('no accounts in the manifest')
      const giver = createPerson({ rpcUrl, ...patron })
      await giver.send({ to: person.address, value: parseEther('2') })
      for (const [{ address, decimals }, amount] of [
        [usdc, '100'],
        [weth, '5'],
      ] as const)
        await giver.send({
          to: address,
          data: encodeFunctionData({
            abi: erc20Abi,
            functionName: 'transfer',
            args: [person.address, parseUnits(amount, decimals)],
          }),
        })

      // A key for a wallet's signature.
      const challenge = await call(`${routing}/auth/challenge`, {
        body: { address: person.address },
      })
      const signature = await account.signMessage({ message: String(challenge['message']) })
      const registration = await call(`${routing}/auth/register`, {
        body: { address: person.address, nonce: challenge['nonce'], signature },
      })
      const apiKey = String(registration['api_key'])

      // Quota for USDC, 0.0001 USDC a quote.
      const pricing = await call(`${routing}/auth/pricing`)
      assert.is(pricing['unit_price_usdc_6dec'], 100)
      await person.send({
        to: usdc.address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [chain.quotaManager, 500_000n],
        }),
      })
      const purchase = await person.send({
        to: chain.quotaManager,
        data: encodeFunctionData({
          abi: quotaManager.abi,
          functionName: 'buyWithUSDC',
          args: [500_000n],
        }),
      })
      const claim = await call(`${routing}/auth/quota/claim`, {
        apiKey,
        body: { chain_id: chainId, tx_hash: purchase },
      })
      assert.is(claim['purchased_quotes'], 5_000)
      assert.is(claim['quota_remaining'], Number(registration['quota_remaining']) + 5_000)

      // The best route, and the proof that it beats a naive one.
      const amountIn = parseEther('1')
      const quote = await call(`${routing}/quote`, {
        apiKey,
        body: {
          chain_id: chainId,
          token_in: weth.address,
          token_out: usdc.address,
          amount_in: String(amountIn),
          taker: person.address,
        },
      })
      const execution = quote['execution'] as {
        spender: Address
        target: Address
        calldata: Hex
        value: Hex
      }
      const naive = naiveCandidate(chain, { amountIn, taker: person.address })
      const candidate = {
        inputToken: weth.address,
        outputToken: usdc.address,
        inputAmount: String(amountIn),
        value: '0',
        quotedOutput: quote['output'],
      }
      const comparison = await call(`${routing}/compare/simulate`, {
        apiKey,
        body: {
          chainId,
          candidates: [
            {
              ...candidate,
              providerId: 'naive',
              target: naive.target,
              data: naive.data,
              approveTarget: naive.target,
            },
            {
              ...candidate,
              providerId: 'forkyard',
              target: execution.target,
              data: execution.calldata,
              approveTarget: execution.spender,
            },
          ],
        },
      })
      assert.is(comparison['winnerProviderId'], 'forkyard', JSON.stringify(comparison))

      // Sent as it is: the wallet gets `output` to the last unit.
      await person.send({
        to: weth.address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [execution.spender, amountIn],
        }),
      })
      const before = await person.balanceOf(usdc.address)
      await person.send({
        to: execution.target,
        data: execution.calldata,
        value: BigInt(execution.value),
      })
      assert.is((await person.balanceOf(usdc.address)) - before, BigInt(String(quote['output'])))

      // The same through a proxy whose deployment the relay pays for.
      const proxyAddress = await readContract(createClient({ transport: http(rpcUrl) }), {
        address: chain.proxyFactory,
        abi: userProxyFactoryV6.abi,
        functionName: 'predict',
        args: [person.address],
      })
      const metaQuote = await call(`${meta}/quote`, {
        body: {
          chainId,
          tokenIn: weth.address,
          tokenOut: usdc.address,
          amountIn: String(amountIn),
          taker: person.address,
          slippageBps: 50,
          dryRun: true,
          proxyAddress,
        },
      })
      const best = metaQuote['best'] as { provider: string; simulation: { status: string } }
      assert.is(best.simulation.status, 'success', JSON.stringify(metaQuote))
      const proxyTx = metaQuote['proxyTx'] as {
        to: Address
        data: Hex
        value: string
        minOut: string
      }
      assert.is(proxyTx.to, proxyAddress)

      const sponsored = await call(`${relay}/api/proxy`, {
        body: { chainId, owner: person.address, tokenIn: weth.address, amountIn: String(amountIn) },
      })
      assert.is(sponsored['proxy'], proxyAddress)
      await person.waitFor(sponsored['txHash'] as Hex)
      const again = await call(`${relay}/api/proxy`, {
        body: { chainId, owner: person.address, tokenIn: weth.address, amountIn: String(amountIn) },
      })
      assert.equal(again, { proxy: proxyAddress, existing: true })

      await person.send({
        to: weth.address,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: 'approve',
          args: [proxyAddress, amountIn],
        }),
      })
      const beforeProxy = await person.balanceOf(usdc.address)
      await person.send({ to: proxyTx.to, data: proxyTx.data, value: BigInt(proxyTx.value) })
      const gained = (await person.balanceOf(usdc.address)) - beforeProxy
      assert.ok(gained >= BigInt(proxyTx.minOut), `${gained} is below ${proxyTx.minOut}`)
    },
  )
}

story.run()
