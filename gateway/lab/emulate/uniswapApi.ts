import { encodeFunctionData, erc20Abi, maxUint256, toHex } from 'viem'
import { moreBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Fields,
  readText,
  toAddress,
  toAmount,
  toInteger,
  toObject,
  toOptionalAddress,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, invalid, type Refusal, Refused } from './refusal.ts'
import type { Trade, Trades } from './trades.ts'

const usualBps = 50
const spell = (address: string) => (isNative(address) ? nativeSpellings.zero : address)

function toSide(fields: Fields): 'sell' | 'buy' {
  const type = readText(fields, fields['tradeType'] === undefined ? 'type' : 'tradeType')
  if (type !== 'EXACT_INPUT' && type !== 'EXACT_OUTPUT')
    throw invalid('type', 'must be EXACT_INPUT or EXACT_OUTPUT')
  return type === 'EXACT_OUTPUT' ? 'buy' : 'sell'
}

function toChainId(trades: Trades, body: Fields): number {
  const chainId = readText(body, 'tokenInChainId')
  if (readText(body, 'tokenOutChainId') !== chainId)
    throw invalid('tokenOutChainId', 'must be the chain of tokenIn')
  return trades.toChainId('uniswap-api', chainId)
}

const toSlippage = (fields: Fields, field: string) =>
  toSlippageBps(fields, { field, unit: 'percent', fallbackBps: usualBps, mostBps: 10_000 })

const toFee = ({ gas, gasPriceWei }: Trade) => (gas * gasPriceWei).toString()

const quote: EmulatedRoute = {
  method: 'post',
  path: '/v1/quote',
  async handle(trades, { body, requestId }) {
    const side = toSide(body)
    const swapper = toAddress(body, 'swapper')
    const slippageBps = toSlippage(body, 'slippageTolerance')
    const chainId = toChainId(trades, body)
    const trade = await trades.find({
      chainId,
      tokenIn: toAddress(body, 'tokenIn'),
      tokenOut: toAddress(body, 'tokenOut'),
      amount: toAmount(body, 'amount'),
      side,
      // What is bought must arrive.
      slippageBps: side === 'buy' ? 0 : slippageBps,
      recipient: swapper,
    })
    const { amountIn, amountOut, minAmountOut, gas, gasPriceWei } = trade
    const bought = side === 'buy' ? toAmount(body, 'amount') : amountOut
    const usd = await trades.readUsd(chainId)
    const shown = {
      chainId,
      input: { amount: amountIn.toString(), token: spell(trade.tokenIn.address) },
      output: {
        amount: bought.toString(),
        token: spell(trade.tokenOut.address),
        recipient: swapper,
      },
      swapper,
      slippage: slippageBps / 100,
      tradeType: readText(body, 'type'),
      quoteId: requestId,
      gasFee: toFee(trade),
      gasFeeUSD: usd(nativeSpellings.zero, gas * gasPriceWei) ?? '0',
      gasUseEstimate: gas.toString(),
      gasPrice: gasPriceWei.toString(),
      priceImpact: trade.quote.priceImpactBps / 100,
      txFailureReasons: [],
      routeString: trade.quote.routePath,
      blockNumber: trade.quote.lastSyncBlock.toString(),
      aggregatedOutputs: [
        {
          token: spell(trade.tokenOut.address),
          amount: bought.toString(),
          recipient: swapper,
          bps: 10_000,
          minAmount: (side === 'buy' ? bought : minAmountOut).toString(),
        },
      ],
    }
    return {
      body: {
        requestId,
        routing: 'CLASSIC',
        quote: shown,
        permitData: null,
        permitTransaction: null,
      },
    }
  },
}

const swap: EmulatedRoute = {
  method: 'post',
  path: '/v1/swap',
  async handle(trades, { body, requestId }) {
    const given = toObject(body, 'quote')
    const [input, output] = [toObject(given, 'input'), toObject(given, 'output')]
    const side = toSide(given)
    const asked = toSlippage(given, 'slippage')
    const slippageBps = side === 'buy' ? 0 : asked
    const [first] = Array.isArray(given['aggregatedOutputs']) ? given['aggregatedOutputs'] : []
    const swapper = toAddress(given, 'swapper')
    const trade = await trades.find({
      chainId: toInteger(given, 'chainId'),
      tokenIn: toAddress(input, 'token'),
      tokenOut: toAddress(output, 'token'),
      amount: toAmount(side === 'buy' ? output : input, 'amount'),
      side,
      slippageBps,
      floor: toAmount(toObject({ aggregatedOutput: first }, 'aggregatedOutput'), 'minAmount'),
      recipient: toOptionalAddress(output, 'recipient') ?? swapper,
    })
    if (side === 'buy' && trade.amountIn > moreBps(toAmount(input, 'amount'), asked))
      throw new Refused({ kind: 'moved' })
    const { chain, execution, gas, gasPriceWei } = trade
    return {
      body: {
        requestId,
        swap: {
          to: execution.target,
          from: swapper,
          data: execution.data,
          value: toHex(execution.value),
          gasLimit: gas.toString(),
          gasPrice: gasPriceWei.toString(),
          chainId: chain.chainId,
        },
        gasFee: toFee(trade),
      },
    }
  },
}

const checkApproval: EmulatedRoute = {
  method: 'post',
  path: '/v1/check_approval',
  async handle(trades, { body, requestId }) {
    const chainId = trades.toChainId('uniswap-api', readText(body, 'chainId'))
    const [token, owner] = [toAddress(body, 'token'), toAddress(body, 'walletAddress')]
    const { allowance } = await trades.readFunds({ chainId, token, owner })
    const args = [trades.spenderOf(chainId), maxUint256] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
    const isApproved = allowance >= toAmount(body, 'amount')
    const approval = { to: token, from: owner, data, value: '0x00', chainId }
    return { body: { requestId, approval: isApproved ? null : approval, cancel: null } }
  },
}

const errors: Readonly<Record<Refusal['kind'], readonly [status: number, errorCode: string]>> = {
  invalid: [400, 'RequestValidationError'],
  unknown_chain: [400, 'RequestValidationError'],
  unknown_token: [400, 'RequestValidationError'],
  no_route: [404, 'ResourceNotFound'],
  moved: [404, 'QuoteExpired'],
  funds: [400, 'InsufficientFunds'],
  unauthorized: [401, 'UnauthorizedError'],
  rate_limited: [429, 'Ratelimited'],
  not_found: [404, 'ResourceNotFound'],
  unavailable: [500, 'InternalServerError'],
}

function toError(refusal: Refusal, requestId: string): Answer {
  const [status, errorCode] = errors[refusal.kind]
  const detail = refusal.kind === 'no_route' ? 'No quotes available' : describeRefusal(refusal)
  return { status, body: { errorCode, detail, id: requestId } }
}

/** Uniswap Trading API without Permit2, both sides: a quote, then its transaction. */
export const uniswapApi: EmulatedProvider = {
  name: 'uniswap-api',
  keyHeader: 'x-api-key',
  needsKey: true,
  routes: [quote, swap, checkApproval],
  toError,
}
