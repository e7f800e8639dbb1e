export type SyncEvent =
  | {
      readonly event: 'loaded' | 'restored'
      readonly chainId: number
      readonly pools: number
      readonly ms: number
    }
  /**
   * So many exchanges are still to be looked at, and so many of the pools found to be read: in so many seconds
   * at the pace so far, once all have been looked at and some been read.
   */
  | {
      readonly event: 'loading'
      readonly chainId: number
      readonly exchangesLeft: number
      readonly poolsLeft: number
      readonly secsLeft?: number | undefined
    }
  | { readonly event: 'reorged'; readonly chainId: number; readonly from: bigint }
  /** A block's bloom told of logs that its node did not return: it was asked for again. */
  | { readonly event: 'logs_doubted'; readonly chainId: number }
  /** A node had left out logs: so many came late, and so many pools were wrong and have been read anew. */
  | {
      readonly event: 'logs_missed'
      readonly chainId: number
      readonly late: number
      readonly healed: number
    }
  /** So many pools were not what the chain has, and have been put right. */
  | { readonly event: 'healed'; readonly chainId: number; readonly pools: number }
  | { readonly event: 'failed'; readonly chainId: number; readonly reason: string }
  /** Reads the chain for all gateways from now on, or no longer. */
  | { readonly event: 'leading' | 'following'; readonly chainId: number }

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown'
}
