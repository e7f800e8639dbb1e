import type { IncomingHttpHeaders } from 'node:http'
import type { HttpError } from './httpError.ts'
import type { Reply } from './reply.ts'

/** Whoever holds a valid API key. `keyId` is public and safe to log; the key itself never gets here. */
export type Caller = {
  readonly keyId: string
  readonly wallet?: `0x${string}` | undefined
  /** The one chain on which the wallet is the caller's; none: all. */
  readonly walletChainId?: number | undefined
  readonly scopes: readonly string[]
}

/** State of one rate limit after this request; `resetSecs` until the full burst is available again. */
export type RateLimitState = {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  readonly resetSecs: number
  /** Rounded up: never earlier than the truth. 0 when allowed. */
  readonly retryAfterSecs: number
  /** More headers (the IETF draft's), set as they are. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export type ChargeRequest = {
  readonly caller: Caller
  readonly cost: number
  /** How many questions are asked at once: each works us. Default: 1. */
  readonly questions?: number | undefined
  readonly method: string
  readonly path: string
  /** The address from its `?` on, as it was sent; empty without one. */
  readonly search: string
  readonly headers: IncomingHttpHeaders
  readonly rawBody: string
  /** From where; many may hold one key, as one in a page. Default: all from one place. */
  readonly ip?: string | undefined
  readonly requestId: string
  /** Of the service that was asked, as callers see it; where it is not said, that of routing. */
  readonly baseUrl?: string | undefined
}

export type Charge =
  | {
      readonly status: 'charged'
      readonly headers: Readonly<Record<string, string>>
      /** Its key was given more than everybody has for nothing: it waits for no crowd of those. */
      readonly isPaying?: boolean | undefined
      /** Called once with the final answer: gives the charge back unless it is 2xx. */
      conclude(answer: {
        readonly status: number
        readonly body: string
        /** Whether a refusal is the question's own. Default: below 500. */
        readonly isOfQuestion?: boolean | undefined
        /** Whether nobody waits for it any more. */
        readonly hasLeft?: boolean | undefined
      }): Promise<void>
    }
  | { readonly status: 'replayed'; readonly reply: Reply }
  | { readonly status: 'refused'; readonly error: HttpError }

/** What a keyed or rate-limited service needs; `http/` calls it in this order and knows no more. */
export type Access = {
  /** The caller of a keyed endpoint, undefined for any key that is not valid. May throw an `HttpError`. */
  identify(request: {
    readonly headers: IncomingHttpHeaders
    readonly ip: string
  }): Promise<Caller | undefined>
  /** Undefined where no limit applies. */
  limit(request: {
    readonly caller: Caller | undefined
    readonly ip: string
    readonly weight: number
  }): Promise<RateLimitState | undefined>
  /**
   * Before what costs quota is charged: whether the caller may ask it, and has room for it. Throws an `HttpError`;
   * what it gives is called once the answer has ended. Absent: everybody may, and has.
   */
  enter?(request: {
    readonly caller: Caller
    /** The endpoint's method and path, as `POST /quote`. */
    readonly asked: string
    readonly isStream: boolean
  }): Promise<() => void>
  charge(request: ChargeRequest): Promise<Charge>
}
