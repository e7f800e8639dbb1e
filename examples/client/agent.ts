import { x402Client } from '@x402/core/client'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm'
import { wrapFetchWithPayment } from '@x402/fetch'
import { createClient, createLab, readManifest, registerWallet } from 'forkyard/client'
import { formatUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** An agent with USDC and nothing else: it registers by signature and pays for quotes as it goes (x402). */
const manifest = await readManifest(process.env['LAB_URL'])
const { tokens } = manifest.chains[8453]
const account = privateKeyToAccount(generatePrivateKey())
const { address } = account
await createLab(manifest).deal({
  chainId: 8453,
  token: tokens.USDC.address,
  to: address,
  amount: '1000000',
})

const signMessage = (message: string) => account.signMessage({ message })
const { api_key: apiKey, quota_remaining: free } = await registerWallet(createClient(manifest), {
  address,
  signMessage,
})
const payments: string[] = []
const pay = wrapFetchWithPayment(
  fetch,
  new x402Client().register('eip155:8453', new ExactEvmScheme(account)),
)
const { routing } = createClient({
  ...manifest,
  apiKey,
  fetch: async (input, init) => {
    const response = await pay(input, init)
    const paid = response.headers.get('payment-response')
    if (paid) payments.push(decodePaymentResponseHeader(paid).transaction)
    return response
  },
})
const order = {
  chain_id: 8453,
  token_in: tokens.WETH.address,
  token_out: tokens.USDC.address,
  amount_in: String(10n ** 18n),
  taker: address,
}
let quote = await routing.quote(order)
// What was free is used up first.
for (let left = free; left > 0; left--) quote = await routing.quote(order)
const output = formatUnits(BigInt(quote.output), tokens.USDC.decimals)
process.stdout.write(`paid by ${payments[0]}, and quoted ${output} USDC\n`)
