import { isHex, keccak256, toBytes, zeroHash } from 'viem'
import { isNative } from '../../chain/native.ts'
import {
  type Call,
  isAsked,
  readOptionalText,
  readText,
  toAddress,
  toAmount,
  toInteger,
  toOptionalAddress,
} from './call.ts'
import { cowOrderRoutes, spellCow, toCowChain } from './cowOrderRoutes.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import type { OnChain } from './facilitator.ts'
import { describeRefusal, invalid, type Refusal } from './refusal.ts'

/** How long an order of a quote would stand, where nobody says. */
const validitySecs = 1_800
const expirationMs = 120_000

function toValidTo({ body }: Call, nowSecs: number): number {
  if (body['validTo'] !== undefined) return toInteger(body, 'validTo')
  return nowSecs + (body['validFor'] === undefined ? validitySecs : toInteger(body, 'validFor'))
}

/** The price of an order, and the order to sign. */
const quote: EmulatedRoute = {
  method: 'post',
  path: '/:chain/api/v1/quote',
  async handle(trades, call) {
    const { body } = call
    const kind = readText(body, 'kind')
    if (kind !== 'sell' && kind !== 'buy') throw invalid('kind', 'must be sell or buy')
    const from = toAddress(body, 'from')
    const tokenIn = toAddress(body, 'sellToken')
    if (isNative(tokenIn)) throw invalid('sellToken', 'must be an ERC-20: orders sell no ether')
    const tokenOut = toAddress(body, 'buyToken')
    const field =
      kind === 'buy'
        ? 'buyAmountAfterFee'
        : body['sellAmountAfterFee'] === undefined
          ? 'sellAmountBeforeFee'
          : 'sellAmountAfterFee'
    const amount = toAmount(body, field)
    const chainId = toCowChain(trades, call)
    const trade = await trades.find({
      chainId,
      tokenIn,
      tokenOut,
      amount,
      side: kind,
      slippageBps: 0,
      recipient: toOptionalAddress(body, 'receiver') ?? from,
    })
    const appData = readOptionalText(body, 'appData') ?? zeroHash
    const nowMs = Date.now()
    return {
      body: {
        quote: {
          sellToken: spellCow(tokenIn),
          buyToken: spellCow(tokenOut),
          receiver: toOptionalAddress(body, 'receiver')?.toLowerCase() ?? null,
          sellAmount: trade.amountIn.toString(),
          buyAmount: (kind === 'buy' ? amount : trade.amountOut).toString(),
          validTo: toValidTo(call, Math.floor(nowMs / 1000)),
          appData,
          ...(!isHex(appData) && { appDataHash: keccak256(toBytes(appData)) }),
          feeAmount: '0',
          gasAmount: trade.gas.toString(),
          gasPrice: trade.gasPriceWei.toString(),
          kind,
          partiallyFillable: isAsked(body, 'partiallyFillable'),
          sellTokenBalance: 'erc20',
          buyTokenBalance: 'erc20',
          signingScheme: readOptionalText(body, 'signingScheme') ?? 'eip712',
        },
        from: from.toLowerCase(),
        expiration: new Date(nowMs + expirationMs).toISOString(),
        id: null,
        verified: true,
      },
    }
  },
}

const types: Readonly<Record<Refusal['kind'], readonly [status: number, errorType: string]>> = {
  invalid: [400, 'InvalidRequest'],
  unknown_chain: [404, 'NotFound'],
  unknown_token: [400, 'UnsupportedToken'],
  no_route: [404, 'NoLiquidity'],
  moved: [400, 'QuoteNotVerified'],
  funds: [400, 'InsufficientBalance'],
  unauthorized: [403, 'Forbidden'],
  rate_limited: [429, 'TooManyRequests'],
  not_found: [404, 'NotFound'],
  unavailable: [500, 'InternalServerError'],
}

function toError(refusal: Refusal): Answer {
  const [status, errorType] = types[refusal.kind]
  return { status, body: { errorType, description: describeRefusal(refusal) } }
}

/** CoW's order book: prices, and orders that are settled on the lab's chains. */
export const createCow = ({ onChain }: { readonly onChain: OnChain }): EmulatedProvider => ({
  name: 'cow',
  routes: [quote, ...cowOrderRoutes({ onChain })],
  toError,
})
