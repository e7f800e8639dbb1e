import { randomBytes } from 'node:crypto'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Call,
  throwOnFees,
  toAddress,
  toAmount,
  toInteger,
  toOptionalAddress,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider } from './emulatedProvider.ts'
import { describeRefusal, type Refusal, Refused } from './refusal.ts'
import type { Trade, Trades } from './trades.ts'

const fees = ['swapFeeBps', 'tradeSurplusMaxBps']
const usualBps = 100

const newZid = () => `0x${randomBytes(12).toString('hex')}`
const spell = (address: string) =>
  isNative(address) ? nativeSpellings.eLower : address.toLowerCase()

async function findIssues(trades: Trades, { trade, call }: { trade: Trade; call: Call }) {
  const taker = toOptionalAddress(call.query, 'taker')
  const none = { simulationIncomplete: false, invalidSourcesPassed: [] }
  if (!taker) return { allowance: null, balance: null, ...none, simulationIncomplete: true }
  const { chain, tokenIn, amountIn, execution } = trade
  const asked = { chainId: chain.chainId, token: tokenIn.address, owner: taker }
  const { balance, allowance } = await trades.readFunds(asked)
  return {
    allowance:
      allowance < amountIn
        ? { actual: allowance.toString(), spender: execution.spender.toLowerCase() }
        : null,
    balance:
      balance < amountIn
        ? {
            token: spell(tokenIn.address),
            actual: balance.toString(),
            expected: amountIn.toString(),
          }
        : null,
    ...none,
  }
}

function toRoute({ quote, tokenIn, tokenOut }: Trade) {
  return {
    fills: quote.steps.map((step) => ({
      from: step.tokenIn.toLowerCase(),
      to: step.tokenOut.toLowerCase(),
      source: step.dex,
      proportionBps: String(step.shareBps),
    })),
    tokens: [tokenIn, tokenOut].map(({ address, symbol }) => ({
      address: address.toLowerCase(),
      symbol,
    })),
  }
}

const taxes = (bps: number) => ({
  buyTaxBps: String(bps),
  sellTaxBps: String(bps),
  transferTaxBps: String(bps),
})

/** Price and quote: the same but for the transaction. */
async function quote(trades: Trades, { call, kind }: { call: Call; kind: 'price' | 'quote' }) {
  const { query } = call
  throwOnFees(query, fees)
  const taker = kind === 'quote' ? toAddress(query, 'taker') : toOptionalAddress(query, 'taker')
  const order = {
    chainId: toInteger(query, 'chainId'),
    tokenIn: toAddress(query, 'sellToken'),
    tokenOut: toAddress(query, 'buyToken'),
    amount: toAmount(query, 'sellAmount'),
    slippageBps: toSlippageBps(query, {
      field: 'slippageBps',
      unit: 'bps',
      fallbackBps: usualBps,
      mostBps: 10_000,
    }),
    recipient: toOptionalAddress(query, 'recipient') ?? taker,
  }
  const trade = await trades.find(order)
  const { execution, gas, gasPriceWei } = trade
  const sent = { gas: gas.toString(), gasPrice: gasPriceWei.toString() }
  const body = {
    allowanceTarget: execution.spender.toLowerCase(),
    blockNumber: trade.quote.lastSyncBlock.toString(),
    buyAmount: trade.amountOut.toString(),
    buyToken: spell(order.tokenOut),
    fees: { integratorFee: null, integratorFees: null, zeroExFee: null, gasFee: null },
    issues: await findIssues(trades, { trade, call }),
    liquidityAvailable: true,
    minBuyAmount: trade.minAmountOut.toString(),
    route: toRoute(trade),
    sellAmount: trade.amountIn.toString(),
    sellToken: spell(order.tokenIn),
    tokenMetadata: {
      buyToken: taxes(trade.quote.taxOutBps),
      sellToken: taxes(trade.quote.taxInBps),
    },
    totalNetworkFee: (gas * gasPriceWei).toString(),
    zid: newZid(),
  }
  if (kind === 'price') return { body: { ...body, ...sent } }
  const { target: to, data, value } = execution
  return {
    body: {
      ...body,
      transaction: { to: to.toLowerCase(), data, ...sent, value: value.toString() },
    },
  }
}

/** It says so in a 200. */
async function orNoLiquidity(answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error: unknown) => {
    if (!(error instanceof Refused) || error.refusal.kind !== 'no_route') throw error
    return { body: { liquidityAvailable: false, zid: newZid() } }
  })
}

function toError(refusal: Refusal): Answer {
  const sentence = describeRefusal(refusal)
  const say = (status: number, name: string, message: string, data: object = {}): Answer => ({
    status,
    body: { name, message, data: { zid: newZid(), ...data } },
  })
  switch (refusal.kind) {
    case 'invalid':
      return say(400, 'INPUT_INVALID', 'The input is invalid', {
        details: [{ field: refusal.field, reason: refusal.reason }],
      })
    case 'unknown_chain':
      return say(400, 'INPUT_INVALID', 'The input is invalid', {
        details: [{ field: 'chainId', reason: sentence }],
      })
    case 'unknown_token':
      return say(400, 'TOKEN_NOT_SUPPORTED', sentence)
    case 'unauthorized':
      return { status: 401, body: { message: 'No API key found in request' } }
    case 'rate_limited':
      return {
        status: 429,
        body: { message: 'API rate limit exceeded' },
        headers: { 'retry-after': String(refusal.retryAfterSecs) },
      }
    case 'not_found':
      return { status: 404, body: { message: 'no Route matched with those values' } }
    case 'unavailable':
      return say(500, 'INTERNAL_SERVER_ERROR', sentence)
    default:
      return say(400, 'SWAP_VALIDATION_FAILED', sentence)
  }
}

/** 0x Swap API v2 through the AllowanceHolder. */
export const zeroX: EmulatedProvider = {
  name: '0x',
  keyHeader: '0x-api-key',
  needsKey: true,
  rates: { keyed: { unitsPerSec: 5, burst: 5 } },
  routes: (['price', 'quote'] as const).map((kind) => ({
    method: 'get',
    path: `/swap/allowance-holder/${kind}`,
    handle: (trades, call) => orNoLiquidity(quote(trades, { call, kind })),
  })),
  toError,
}
