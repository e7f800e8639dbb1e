import { Type } from 'typebox'
import { toClaimRequest } from '../client/wire/requests.ts'
import { account, amounts, chainId, hash, token, tool } from './tool.ts'

/** The relay, and the quota of the key. */
export const serviceTools = [
  tool({
    name: 'relay_status',
    title: 'Whether the relay deploys proxies',
    description:
      'Of each chain: whether the relay pays for the deployment of proxies now, else why not, and what is left of its hour.',
    input: Type.Object({ chainId: Type.Optional(chainId) }),
    effect: 'reads',
    handle: async ({ client, book }, { chainId: id }) => {
      const intents = await client.relay.intents()
      return {
        chains: intents
          .filter((intent) => id === undefined || intent.chainId === id)
          .map(({ spendThisHourWei, maxSpendPerHourWei, relayerBalanceWei, ...intent }) => ({
            ...intent,
            spentThisHour: book.toWei(spendThisHourWei),
            mostPerHour: book.toWei(maxSpendPerHourWei),
            relayerBalance: relayerBalanceWei === null ? null : book.toWei(relayerBalanceWei),
          })),
      }
    },
  }),
  tool({
    name: 'relay_deploy',
    title: 'Deploy the proxy of an owner',
    description:
      "Sends a transaction: the relay pays for the deployment of the owner's execution proxy, whose owner is fixed for ever. The owner must hold the amount of the token, and some ETH.",
    input: Type.Object({
      chainId,
      owner: account('Who owns the proxy, permanently'),
      tokenIn: token('ERC-20 that the owner wants to sell'),
      ...amounts,
    }),
    effect: 'sends',
    handle: async ({ client, book }, { chainId: id, owner, tokenIn: name, ...given }) => {
      const tokenIn = book.find(id, name)
      const amountIn = String(book.toRaw(tokenIn, given))
      return client.relay.requestProxy({ chainId: id, owner, tokenIn: tokenIn.address, amountIn })
    },
  }),
  tool({
    name: 'quota',
    title: 'What is left on the key, and what more costs',
    description: 'Quota of the API key, the price of a quote, and the contracts that sell it.',
    input: Type.Object({}),
    effect: 'reads',
    handle: async ({ client, book }) => {
      const [key, pricing] = await Promise.all([client.access.keyInfo(), client.access.pricing()])
      const contracts = pricing.contracts.map((sale) => ({
        chainId: sale.chain_id,
        contract: sale.quota_contract,
        pricePerQuote: book.toAmount(
          book.find(sale.chain_id, sale.payment_token),
          sale.amount_per_quote,
        ),
        paymentToken: sale.payment_token,
      }))
      return {
        total: key.quota_total,
        used: key.quota_used,
        remaining: key.quota_remaining,
        keyId: key.key_id,
        wallet: key.wallet,
        status: key.status,
        contracts,
      }
    },
  }),
  tool({
    name: 'claim',
    title: 'Credit a payment to the key',
    description: 'Credits the quotes that a USDC payment to the quota contract has bought.',
    input: Type.Object({ chainId, txHash: hash('Of the payment') }),
    effect: 'credits',
    handle: async ({ client }, { chainId: id, txHash }) => {
      const claimed = await client.access.claim(toClaimRequest(id, txHash))
      return {
        purchased: claimed.purchased_quotes,
        total: claimed.quota_total,
        used: claimed.quota_used,
        remaining: claimed.quota_remaining,
      }
    },
  }),
]
