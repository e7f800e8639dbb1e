import { hash } from 'node:crypto'
import { lessBps } from '../../amounts/amounts.ts'
import { isNative } from '../../chain/native.ts'
import { nativeSpellings } from '../../meta/provider/provider.ts'
import {
  type Call,
  type Fields,
  joinSealed,
  throwOnFees,
  toAddress,
  toAmount,
  toInteger,
  toObject,
  toSlippageBps,
} from './call.ts'
import type { Answer, EmulatedProvider, EmulatedRoute } from './emulatedProvider.ts'
import { describeRefusal, invalid, type Refusal } from './refusal.ts'
import type { ToUsd, Trade, Trades } from './trades.ts'

const mostBps = 2_000
const chainOf = (trades: Trades, { params }: Call) =>
  trades.toChainId('kyberswap', params['chain'] ?? '')
const spell = (address: string) => (isNative(address) ? nativeSpellings.e : address).toLowerCase()

const sealed = ['tokenIn', 'tokenOut', 'amountIn', 'amountOut', 'timestamp']

/** By which a summary is known that came back as it went. */
function checksumOf(summary: Fields): string {
  return BigInt(`0x${hash('sha256', joinSealed(summary, sealed)).slice(0, 16)}`).toString()
}

const noFee = { feeAmount: '0', chargeFeeBy: '', isInBps: false, feeReceiver: '' }

/** `200` with code 0; what is wrong has a number of its own. */
const ok = (data: unknown, requestId: string): Answer => ({
  body: { code: 0, message: 'successfully', data, requestId },
})

function toUsds(usd: ToUsd, { tokenIn, tokenOut, amountIn, amountOut, gas, gasPriceWei }: Trade) {
  return {
    amountInUsd: usd(tokenIn.address, amountIn) ?? '0',
    amountOutUsd: usd(tokenOut.address, amountOut) ?? '0',
    gasUsd: usd(nativeSpellings.zero, gas * gasPriceWei) ?? '0',
  }
}

const routes: EmulatedRoute = {
  method: 'get',
  path: '/:chain/api/v1/routes',
  async handle(trades, call) {
    const { query } = call
    throwOnFees(query, ['feeAmount'])
    const chainId = chainOf(trades, call)
    const tokenIn = toAddress(query, 'tokenIn')
    const tokenOut = toAddress(query, 'tokenOut')
    const amount = toAmount(query, 'amountIn')
    const trade = await trades.find({ chainId, tokenIn, tokenOut, amount, slippageBps: 0 })
    const usds = toUsds(await trades.readUsd(chainId), trade)
    const summary = {
      tokenIn: spell(tokenIn),
      amountIn: trade.amountIn.toString(),
      amountInUsd: usds.amountInUsd,
      tokenOut: spell(tokenOut),
      amountOut: trade.amountOut.toString(),
      amountOutUsd: usds.amountOutUsd,
      gas: trade.gas.toString(),
      gasPrice: trade.gasPriceWei.toString(),
      gasUsd: usds.gasUsd,
      l1FeeUsd: '0',
      extraFee: noFee,
      route: [
        trade.quote.steps.map((step) => ({
          pool: step.pool.toLowerCase(),
          tokenIn: step.tokenIn.toLowerCase(),
          tokenOut: step.tokenOut.toLowerCase(),
          swapAmount: step.amountIn.toString(),
          amountOut: step.amountOut.toString(),
          exchange: step.dex,
          poolType: step.protocol,
        })),
      ],
      routeID: call.requestId,
      timestamp: Math.floor(Date.now() / 1000),
    }
    const routeSummary = { ...summary, checksum: checksumOf(summary) }
    const routerAddress = trade.execution.target
    return ok({ routeSummary, routerAddress }, call.requestId)
  },
}

const build: EmulatedRoute = {
  method: 'post',
  path: '/:chain/api/v1/route/build',
  async handle(trades, call) {
    const { body } = call
    const summary = toObject(body, 'routeSummary')
    if (summary['checksum'] !== checksumOf(summary))
      throw invalid('routeSummary', 'was changed on its way')
    if (body['deadline'] !== undefined && toInteger(body, 'deadline') * 1000 <= Date.now())
      throw invalid('deadline', 'is in the past')
    toAddress(body, 'sender')
    const chainId = chainOf(trades, call)
    const slippageBps = toSlippageBps(body, {
      field: 'slippageTolerance',
      unit: 'bps',
      fallbackBps: 0,
      mostBps,
    })
    const promised = toAmount(summary, 'amountOut')
    const trade = await trades.find({
      chainId,
      tokenIn: toAddress(summary, 'tokenIn'),
      tokenOut: toAddress(summary, 'tokenOut'),
      amount: toAmount(summary, 'amountIn'),
      slippageBps,
      floor: lessBps(promised, slippageBps),
      recipient: toAddress(body, 'recipient'),
    })
    const { execution, amountIn, amountOut, gas } = trade
    const change = (Number(amountOut) / Number(promised) - 1) * 100
    const level = change === 0 ? 0 : change > 0 ? 1 : 2
    return ok(
      {
        amountIn: amountIn.toString(),
        amountOut: amountOut.toString(),
        gas: gas.toString(),
        ...toUsds(await trades.readUsd(chainId), trade),
        outputChange: { amount: (amountOut - promised).toString(), percent: change, level },
        data: execution.data,
        routerAddress: execution.target,
        transactionValue: execution.value.toString(),
      },
      call.requestId,
    )
  },
}

const codes: Readonly<Record<Refusal['kind'], readonly [status: number, code: number]>> = {
  invalid: [400, 4000],
  unknown_chain: [404, 4040],
  unknown_token: [400, 4011],
  no_route: [400, 4008],
  moved: [422, 4222],
  funds: [400, 4227],
  unauthorized: [401, 4010],
  rate_limited: [429, 4290],
  not_found: [404, 4040],
  unavailable: [500, 500],
}
const messages: Partial<Readonly<Record<Refusal['kind'], string>>> = {
  no_route: 'route not found',
  unknown_token: 'token not found',
  moved: 'quoted amount is smaller than estimated',
}

function toError(refusal: Refusal, requestId: string): Answer {
  const [status, code] = codes[refusal.kind]
  const message = messages[refusal.kind] ?? describeRefusal(refusal)
  const details =
    refusal.kind === 'invalid'
      ? [{ fieldViolations: [{ field: refusal.field, description: refusal.reason }] }]
      : null
  return { status, body: { code, message, details, requestId } }
}

/** KyberSwap aggregator v1: a route, then its transaction. */
export const kyberSwap: EmulatedProvider = {
  name: 'kyberswap',
  routes: [routes, build],
  toError,
}
