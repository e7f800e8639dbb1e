import type { Address, Hex } from 'viem'
import { isNative } from '../../chain/native.ts'
import type { Asker } from '../../routing/searchQueue.ts'
import { fail, type Source, type SourceOutcome, type SourceRequest } from '../provider/source.ts'

/** What meta reads of a routing quote; the routing service's own type has more. */
export type RoutingQuote = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly minAmountOut: bigint
  readonly gasEstimate: bigint
  readonly routePath: string
  readonly taxInBps: number
  readonly taxOutBps: number
  readonly executable: boolean
  readonly unexecutableReason?: string | undefined
  readonly execution:
    | {
        readonly spender: Address
        readonly target: Address
        readonly data: Hex
        readonly value: bigint
      }
    | undefined
}

export type RoutingOutcome =
  | { readonly status: 'ok'; readonly quote: RoutingQuote }
  | { readonly status: 'no_route' }
  /** By its pools, it says nothing of anybody else's question. */
  | { readonly status: 'unavailable'; readonly reason: string; readonly byItsPools?: true }

export type RoutingParameters = {
  readonly chainId: number
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly slippageBps: number
  readonly taker?: Address | undefined
  readonly signal: AbortSignal
  readonly asker?: Asker | undefined
}

export type RoutingDeps = {
  /** The routing service's use case, in process. */
  readonly quote: (parameters: RoutingParameters) => Promise<RoutingOutcome>
}

/** The routing service as one source among the others. Its guard is the executor's own min-out. */
export function createRoutingSource({ quote }: RoutingDeps): Source {
  return {
    name: 'routing',
    quote: async (request, { signal, caller, site }) => {
      const { chainId, tokenIn, tokenOut, trade, recipient, slippageBps } = request
      if (trade.type === 'exactOutput') return fail('unsupported_exact_output')
      const { amountIn } = trade
      const asker = { caller: `meta ${caller}`, site, isGone: () => signal.aborted }
      const asked = { chainId, tokenIn, tokenOut, amountIn, taker: recipient, signal, asker }
      const guard = request.relaxMinReturn ? 10_000 : slippageBps
      return toOutcome(await quote({ ...asked, slippageBps: guard }), request)
    },
  }
}

function toOutcome(answer: RoutingOutcome, request: SourceRequest): SourceOutcome {
  if (answer.status === 'no_route') return fail('no_route')
  if (answer.status === 'unavailable')
    return fail(answer.byItsPools ? 'no_route' : 'upstream_error', answer.reason)
  const { quote } = answer
  const { execution } = quote
  if (!quote.executable || !execution) return fail('no_route', quote.unexecutableReason)
  return {
    status: 'quote',
    quote: {
      provider: 'routing',
      isReference: true,
      amountIn: quote.amountIn,
      maxAmountIn: quote.amountIn,
      amountOut: quote.amountOut,
      minAmountOut: quote.minAmountOut,
      target: execution.target,
      approveTarget: isNative(request.tokenIn) ? undefined : execution.spender,
      calldata: execution.data,
      value: execution.value,
      gasEstimate: quote.gasEstimate,
      taxInBps: quote.taxInBps,
      taxOutBps: quote.taxOutBps,
      route: quote.routePath,
    },
  }
}
