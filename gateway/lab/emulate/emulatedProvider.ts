import type { RateLimit } from '../../access/limits/rateLimit.ts'
import type { ProviderName } from '../../chain/chain.ts'
import type { RateLimitState } from '../../http/access.ts'
import type { Call } from './call.ts'
import type { Refusal } from './refusal.ts'
import type { Trades } from './trades.ts'

export type Answer = {
  readonly status?: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type EmulatedRoute = {
  readonly method: 'get' | 'post'
  /** Below the provider's base URL, with `:name` for parameters. */
  readonly path: string
  readonly handle: (trades: Trades, call: Call) => Promise<Answer>
}

/** Somebody else's API: its paths, its shapes, its words. */
export type EmulatedApi = {
  readonly routes: readonly EmulatedRoute[]
  /** Where its callers put their keys. */
  readonly keyHeader?: string
  readonly needsKey?: boolean
  /** As far as the provider says how often it may be asked. */
  readonly rates?: { readonly keyed?: RateLimit; readonly anonymous?: RateLimit }
  /** What each answer tells of the limit. */
  readonly limitHeaders?: (state: RateLimitState) => Readonly<Record<string, string>>
  readonly toError: (refusal: Refusal, requestId: string) => Answer
}

export type EmulatedProvider = EmulatedApi & { readonly name: ProviderName }
