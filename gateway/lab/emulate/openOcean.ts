import { type Address, formatUnits, parseUnits } from 'viem'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Call,
  type Fields,
  readText,
  throwOnFees,
  toAddress,
  toAmount,
  toBounded,
  toOptionalAddress,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, invalid, type Refusal } from './refusal.ts'
import type { ToUsd, Trade, Trades } from './trades.ts'

const usualBps = 100
const spell = (address: string) => (isNative(address) ? nativeSpellings.e : address)

/** By name or by number. */
function chainOf(trades: Trades, { params: { chain = '' } }: Call): number {
  const found = trades.chains.find(({ chainId }) => String(chainId) === chain)
  return found?.chainId ?? trades.toChainId('openocean', chain)
}

/** Raw by `amountDecimals`; `amount`, the only one before v4, is in whole tokens. */
function readSold(query: Fields, decimals: number): bigint {
  if (query['amountDecimals'] !== undefined) return toAmount(query, 'amountDecimals')
  const text = readText(query, 'amount')
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) throw invalid('amount', 'is not a decimal number')
  const amount = toBounded('amount', parseUnits(text, decimals))
  if (amount === 0n) throw invalid('amount', 'must be above zero')
  return amount
}

async function find(trades: Trades, { call, recipient }: { call: Call; recipient?: Address }) {
  const { query } = call
  throwOnFees(query, ['referrerFee'])
  const chainId = chainOf(trades, call)
  const tokenIn = toAddress(query, 'inTokenAddress')
  const { decimals } = trades.toToken(chainId, tokenIn)
  const trade = await trades.find({
    chainId,
    tokenIn,
    tokenOut: toAddress(query, 'outTokenAddress'),
    amount: readSold(query, decimals),
    slippageBps: toSlippageBps(query, {
      field: 'slippage',
      unit: 'percent',
      fallbackBps: usualBps,
      leastBps: 5,
      mostBps: 5_000,
    }),
    recipient,
  })
  return { trade, usd: await trades.readUsd(chainId) }
}

function toToken({ address, decimals, symbol }: Trade['tokenIn'], amount: bigint, usd: ToUsd) {
  return {
    address: spell(address),
    decimals,
    symbol,
    name: symbol,
    usd: usd(address, parseUnits('1', decimals)) ?? '0',
    volume: Number(formatUnits(amount, decimals)),
  }
}

function toShown(trade: Trade, usd: ToUsd) {
  const { tokenIn, tokenOut, amountIn, amountOut, quote, gas } = trade
  return {
    inToken: toToken(tokenIn, amountIn, usd),
    outToken: toToken(tokenOut, amountOut, usd),
    inAmount: amountIn.toString(),
    outAmount: amountOut.toString(),
    minOutAmount: trade.minAmountOut.toString(),
    estimatedGas: gas.toString(),
    dexes: quote.steps.map((step, dexIndex) => ({
      dexIndex,
      dexCode: step.dex,
      swapAmount: step.amountOut.toString(),
    })),
    price_impact: `${(-quote.priceImpactBps / 100).toFixed(2)}%`,
  }
}

const quote = (path: string): EmulatedRoute => ({
  method: 'get',
  path,
  async handle(trades, call) {
    const { trade, usd } = await find(trades, { call })
    return { body: { code: 200, data: toShown(trade, usd) } }
  },
})

const swap = (path: string): EmulatedRoute => ({
  method: 'get',
  path,
  async handle(trades, call) {
    const account = toAddress(call.query, 'account')
    const { trade, usd } = await find(trades, { call, recipient: account })
    const { chain, execution, gasPriceWei } = trade
    const data = {
      ...toShown(trade, usd),
      from: toOptionalAddress(call.query, 'sender') ?? account,
      to: execution.target,
      value: execution.value.toString(),
      gasPrice: gasPriceWei.toString(),
      data: execution.data,
      chainId: chain.chainId,
    }
    return { body: { code: 200, data } }
  },
})

const gasPrice: EmulatedRoute = {
  method: 'get',
  path: '/v4/:chain/gasPrice',
  async handle(trades, call) {
    const wei = (await trades.readGasPrice(chainOf(trades, call))).toString()
    return { body: { code: 200, data: { standard: wei, fast: wei, instant: wei } } }
  },
}

const codes: Partial<Readonly<Record<Refusal['kind'], number>>> = {
  unavailable: 500,
  rate_limited: 429,
  not_found: 404,
}

/** In a 200, whatever is wrong. */
const toError = (refusal: Refusal): Answer => ({
  body: { code: codes[refusal.kind] ?? 400, error: describeRefusal(refusal) },
})

/** OpenOcean v4, and v3's swap, which clients still ask. */
export const openOcean: EmulatedProvider = {
  name: 'openocean',
  routes: [
    quote('/v4/:chain/quote'),
    swap('/v4/:chain/swap'),
    gasPrice,
    quote('/v3/:chain/quote'),
    swap('/v3/:chain/swap_quote'),
  ],
  toError,
}
