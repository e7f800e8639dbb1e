import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm'
import { privateKeyToAccount } from 'viem/accounts'
import type { LabManifest } from '../manifest.ts'

/** Quota for the lab's key that is bought, settled and credited once, by the official x402 client. */
export async function payOnce({
  services: { routing },
  apiKey,
  chains,
}: LabManifest): Promise<void> {
  const [id = '', chain] = Object.entries(chains)[0] ?? []
  const buyer = chain?.accounts[2]
  if (!buyer) throw new Error('the lab has no account that could pay')
  const scheme = new ExactEvmScheme(privateKeyToAccount(buyer.privateKey))
  const client = new x402Client().register(`eip155:${Number(id)}`, scheme)
  const offers = await fetch(`${routing}/.well-known/x402`)
  const paymentPayload = await client.createPaymentPayload(
    // Discovery has what a 402 has, but for the one resource that was asked for.
    (await offers.json()) as Parameters<typeof client.createPaymentPayload>[0],
  )
  const settled = await fetch(`${routing}/x402/settle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ x402Version: 2, paymentPayload }),
  })
  if (!settled.ok) throw new Error(`the payment was not settled: ${await settled.text()}`)
}
