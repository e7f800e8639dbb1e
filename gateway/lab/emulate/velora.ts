import { hash } from 'node:crypto'
import { lessBps, moreBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Fields,
  isAsked,
  joinSealed,
  readText,
  throwOnFees,
  toAddress,
  toAmount,
  toInteger,
  toObject,
  toOptionalAddress,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, invalid, type Refusal, Refused } from './refusal.ts'
import { type Order, requireFunds, type Trade, type Trades } from './trades.ts'

const fees = ['partnerFeeBps']
const spell = (address: string) => (isNative(address) ? nativeSpellings.e : address).toLowerCase()

function toSide(fields: Fields): 'sell' | 'buy' {
  const side = fields['side'] ?? 'SELL'
  if (side !== 'SELL' && side !== 'BUY') throw invalid('side', 'must be SELL or BUY')
  return side === 'BUY' ? 'buy' : 'sell'
}

/** Clients name it either way. */
const toChainId = (trades: Trades, query: Fields) =>
  trades.toChainId(
    'velora',
    readText(query, query['network'] === undefined ? 'chainId' : 'network'),
  )

const toSlippage = (fields: Fields, fallbackBps: number | undefined) =>
  toSlippageBps(fields, { field: 'slippage', unit: 'bps', fallbackBps, mostBps: 10_000 })

function toOrder(trades: Trades, query: Fields): Omit<Order, 'slippageBps'> {
  throwOnFees(query, fees)
  return {
    chainId: toChainId(trades, query),
    tokenIn: toAddress(query, 'srcToken'),
    tokenOut: toAddress(query, 'destToken'),
    amount: toAmount(query, 'amount'),
    side: toSide(query),
  }
}

const sealed = ['network', 'srcToken', 'destToken', 'srcAmount', 'destAmount', 'side']
const sealOf = (route: Fields) => hash('sha1', joinSealed(route, sealed))

async function toPriceRoute(trades: Trades, { trade, order }: { trade: Trade; order: Fields }) {
  const { chain, tokenIn, tokenOut, amountIn, amountOut, quote, gas, execution } = trade
  const usd = await trades.readUsd(chain.chainId)
  const isBuy = toSide(order) === 'buy'
  const route = {
    blockNumber: Number(quote.lastSyncBlock),
    network: chain.chainId,
    srcToken: spell(tokenIn.address),
    srcDecimals: tokenIn.decimals,
    srcAmount: amountIn.toString(),
    destToken: spell(tokenOut.address),
    destDecimals: tokenOut.decimals,
    destAmount: (isBuy ? toAmount(order, 'amount') : amountOut).toString(),
    bestRoute: [
      {
        percent: 100,
        swaps: quote.steps.map((step) => ({
          srcToken: step.tokenIn.toLowerCase(),
          srcDecimals: trades.toToken(chain.chainId, step.tokenIn).decimals,
          destToken: step.tokenOut.toLowerCase(),
          destDecimals: trades.toToken(chain.chainId, step.tokenOut).decimals,
          swapExchanges: [
            {
              exchange: step.dex,
              srcAmount: step.amountIn.toString(),
              destAmount: step.amountOut.toString(),
              percent: step.shareBps / 100,
              poolAddresses: [step.pool.toLowerCase()],
              data: {},
            },
          ],
        })),
      },
    ],
    gasCostUSD: usd(nativeSpellings.zero, gas * trade.gasPriceWei) ?? '0',
    gasCost: gas.toString(),
    side: isBuy ? 'BUY' : 'SELL',
    version: '6.2',
    contractAddress: execution.target.toLowerCase(),
    tokenTransferProxy: execution.spender.toLowerCase(),
    contractMethod: isBuy ? 'swapExactAmountOut' : 'swapExactAmountIn',
    partnerFee: 0,
    srcUSD: usd(tokenIn.address, amountIn) ?? null,
    destUSD: usd(tokenOut.address, amountOut) ?? null,
    partner: 'anon',
    maxImpactReached: false,
  }
  return { ...route, hmac: sealOf(route) }
}

const toTransaction = ({ chain, execution, gasPriceWei }: Trade, from: string) => ({
  from,
  to: execution.target.toLowerCase(),
  value: execution.value.toString(),
  data: execution.data,
  gasPrice: gasPriceWei.toString(),
  chainId: chain.chainId,
})

const prices: EmulatedRoute = {
  method: 'get',
  path: '/prices',
  async handle(trades, { query }) {
    // What is bought must arrive: the guard of a purchase is the amount itself.
    const trade = await trades.find({ ...toOrder(trades, query), slippageBps: 0 })
    return { body: { priceRoute: await toPriceRoute(trades, { trade, order: query }) } }
  },
}

