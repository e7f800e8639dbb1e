import { Type } from 'typebox'
import { type Address, decodeFunctionData, erc20Abi, type Hex } from 'viem'
import { isNative } from '../../chain/native.ts'
import {
  AddressField,
  Amount,
  Calldata,
  createReader,
  type Read,
  toAddress,
  toAmount,
} from '../provider/fields.ts'
import { clip } from '../provider/http.ts'
import { isToken, type Provider, toQuote } from '../provider/provider.ts'
import { fail, type SourceFailure } from '../provider/source.ts'

const Transaction = Type.Object({
  to: AddressField,
  data: Calldata,
  value: Type.Optional(Amount),
  chainId: Type.Optional(Type.Integer()),
  gas: Type.Optional(Amount),
})
const Side = Type.Object({
  currency: Type.Object({ address: AddressField, chainId: Type.Integer() }),
  amount: Amount,
  minimumAmount: Type.Optional(Amount),
})
const readAnswer = createReader(
  Type.Object({
    steps: Type.Array(
      Type.Object({
        id: Type.String(),
        items: Type.Array(Type.Object({ data: Transaction })),
      }),
    ),
    details: Type.Object({ currencyIn: Side, currencyOut: Side }),
  }),
)
const readProblem = createReader(
  Type.Object({
    message: Type.String(),
    code: Type.Optional(Type.String()),
    errorCode: Type.Optional(Type.String()),
  }),
)

function readError(body: unknown): SourceFailure | undefined {
  const problem = readProblem(body)
  if (problem.status !== 'ok') return undefined
  const code = problem.value.errorCode ?? problem.value.code ?? ''
  if (/CURRENCY|TOKEN/.test(code)) return fail('unsupported_token', clip(code))
  if (code === 'UNKNOWN_ERROR' || code === '') return undefined
  return fail('no_route', clip(code))
}

type Step = {
  readonly id: string
  readonly items: readonly {
    readonly data: {
      readonly to: string
      readonly data: Hex
      readonly value?: string | number
      readonly gas?: string | number
    }
  }[]
}

/** Its spender stands only inside the calldata of the approve step. */
function spenderOf(steps: readonly Step[]): Address | undefined {
  const approve = steps.find(({ id }) => id === 'approve')?.items[0]
  if (!approve) return undefined
  try {
    const call = decodeFunctionData({ abi: erc20Abi, data: approve.data.data })
    return call.functionName === 'approve' ? call.args[0] : undefined
  } catch {
    // Foreign bytes that are no approval name no spender.
    return undefined
  }
}

function swapOf(steps: readonly Step[]): Read<Step['items'][number]['data']> {
  const others = steps.filter(({ id }) => id !== 'approve')
  const [step] = others
  const [item] = step?.items ?? []
  const isPlain = others.length === 1 && step?.items.length === 1
  if (!isPlain || !item || (step.id !== 'swap' && step.id !== 'deposit'))
    return fail('invalid_response', 'the quote is not one transaction')
  return { status: 'ok', value: item.data }
}

/** Relay on one chain, both sides. Its contracts vary, so there is no allowlist for it. */
export const relay: Provider = {
  name: 'relay',
  baseUrl: 'https://api.relay.link',
  auth: 'optional',
  native: 'zero',
  exactOutput: true,
  loosestBps: 9_900,
  ask: async (ask) => {
    const { request } = ask
    const { trade, sender, recipient, chainId } = request
    const exactIn = trade.type === 'exactInput'
    const answer = await ask.http.call({
      method: 'POST',
      path: '/quote/v2',
      body: JSON.stringify({
        user: sender,
        recipient,
        originChainId: chainId,
        destinationChainId: chainId,
        originCurrency: ask.tokenIn,
        destinationCurrency: ask.tokenOut,
        amount: (exactIn ? trade.amountIn : trade.targetOut).toString(),
        tradeType: exactIn ? 'EXACT_INPUT' : 'EXACT_OUTPUT',
        slippageTolerance: String(ask.slippageBps),
      }),
      headers: { 'x-api-key': ask.key },
      signal: ask.signal,
      readError,
    })
    if (answer.status !== 'ok') return answer
    const read = readAnswer(answer.body)
    if (read.status !== 'ok') return read
    const { steps, details } = read.value
    const { currencyIn, currencyOut } = details
    if (currencyOut.currency.chainId !== chainId)
      return fail('invalid_response', 'the quote is for another chain')
    if (!isToken(currencyOut.currency.address, ask.tokenOut))
      return fail('invalid_response', 'the quote is for another token')
    const swap = swapOf(steps)
    if (swap.status !== 'ok') return swap
    const target = toAddress(swap.value.to)
    const spender = spenderOf(steps)
    // An allowance that is already there leaves the step out, and then nothing names the spender.
    if (!spender && !isNative(request.tokenIn))
      return fail('invalid_response', 'the quote names no spender')
    return toQuote('relay', ask, {
      amountIn: toAmount(currencyIn.amount),
      amountOut: toAmount(currencyOut.amount),
      ...(currencyOut.minimumAmount !== undefined && {
        minAmountOut: toAmount(currencyOut.minimumAmount),
      }),
      target,
      spender: spender ?? target,
      calldata: swap.value.data,
      value: toAmount(swap.value.value ?? 0),
      gasEstimate: toAmount(swap.value.gas ?? 0),
    })
  },
}
