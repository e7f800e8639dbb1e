/** What just happened in this gateway, for who looks on. */
export type LiveEvent = {
  readonly atMs: number
  /** `answered`: a request; `sync`, `fork`, `relay`: what their counters count. */
  readonly kind: 'answered' | 'sync' | 'fork' | 'relay'
  readonly what: string
  readonly chainId?: number | undefined
  readonly status?: number | undefined
  readonly durationMs?: number | undefined
}

export type LiveEvents = ReturnType<typeof createLiveEvents>

/** Hands events to those who look on; keeps none. */
export function createLiveEvents({ now = Date.now }: { readonly now?: () => number } = {}) {
  const watchers = new Set<(event: LiveEvent) => void>()
  return {
    tell(event: Omit<LiveEvent, 'atMs'>): void {
      if (watchers.size === 0) return
      const told = { atMs: now(), ...event }
      for (const watch of watchers) watch(told)
    },
    /** Returns what ends it. */
    watch(watch: (event: LiveEvent) => void): () => void {
      watchers.add(watch)
      return () => void watchers.delete(watch)
    },
  }
}