const swap: EmulatedRoute = {
  method: 'get',
  path: '/swap',
  async handle(trades, { query }) {
    const order = toOrder(trades, query)
    const from = toAddress(query, 'userAddress')
    const asked = toSlippage(query, undefined)
    const slippageBps = order.side === 'buy' ? 0 : asked
    const recipient = toOptionalAddress(query, 'receiver') ?? from
    const trade = await trades.find({ ...order, slippageBps, recipient })
    const priceRoute = await toPriceRoute(trades, { trade, order: query })
    return { body: { priceRoute, txParams: toTransaction(trade, from) } }
  },
}

/** How far the price may have moved since: by `slippage`, or to the other amount. */
function toBounds(
  body: Fields,
  route: Fields,
): Pick<Order, 'slippageBps' | 'floor'> & { most: bigint } {
  const [srcAmount, destAmount] = [toAmount(route, 'srcAmount'), toAmount(route, 'destAmount')]
  if (toSide(route) === 'sell') {
    if (body['slippage'] === undefined)
      return { slippageBps: 10_000, floor: toAmount(body, 'destAmount'), most: srcAmount }
    const slippageBps = toSlippage(body, undefined)
    return { slippageBps, floor: lessBps(destAmount, slippageBps), most: srcAmount }
  }
  const most =
    body['slippage'] === undefined
      ? toAmount(body, 'srcAmount')
      : moreBps(srcAmount, toSlippage(body, undefined))
  return { slippageBps: 0, floor: destAmount, most }
}

const transactions: EmulatedRoute = {
  method: 'post',
  path: '/transactions/:network',
  async handle(trades, { params, query, body }) {
    throwOnFees(body, fees)
    const route = toObject(body, 'priceRoute')
    if (route['hmac'] !== sealOf(route)) throw invalid('priceRoute', 'was changed on its way')
    const from = toAddress(body, 'userAddress')
    const side = toSide(route)
    const { most, ...bounds } = toBounds(body, route)
    const trade = await trades.find({
      chainId: toChainId(trades, params),
      tokenIn: toAddress(route, 'srcToken'),
      tokenOut: toAddress(route, 'destToken'),
      amount: toAmount(route, side === 'buy' ? 'destAmount' : 'srcAmount'),
      side,
      ...bounds,
      recipient: toOptionalAddress(body, 'receiver') ?? from,
    })
    if (trade.amountIn > most) throw new Refused({ kind: 'moved' })
    if (!isAsked(query, 'ignoreChecks')) await requireFunds(trades, { trade, owner: from })
    const isUnmeasured = isAsked(query, 'ignoreChecks') || isAsked(query, 'ignoreGasEstimate')
    const gas = isUnmeasured ? {} : { gas: trade.gas.toString() }
    return { body: { ...toTransaction(trade, from), ...gas } }
  },
}

const contracts: EmulatedRoute = {
  method: 'get',
  path: '/adapters/contracts',
  async handle(trades, { query }) {
    const executor = trades.spenderOf(toChainId(trades, query))
    return {
      body: {
        AugustusSwapper: executor,
        TokenTransferProxy: executor,
        AugustusRFQ: nativeSpellings.zero,
        Executors: {},
      },
    }
  },
}

const tokens: EmulatedRoute = {
  method: 'get',
  path: '/tokens/:network',
  handle: async (trades, { params }) => ({
    body: {
      tokens: trades.tokens(toInteger(params, 'network')).map(({ address, decimals, symbol }) => ({
        symbol,
        address: spell(address),
        decimals,
        network: toInteger(params, 'network'),
      })),
    },
  }),
}

const statuses: Partial<Readonly<Record<Refusal['kind'], number>>> = {
  not_found: 404,
  no_route: 404,
  rate_limited: 429,
  unavailable: 503,
}

function toSentence(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'no_route':
      return 'No routes found with enough liquidity'
    case 'invalid':
      return `Validation failed: ${describeRefusal(refusal)}`
    case 'moved':
      return 'The rate has changed, please re-query the latest Price'
    case 'funds': {
      const { lack, token, spender } = refusal
      if (lack === 'balance') return `Not enough ${spell(token)} balance`
      return `Not enough ${spell(token)} allowance given to TokenTransferProxy(${spender})`
    }
    default:
      return describeRefusal(refusal)
  }
}

const toError = (refusal: Refusal): Answer => ({
  status: statuses[refusal.kind] ?? 400,
  body: { error: toSentence(refusal) },
})

/** Velora (ParaSwap) 6.2, both sides: a purchase sells what is needed for at least what was asked. */
export const velora: EmulatedProvider = {
  name: 'velora',
  routes: [prices, swap, transactions, contracts, tokens],
  toError,
}
