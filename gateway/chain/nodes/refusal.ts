/** What a node means by saying no, whatever words, code or status it says it with. */
export type RefusalKind =
  /** Too many calls for the moment. */
  | 'rate_limited'
  /** Too many calls in one body. */
  | 'batch_too_large'
  /** Too many bytes in one body. */
  | 'body_too_large'
  /** The answer would be longer than the node sends. */
  | 'answer_too_large'
  /** More blocks than one `eth_getLogs` may ask for. */
  | 'range_too_wide'
  | 'too_many_results'
  /** More gas than an `eth_call` may be given. */
  | 'gas_cap'
  /** The node gave the call up after its own time limit. */
  | 'call_timeout'
  | 'method_missing'
  /** The node takes no code or storage in place of what an account has. */
  | 'overrides_refused'
  /** State or logs of a block that the node keeps no more. */
  | 'history_missing'
  /** A block that this node has not seen: another one may have, or this one soon. */
  | 'block_unknown'
  /** What was paid for is used up: not today, or not this month. */
  | 'quota_gone'
  /** A key that is missing, wrong, or not for this chain: nothing is answered until somebody sees to it. */
  | 'unauthorized'
  /** Whoever answers has no node behind it just now. */
  | 'unhealthy'
  /** One sender of transactions is held back: everywhere, and for its own doing. */
  | 'sender_limited'
  /** No refusal at all: the contract said so. */
  | 'reverted'
  | 'invalid_request'
  /** The node failed, and does not say in known words why. */
  | 'failed'

/** Whoever names more is asked again by then: a pause may be a slip, or a lie. */
export const longestPauseMs = 60_000

/** Both ends included. */
export type BlockRange = { readonly from: bigint; readonly to: bigint }

export type Refusal = {
  readonly kind: RefusalKind
  /** How long the node wants to be left alone. */
  readonly retryAfterMs?: number | undefined
  /** The number that it names as its limit: calls, bytes, blocks, results or gas, by the kind. */
  readonly limit?: number | undefined
  /** The range that it would answer; some name the very range that they refuse. */
  readonly advised?: BlockRange | undefined
}

/** What came in place of a result; whichever is known. */
export type SaidNo = {
  /** HTTP status; 200 where the error stands in an ordinary answer. */
  readonly status?: number | undefined
  readonly code?: number | undefined
  /** The error's message, or a body that is no JSON. */
  readonly message?: string | undefined
  readonly retryAfterMs?: number | undefined
}
