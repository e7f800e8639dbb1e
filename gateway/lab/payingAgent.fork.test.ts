import { x402Client } from '@x402/core/client'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { wrapFetchWithPayment } from '@x402/fetch'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseEther, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { assert, suite } from '../../fixtures/test.ts'
import { startTestLab } from './testing/testLab.ts'
import { createPerson } from './testing/testPerson.ts'

/**
 * An agent with USDC and nothing else: it registers by signature, asks for a quote, and lets the official
 * x402 client pay for it. Everything is what a lab runs: the gateway's process, real pools, real USDC.
 */
const lab = await startTestLab({ FREE_QUOTA: '0' })
const manifest = lab.manifest()
const { routing } = manifest.services
const s = suite('lab/payingAgent')
s.after(() => lab.down())

const post = (path: string, body: object, headers: object = {}) =>
  fetch(routing + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const json = async (response: Response) => (await response.json()) as Record<string, unknown>

for (const [id, { rpcUrl, accounts, tokens }] of Object.entries(manifest.chains))
  s(`lets the official client buy quota and receive a real quote on chain ${id}`, async () => {
    const [usdc, weth, patron] = [tokens['USDC'], tokens['WETH'], accounts[2]]
    if (!usdc || !weth || !patron) throw new Error('the lab lacks USDC, WETH or accounts')
    const account = privateKeyToAccount(generatePrivateKey())
    const giver = createPerson({ rpcUrl, ...patron })
    const args = [account.address, parseUnits('1', usdc.decimals)] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    await giver.send({ to: usdc.address as Address, data })

    const { message, nonce } = await json(
      await post('/auth/challenge', { address: account.address }),
    )
    const signature = await account.signMessage({ message: String(message) })
    const registration = { address: account.address, nonce, signature }
    const { api_key: apiKey } = await json(await post('/auth/register', registration))
    const headers = { 'x-api-key': String(apiKey) }
    const order = {
      chain_id: Number(id),
      token_in: weth.address,
      token_out: usdc.address,
      amount_in: parseEther('1').toString(),
      taker: account.address,
    }
    const unpaid = await post('/quote', order, headers)
    assert.is(unpaid.status, 402)
    assert.ok(unpaid.headers.has('payment-required'))
    await unpaid.body?.cancel()

    const client = new x402Client().register(`eip155:${Number(id)}`, new ExactEvmScheme(account))
    const answer = await wrapFetchWithPayment(fetch, client)(`${routing}/quote`, {
      method: 'POST',
      body: JSON.stringify(order),
      headers: { 'content-type': 'application/json', ...headers },
    })
    assert.is(answer.status, 200)
    const paid = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
    assert.ok(paid.success)
    assert.match(paid.transaction as Hex, /^0x[0-9a-f]{64}$/)
    const quote = await json(answer)
    assert.ok(BigInt(String(quote['output'])) > 0n)
    assert.ok((quote['execution'] as { calldata: string }).calldata.length > 10)
    const info = await json(await fetch(`${routing}/auth/key-info`, { headers }))
    assert.is(info['quota_remaining'], 999)
    const { accepts } = await json(await fetch(`${routing}/.well-known/x402`))
    assert.is((accepts as { scheme: string }[])[0]?.scheme, 'exact')
  })

s('names every resource that quota buys, at its address and price [lab/resources]', async () => {
  const { resources } = await json(await fetch(`${routing}/.well-known/x402`))
  assert.equal(resources, [
    { method: 'POST', url: `${routing}/quote`, units: 1 },
    { method: 'POST', url: `${routing}/quotes`, units: 1, per: 'quote' },
    {
      method: 'POST',
      url: `${routing}/quote_lp_disposal`,
      units: 1,
      per: 'leg that needs a swap',
    },
    { method: 'GET', url: `${routing}/quote_exact_output`, units: 16 },
    { method: 'POST', url: `${routing}/compare/simulate`, units: 1, per: 'candidate' },
  ])
})
s.run()
