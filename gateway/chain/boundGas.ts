import { type Chain, type Client, numberToHex, type Transport } from 'viem'

type ChainClient = Client<Transport, Chain>
type Request = { readonly method: string; readonly params?: readonly unknown[] }

/** What wallets of the usual kinds need to be made and to check a passkey in Solidity, several times over. */
const mostGas = numberToHex(8_000_000)

/**
 * The same client, whose calls end at so much gas. A signature may bring code of a stranger's along that a node
 * runs to check it: up to the node's own bound that takes seconds, and whatever else is asked in its batch, as the
 * head, comes after it.
 */
export function boundGas(client: ChainClient): ChainClient {
  const bound = ({ method, params = [] }: Request): Request => {
    const [transaction, ...rest] = params
    if (method !== 'eth_call') return { method, params }
    return { method, params: [{ ...(transaction as object), gas: mostGas }, ...rest] }
  }
  const request = (call: Request, options?: object) => client.request(bound(call) as never, options)
  return { ...client, request: request as ChainClient['request'] }
}
