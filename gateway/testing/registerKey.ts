import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** A key of its own, got as every wallet gets one: for a signature. */
export async function registerKey({ routing }: { readonly routing: string }): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  const { message, nonce } = await post(`${routing}/auth/challenge`, { address })
  const signature = await account.signMessage({ message: String(message) })
  const registered = await post(`${routing}/auth/register`, { address, nonce, signature })
  return String(registered['api_key'])
}

async function post(url: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  // Our own gateway's answer, of the documented shape.
  return (await answer.json()) as Readonly<Record<string, unknown>>
}
