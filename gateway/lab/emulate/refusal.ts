import type { Address } from 'viem'

/** Why nothing is answered; each provider has words of its own for it. */
export type Refusal =
  | { readonly kind: 'invalid'; readonly field: string; readonly reason: string }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'unknown_chain'; readonly chain: string }
  | { readonly kind: 'unknown_token'; readonly token: Address }
  | { readonly kind: 'no_route' }
  /** The pools give less by now than was promised. */
  | { readonly kind: 'moved' }
  | {
      readonly kind: 'funds'
      readonly lack: 'balance' | 'allowance'
      readonly token: Address
      readonly actual: bigint
      readonly needed: bigint
      readonly spender: Address
    }
  | { readonly kind: 'rate_limited'; readonly retryAfterSecs: number }
  | { readonly kind: 'not_found'; readonly path: string }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Thrown wherever a request is read or answered; the emulator has its provider say it. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

export const invalid = (field: string, reason: string) =>
  new Refused({ kind: 'invalid', field, reason })

/** What is wrong, in one sentence, where a provider has no shape of its own for it. */
export function describeRefusal(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return `${refusal.field} ${refusal.reason}`
    case 'unauthorized':
      return 'an API key is needed'
    case 'unknown_chain':
      return `the lab has no chain ${refusal.chain}`
    case 'unknown_token':
      return `token ${refusal.token} is not known`
    case 'no_route':
      return 'no route found'
    case 'moved':
      return 'the pools give less by now than was quoted'
    case 'funds':
      return `not enough ${refusal.lack} of ${refusal.token}: ${refusal.needed} needed, ${refusal.actual} there`
    case 'rate_limited':
      return `too many requests: again in ${refusal.retryAfterSecs} s`
    case 'not_found':
      return `there is nothing at ${refusal.path}`
    case 'unavailable':
      return refusal.reason
  }
}
