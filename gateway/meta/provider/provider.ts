import type { Address, Hex } from 'viem'
import { lessBps, moreBps } from '../../amounts/amounts.ts'
import type { ProviderName } from '../../chain/chain.ts'
import { getChain } from '../../chain/chains.ts'
import { isNative } from '../../chain/native.ts'
import { isSameAddress } from '../../chain/sameAddress.ts'
import type { CallLimit } from './callLimit.ts'
import type { ProviderHttp } from './http.ts'
import { fail, guardBps, type Source, type SourceOutcome, type SourceRequest } from './source.ts'
import { createTicket } from './ticket.ts'

/** How providers write the native currency. */
export const nativeSpellings = {
  e: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  eLower: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  zero: '0x0000000000000000000000000000000000000000',
} as const

/** One question to a provider, in its own spelling. */
export type Ask = {
  readonly http: ProviderHttp
  readonly key: string | undefined
  readonly request: SourceRequest
  /** The provider's name of the chain: an id or a slug. */
  readonly chain: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** The guard to ask for; looser than the caller's when that is relaxed. */
  readonly slippageBps: number
  readonly signal: AbortSignal
  readonly now: () => number
  /** Wei per gas, for providers that weigh gas themselves. */
  readonly gasPriceWei: (chainId: number) => Promise<bigint>
}

export type Provider = {
  readonly name: ProviderName
  readonly baseUrl: string
  readonly auth: 'none' | 'optional' | 'required'
  readonly native: keyof typeof nativeSpellings
  readonly exactOutput: boolean
  /** A price to measure the others by: its orders are signed, not sent. */
  readonly isPriceOnly?: boolean | undefined
  /** The loosest guard it takes; undefined where it has none to relax. */
  readonly loosestBps: number | undefined
  readonly ask: (p: Ask) => Promise<SourceOutcome>
}

/** Basis points as the percent or the fraction that a provider asks for. */
export const percentOf = (bps: number): string => String(bps / 100)
export const fractionOf = (bps: number): string => String(bps / 10_000)

/** A provider as a source: unsupported chains, keys and kinds of trade never reach its file. Its chains are those whose row names it. */
export function createProvider(
  { name, auth, exactOutput, loosestBps, native, ask }: Provider,
  {
    limit,
    ...deps
  }: Pick<Ask, 'http' | 'key' | 'now' | 'gasPriceWei'> & { readonly limit: CallLimit },
): Source {
  const spell = (token: Address) => (isNative(token) ? nativeSpellings[native] : token)
  return {
    name,
    pausedForMs: limit.pausedForMs,
    quote: async (
      request,
      { signal, caller = '', site, ticket = createTicket({ caller, site }) },
    ) => {
      const chain = getChain(request.chainId)?.providers[name]?.slug
      if (chain === undefined) return fail('unsupported_chain')
      if (auth === 'required' && !deps.key) return fail('not_configured', 'no key')
      if (request.trade.type === 'exactOutput' && !exactOutput)
        return fail('unsupported_exact_output')
      const http: ProviderHttp = {
        ...deps.http,
        call: (p) => limit.run({ caller, site, ticket, signal: p.signal }, () => deps.http.call(p)),
      }
      return ask({
        ...deps,
        http,
        request,
        chain,
        tokenIn: spell(request.tokenIn),
        tokenOut: spell(request.tokenOut),
        slippageBps: guardBps(request, loosestBps ?? request.slippageBps),
        signal,
      })
    },
  }
}

/** True when a provider's token is the one that was asked for, in any spelling. */
export function isToken(given: string, asked: Address): boolean {
  const spellings: readonly string[] = Object.values(nativeSpellings).map((a) => a.toLowerCase())
  const lower = given.toLowerCase()
  if (spellings.includes(asked.toLowerCase())) return spellings.includes(lower)
  return isSameAddress(lower as Address, asked)
}

/** A provider's answer as a quote. Without a minimum of its own, the guard that was asked for holds. */
export function toQuote(
  name: string,
  { request, slippageBps }: Ask,
  answer: {
    /** Undefined for exact input: it is the request's. */
    readonly amountIn?: bigint | undefined
    readonly amountOut: bigint
    readonly minAmountOut?: bigint | undefined
    readonly target: Address
    readonly spender: Address
    readonly calldata: Hex
    readonly value: bigint
    readonly gasEstimate: bigint
    readonly taxInBps?: number | undefined
    readonly taxOutBps?: number | undefined
    readonly route?: string | undefined
    /** The input is firm: nothing above it is ever taken. */
    readonly isFirm?: boolean | undefined
  },
): SourceOutcome {
  const { trade } = request
  const { spender, isFirm = false, taxInBps = 0, taxOutBps = 0, ...rest } = answer
  const exactIn = trade.type === 'exactInput'
  const amountIn = answer.amountIn ?? (exactIn ? trade.amountIn : 0n)
  const nativeIn = isNative(request.tokenIn)
  const raised = exactIn || isFirm ? amountIn : moreBps(amountIn, request.slippageBps)
  const floor = exactIn ? lessBps(answer.amountOut, slippageBps) : trade.targetOut
  return {
    status: 'quote',
    quote: {
      ...rest,
      provider: name,
      amountIn,
      maxAmountIn: !exactIn && nativeIn ? answer.value : raised,
      minAmountOut: answer.minAmountOut ?? floor,
      approveTarget: nativeIn ? undefined : spender,
      taxInBps,
      taxOutBps,
    },
  }
}
