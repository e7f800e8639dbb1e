export type SyncEvent =
  | {
      readonly event: 'loaded' | 'restored'
      readonly chainId: number
      readonly pools: number
      readonly ms: number
    }
  | { readonly event: 'reorged'; readonly chainId: number; readonly from: bigint }
  | { readonly event: 'failed'; readonly chainId: number; readonly reason: string }
  /** Reads the chain for all gateways from now on, or no longer. */
  | { readonly event: 'leading' | 'following'; readonly chainId: number }

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown'
}
