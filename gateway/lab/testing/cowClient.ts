import {
  COW_PROTOCOL_SETTLEMENT_CONTRACT_ADDRESS,
  COW_PROTOCOL_VAULT_RELAYER_ADDRESS,
  SupportedChainId,
} from '@cowprotocol/sdk-config'
import { ORDER_TYPE_FIELDS } from '@cowprotocol/sdk-contracts-ts'
import {
  OrderBookApi,
  OrderBookApiError,
  type OrderCreation,
  type OrderParameters,
  type OrderQuoteRequest,
  SigningScheme,
} from '@cowprotocol/sdk-order-book'
import { type Address, type Hex, keccak256, toBytes, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const chainId = SupportedChainId.BASE
/** What CoW's app writes into orders. */
const appData = JSON.stringify({ appCode: 'forkyard', metadata: {}, version: '1.3.0' })

/** CoW's own client, unmodified but for the base URL, with an account that signs as CoW's contracts have it. */
export function createCowClient({ base, privateKey }: { base: string; privateKey: Hex }) {
  const account = privateKeyToAccount(privateKey)
  const api = new OrderBookApi({ chainId, baseUrls: { [chainId]: base } as never })
  return {
    api,
    spender: COW_PROTOCOL_VAULT_RELAYER_ADDRESS[chainId] as Address,
    async quote(asked: Partial<OrderQuoteRequest>): Promise<OrderParameters> {
      const { address: from } = account
      const request = { from, receiver: from, appData, ...asked } as OrderQuoteRequest
      return (await api.getQuote(request)).quote
    },
    async sign(
      quote: OrderParameters,
      changed: Partial<OrderCreation> = {},
    ): Promise<OrderCreation> {
      const order = { ...quote, appData, feeAmount: '0', ...changed }
      const signature = await account.signTypedData({
        domain: {
          name: 'Gnosis Protocol',
          version: 'v2',
          chainId,
          verifyingContract: COW_PROTOCOL_SETTLEMENT_CONTRACT_ADDRESS[chainId] as Address,
        },
        types: { Order: ORDER_TYPE_FIELDS },
        primaryType: 'Order',
        message: {
          ...order,
          receiver: order.receiver ?? zeroAddress,
          appData: keccak256(toBytes(order.appData)),
        },
      })
      const { gasAmount: _, gasPrice: __, ...signed } = order
      return { ...signed, from: account.address, signature, signingScheme: SigningScheme.EIP712 }
    },
    /** The word by which it is refused. */
    refusalOf: (sent: Promise<unknown>) =>
      sent.then(
        () => 'taken',
        (error: unknown) => {
          if (!(error instanceof OrderBookApiError)) throw error
          return (error.body as { readonly errorType: string }).errorType
        },
      ),
  }
}
