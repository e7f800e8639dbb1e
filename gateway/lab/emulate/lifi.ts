import { randomUUID } from 'node:crypto'
import { parseUnits, toHex, zeroAddress } from 'viem'
import { wholeBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import {
  type Fields,
  readOptionalText,
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
import { describeRefusal, type Refusal, Refused } from './refusal.ts'
import type { Order, ToUsd, Trade, Trades } from './trades.ts'

const usualBps = 50
const spell = (address: string) => (isNative(address) ? zeroAddress : address)
const tool = { key: 'forkyard', name: 'Forkyard', logoURI: '' }

function toToken(chainId: number, { address, symbol, decimals }: Trade['tokenIn'], usd: ToUsd) {
  const priceUSD = usd(address, parseUnits('1', decimals)) ?? '0'
  const names = { symbol, name: symbol, coinKey: symbol }
  return { address: spell(address), chainId, ...names, decimals, logoURI: '', priceUSD }
}

const toSlippage = (fields: Fields) =>
  toSlippageBps(fields, {
    field: 'slippage',
    unit: 'fraction',
    fallbackBps: usualBps,
    mostBps: Number(wholeBps),
  })

const toIntegrator = (fields: Fields) => readOptionalText(fields, 'integrator') ?? 'lifi-api'

/** A lab has no bridge: both ends are one chain. */
function toChainId(trades: Trades, fields: Fields, names: readonly [string, string]): number {
  const [from, to] = names.map((name) => trades.toChainId('lifi', readText(fields, name)))
  if (from === undefined || from !== to) throw new Refused({ kind: 'no_route' })
  return from
}

function toCosts(trade: Trade, usd: ToUsd) {
  const { chain, gas, gasPriceWei } = trade
  const native = { address: zeroAddress, symbol: 'ETH', decimals: 18 }
  const amount = gas * gasPriceWei
  return [
    {
      type: 'SEND',
      price: gasPriceWei.toString(),
      estimate: gas.toString(),
      limit: gas.toString(),
      amount: amount.toString(),
      amountUSD: usd(zeroAddress, amount) ?? '0',
      token: toToken(chain.chainId, native, usd),
    },
  ]
}

type Asked = { readonly order: Order; readonly integrator: string; readonly from: string }

/** A step without its transaction, as routes list them. */
async function toStep(trades: Trades, { trade, asked }: { trade: Trade; asked: Asked }) {
  const { order, from, integrator } = asked
  const { chain, amountIn, amountOut, minAmountOut, execution } = trade
  const { chainId } = chain
  const usd = await trades.readUsd(chainId)
  const action = {
    fromChainId: chainId,
    fromAmount: amountIn.toString(),
    fromToken: toToken(chainId, trade.tokenIn, usd),
    toChainId: chainId,
    toToken: toToken(chainId, trade.tokenOut, usd),
    slippage: order.slippageBps / Number(wholeBps),
    fromAddress: from,
    toAddress: order.recipient,
  }
  const estimate = {
    tool: tool.key,
    approvalAddress: execution.spender,
    fromAmount: amountIn.toString(),
    toAmount: amountOut.toString(),
    toAmountMin: minAmountOut.toString(),
    fromAmountUSD: usd(trade.tokenIn.address, amountIn) ?? '0',
    toAmountUSD: usd(trade.tokenOut.address, amountOut) ?? '0',
    gasCosts: toCosts(trade, usd),
    feeCosts: [],
    executionDuration: 0,
  }
  const shared = { tool: tool.key, toolDetails: tool, action, estimate }
  return {
    type: 'lifi',
    id: randomUUID(),
    ...shared,
    includedSteps: [{ id: randomUUID(), type: 'swap', ...shared }],
    integrator,
  }
}

const toTransaction = ({ chain, execution, gas, gasPriceWei }: Trade, from: string) => ({
  value: toHex(execution.value),
  to: execution.target,
  data: execution.data,
  chainId: chain.chainId,
  gasPrice: toHex(gasPriceWei),
  gasLimit: toHex(gas),
  from,
})

function toAsked(
  trades: Trades,
  { query, side, amount }: { query: Fields; side: 'sell' | 'buy'; amount: bigint },
): Asked {
  throwOnFees(query, ['fee'])
  const from = toAddress(query, 'fromAddress')
  const order = {
    chainId: toChainId(trades, query, ['fromChain', 'toChain']),
    tokenIn: toAddress(query, 'fromToken'),
    tokenOut: toAddress(query, 'toToken'),
    amount,
    side,
    slippageBps: toSlippage(query),
    recipient: toOptionalAddress(query, 'toAddress') ?? from,
  }
  return { order, from, integrator: toIntegrator(query) }
}

const quote = (
  path: string,
  { side, field }: { readonly side: 'sell' | 'buy'; readonly field: string },
): EmulatedRoute => ({
  method: 'get',
  path,
  async handle(trades, { query }) {
    const asked = toAsked(trades, { query, side, amount: toAmount(query, field) })
    const trade = await trades.find(asked.order)
    const step = await toStep(trades, { trade, asked })
    return { body: { ...step, transactionRequest: toTransaction(trade, asked.from) } }
  },
})

/** What a step of `/advanced/routes` says becomes a transaction that guarantees its minimum. */
const stepTransaction: EmulatedRoute = {
  method: 'post',
  path: '/v1/advanced/stepTransaction',
  async handle(trades, { body }) {
    const action = toObject(body, 'action')
    const [tokenIn, tokenOut] = [toObject(action, 'fromToken'), toObject(action, 'toToken')]
    const from = toAddress(action, 'fromAddress')
    const order: Order = {
      chainId: toChainId(trades, action, ['fromChainId', 'toChainId']),
      tokenIn: toAddress(tokenIn, 'address'),
      tokenOut: toAddress(tokenOut, 'address'),
      amount: toAmount(action, 'fromAmount'),
      slippageBps: toSlippage(action),
      floor: toAmount(toObject(body, 'estimate'), 'toAmountMin'),
      recipient: toOptionalAddress(action, 'toAddress') ?? from,
    }
    const trade = await trades.find(order)
    const asked = { order, from, integrator: toIntegrator(body) }
    const step = await toStep(trades, { trade, asked })
    const id = readOptionalText(body, 'id') ?? step.id
    return { body: { ...step, id, transactionRequest: toTransaction(trade, from) } }
  },
}

const routes: EmulatedRoute = {
  method: 'post',
  path: '/v1/advanced/routes',
  async handle(trades, { body }) {
    const options = body['options'] === undefined ? {} : toObject(body, 'options')
    throwOnFees(options, ['fee'])
    const tokenIn = toAddress(body, 'fromTokenAddress')
    const from = toOptionalAddress(body, 'fromAddress') ?? zeroAddress
    const order = {
      chainId: toChainId(trades, body, ['fromChainId', 'toChainId']),
      tokenIn,
      tokenOut: toAddress(body, 'toTokenAddress'),
      amount: toAmount(body, 'fromAmount'),
      slippageBps: toSlippage(options),
      recipient: toOptionalAddress(body, 'toAddress') ?? from,
    }
    const integrator = toIntegrator(options)
    const trade = await trades.find(order)
    const asked = { order, from, integrator }
    const step = await toStep(trades, { trade, asked })
    const { action, estimate } = step
    const route = {
      id: randomUUID(),
      fromChainId: action.fromChainId,
      fromAmount: action.fromAmount,
      fromAmountUSD: estimate.fromAmountUSD,
      fromToken: action.fromToken,
      fromAddress: from,
      toChainId: action.toChainId,
      toAmount: estimate.toAmount,
      toAmountMin: estimate.toAmountMin,
      toAmountUSD: estimate.toAmountUSD,
      toToken: action.toToken,
      toAddress: order.recipient,
      gasCostUSD: estimate.gasCosts[0]?.amountUSD,
      steps: [step],
      tags: ['RECOMMENDED', 'CHEAPEST', 'FASTEST'],
    }
    return { body: { routes: [route], unavailableRoutes: { filteredOut: [], failed: [] } } }
  },
}

const chains: EmulatedRoute = {
  method: 'get',
  path: '/v1/chains',
  handle: async (trades) => ({
    body: {
      chains: trades.chains.map(({ chainId, name, displayName, multicall3 }) => ({
        id: chainId,
        key: name,
        name: displayName,
        chainType: 'EVM',
        coin: 'ETH',
        mainnet: true,
        nativeToken: toToken(chainId, trades.toToken(chainId, zeroAddress), () => undefined),
        multicallAddress: multicall3,
      })),
    },
  }),
}

const tokens: EmulatedRoute = {
  method: 'get',
  path: '/v1/tokens',
  async handle(trades, { query }) {
    const asked = query['chains'] === undefined ? undefined : readText(query, 'chains').split(',')
    const served = trades.chains.filter(({ chainId }) => asked?.includes(String(chainId)) ?? true)
    const lists = served.map(async ({ chainId }) => {
      const usd = await trades.readUsd(chainId)
      const list = trades.tokens(chainId).map((token) => toToken(chainId, token, usd))
      return [String(chainId), list] as const
    })
    return { body: { tokens: Object.fromEntries(await Promise.all(lists)) } }
  },
}

const token: EmulatedRoute = {
  method: 'get',
  path: '/v1/token',
  async handle(trades, { query }) {
    const chainId = toInteger(query, 'chain')
    const found = trades.toToken(chainId, toAddress(query, 'token'))
    return { body: toToken(chainId, found, await trades.readUsd(chainId)) }
  },
}

/** Its numbers: 1002 no quote, 1003 not found, 1005 rate limit, 1008 slippage, 1011 validation. */
const codes: Readonly<Record<Refusal['kind'], readonly [status: number, code: number]>> = {
  invalid: [400, 1011],
  unknown_chain: [400, 1011],
  unknown_token: [404, 1003],
  no_route: [404, 1002],
  moved: [409, 1008],
  funds: [400, 1011],
  unauthorized: [401, 1011],
  rate_limited: [429, 1005],
  not_found: [404, 1003],
  unavailable: [424, 1006],
}

function toError(refusal: Refusal): Answer {
  const [status, code] = codes[refusal.kind]
  if (refusal.kind === 'no_route') {
    const message = 'No available quotes for the requested transfer'
    return { status, body: { message, code, errors: { filteredOut: [], failed: [] } } }
  }
  const headers =
    refusal.kind === 'rate_limited' ? { 'retry-after': String(refusal.retryAfterSecs) } : {}
  return { status, body: { message: describeRefusal(refusal), code }, headers }
}

/** LI.FI on one chain, both sides. */
export const lifi: EmulatedProvider = {
  name: 'lifi',
  keyHeader: 'x-lifi-api-key',
  rates: {
    keyed: { unitsPerSec: 200 / 60, burst: 200 },
    anonymous: { unitsPerSec: 200 / 7_200, burst: 200 },
  },
  limitHeaders: ({ limit, remaining, resetSecs }) => ({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSecs),
  }),
  routes: [
    quote('/v1/quote', { side: 'sell', field: 'fromAmount' }),
    quote('/v1/quote/toAmount', { side: 'buy', field: 'toAmount' }),
    routes,
    stepTransaction,
    chains,
    tokens,
    token,
  ],
  toError,
}
