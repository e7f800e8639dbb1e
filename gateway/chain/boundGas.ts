import { type Chain, type Client, numberToHex, type Transport } from 'viem'

type ChainClient = Client<Transport, Chain>
type Request = { readonly method: string; readonly params?: readonly unknown[] }

/** What wallets of the usual kinds need to be made and to check a passkey in Solidity, several times over. */
const usualMost = 8_000_000n
/** They end at a node's own bound otherwise. */
const runs: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/**
 * The same client, whose calls end at so much gas. A signature may bring code of a stranger's along, or name some
 * that stands, which a node runs to check it: up to the node's own bound that takes seconds, and whatever else is
 * asked in its batch, as the head, comes after it.
 */
export function boundGas(client: ChainClient, most: bigint = usualMost): ChainClient {
  const gas = numberToHex(most)
  const bound = ({ method, params = [] }: Request): Request => {
    const [transaction, ...rest] = params
    if (!runs.has(method)) return { method, params }
    return { method, params: [{ ...(transaction as object), gas }, ...rest] }
  }
  const request = (call: Request, options?: object) => client.request(bound(call) as never, options)
  return { ...client, request: request as ChainClient['request'] }
}
