import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { wholeBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Call,
  type Fields,
  isAsked,
  throwOnFees,
  toAddress,
  toAmount,
  toOptionalAddress,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, type Refusal } from './refusal.ts'
import { requireFunds, type Trade, type Trades } from './trades.ts'

const mostBps = 5_000
const chainOf = (trades: Trades, { params }: Call) =>
  trades.toChainId('1inch', params['chain'] ?? '')

function toOrder(trades: Trades, call: Call) {
  const { query } = call
  throwOnFees(query, ['fee'])
  return {
    chainId: chainOf(trades, call),
    tokenIn: toAddress(query, 'src'),
    tokenOut: toAddress(query, 'dst'),
    amount: toAmount(query, 'amount'),
  }
}

const spell = (address: string) =>
  isNative(address) ? nativeSpellings.eLower : address.toLowerCase()

/** What `includeTokensInfo`, `includeProtocols` and `includeGas` add. */
function toMore(query: Fields, { tokenIn, tokenOut, quote, gas }: Trade) {
  const toToken = ({ address, symbol, decimals }: Trade['tokenIn']) => ({
    address: spell(address),
    symbol,
    name: symbol,
    decimals,
    tags: ['tokens'],
  })
  const hops = quote.steps.map((step) => [
    {
      name: step.dex,
      part: step.shareBps / 100,
      fromTokenAddress: step.tokenIn.toLowerCase(),
      toTokenAddress: step.tokenOut.toLowerCase(),
    },
  ])
  return {
    ...(isAsked(query, 'includeTokensInfo') && {
      srcToken: toToken(tokenIn),
      dstToken: toToken(tokenOut),
    }),
    ...(isAsked(query, 'includeProtocols') && { protocols: [hops] }),
    ...(isAsked(query, 'includeGas') && { gas: Number(gas) }),
  }
}

/** `slippage` in percent, or `minReturn` itself. */
function toGuard(query: Fields) {
  if (query['minReturn'] !== undefined)
    return { slippageBps: Number(wholeBps), floor: toAmount(query, 'minReturn') }
  const unit = 'percent'
  return {
    slippageBps: toSlippageBps(query, { field: 'slippage', unit, fallbackBps: undefined, mostBps }),
  }
}

/** 6.1 does not answer without `origin`, the account that signs. */
const swap = ({ needsOrigin }: { readonly needsOrigin: boolean }): EmulatedRoute => ({
  method: 'get',
  path: '/:chain/swap',
  async handle(trades, call) {
    const { query } = call
    const from = toAddress(query, 'from')
    if (needsOrigin) toAddress(query, 'origin')
    const recipient = toOptionalAddress(query, 'receiver') ?? from
    const trade = await trades.find({ ...toOrder(trades, call), ...toGuard(query), recipient })
    const isChecked = !isAsked(query, 'disableEstimate')
    if (isChecked) await requireFunds(trades, { trade, owner: from })
    const { execution, gas, gasPriceWei, amountOut } = trade
    const { includeGas: _, ...shown } = query
    return {
      body: {
        dstAmount: amountOut.toString(),
        ...toMore(shown, trade),
        tx: {
          from: from.toLowerCase(),
          to: execution.target.toLowerCase(),
          data: execution.data,
          value: execution.value.toString(),
          gas: isChecked || isAsked(query, 'includeGas') ? Number(gas) : 0,
          gasPrice: gasPriceWei.toString(),
        },
      },
    }
  },
})

const quote: EmulatedRoute = {
  method: 'get',
  path: '/:chain/quote',
  async handle(trades, call) {
    const trade = await trades.find({ ...toOrder(trades, call), slippageBps: 0 })
    return { body: { dstAmount: trade.amountOut.toString(), ...toMore(call.query, trade) } }
  },
}

const spender: EmulatedRoute = {
  method: 'get',
  path: '/:chain/approve/spender',
  handle: async (trades, call) => ({
    body: { address: trades.spenderOf(chainOf(trades, call)).toLowerCase() },
  }),
}

const allowance: EmulatedRoute = {
  method: 'get',
  path: '/:chain/approve/allowance',
  async handle(trades, call) {
    const { allowance: allowed } = await trades.readFunds({
      chainId: chainOf(trades, call),
      token: toAddress(call.query, 'tokenAddress'),
      owner: toAddress(call.query, 'walletAddress'),
    })
    return { body: { allowance: allowed.toString() } }
  },
}

const approval: EmulatedRoute = {
  method: 'get',
  path: '/:chain/approve/transaction',
  async handle(trades, call) {
    const { query } = call
    const chainId = chainOf(trades, call)
    const amount = query['amount'] === undefined ? maxUint256 : toAmount(query, 'amount')
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [trades.spenderOf(chainId), amount],
    })
    const gasPrice = (await trades.readGasPrice(chainId)).toString()
    return { body: { data, gasPrice, to: toAddress(query, 'tokenAddress'), value: '0' } }
  },
}

const errorOf: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}

function toError(refusal: Refusal, requestId: string): Answer {
  const say = (
    statusCode: number,
    description: string,
    meta: readonly { readonly type: string; readonly value: string }[] = [],
    headers: Readonly<Record<string, string>> = {},
  ): Answer => ({
    status: statusCode,
    body: { error: errorOf[statusCode], description, statusCode, meta, requestId },
    headers,
  })
  switch (refusal.kind) {
    case 'no_route':
      return say(400, 'insufficient liquidity')
    case 'funds': {
      const { lack, actual, needed, token } = refusal
      const spent = { type: 'amount', value: needed.toString() }
      if (lack === 'balance')
        return say(400, `Not enough ${spell(token)} balance`, [
          spent,
          { type: 'balance', value: actual.toString() },
        ])
      const where = `Spender: ${refusal.spender.toLowerCase()}`
      const sentence = `Not enough allowance. Amount: ${needed}. Allowance: ${actual}. ${where}`
      return say(400, sentence, [spent, { type: 'allowance', value: actual.toString() }])
    }
    case 'unauthorized':
      return say(401, describeRefusal(refusal))
    case 'not_found':
      return say(404, describeRefusal(refusal))
    case 'rate_limited': {
      const after = { 'retry-after': String(refusal.retryAfterSecs) }
      return say(429, 'The limit of requests per second has been exceeded', [], after)
    }
    case 'unavailable':
      return say(500, describeRefusal(refusal))
    default:
      return say(400, describeRefusal(refusal))
  }
}

const below = (version: string, routes: readonly EmulatedRoute[]) =>
  routes.map((route) => ({ ...route, path: `/swap/${version}${route.path}` }))
const others = [quote, spender, allowance, approval]

/** 1inch classic swap 6.1, and 6.0, which clients still ask. */
export const oneInch: EmulatedProvider = {
  name: '1inch',
  keyHeader: 'authorization',
  needsKey: true,
  // The free plan.
  rates: { keyed: { unitsPerSec: 1, burst: 1 } },
  routes: [
    ...below('v6.1', [swap({ needsOrigin: true }), ...others]),
    ...below('v6.0', [swap({ needsOrigin: false }), ...others]),
  ],
  toError,
}
