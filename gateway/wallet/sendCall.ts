import {
  type Address,
  type Chain,
  type Client,
  createClient,
  defineChain,
  type Hex,
  type HttpTransport,
  hexToBigInt,
  http,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { sendTransaction, signAuthorization } from 'viem/actions'

/** A transaction as pages ask for it. */
export type CallRequest = {
  readonly to?: Address | undefined
  readonly data?: Hex | undefined
  readonly value?: Hex | undefined
  readonly gas?: Hex | undefined
}

/** The node of a chain, with an account that signs for itself. */
export type Node = Client<HttpTransport, Chain, PrivateKeyAccount>

export function connectTo(
  account: PrivateKeyAccount,
  { chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string },
): Node {
  const chain = defineChain({
    id: chainId,
    name: `Chain ${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  return createClient({ account, chain, transport: http(rpcUrl), ccipRead: false })
}

/** Signs and sends; with `delegateTo` the account takes on that contract's code first (EIP-7702). */
export async function sendCall(
  node: Node,
  { to, data, value, gas }: CallRequest,
  { delegateTo }: { readonly delegateTo?: Address | undefined } = {},
): Promise<Hex> {
  const request = {
    to,
    data,
    ...(value !== undefined && { value: hexToBigInt(value) }),
    ...(gas !== undefined && { gas: hexToBigInt(gas) }),
  }
  if (delegateTo === undefined) return sendTransaction(node, request)
  const authorization = await signAuthorization(node, {
    contractAddress: delegateTo,
    executor: 'self',
  })
  return sendTransaction(node, { ...request, authorizationList: [authorization] })
}
