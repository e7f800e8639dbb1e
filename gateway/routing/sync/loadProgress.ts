/** How far a load has come, once it is known how many pools it has. */
export type LoadProgress = {
  /** A load of so many pools; what was known of an earlier one is forgotten. */
  begin(pools: number): void
  /** So many more of them have been read. */
  reach(pools: number): void
  end(): void
  /** At the pace so far; undefined where nothing is loaded, or nothing says yet how fast. */
  leftMs(): number | undefined
}

/** Judged by what was loaded: whatever the node takes, refuses and makes wait for is in it. */
export function createLoadProgress({ now }: { readonly now: () => number }): LoadProgress {
  let load: { readonly pools: number; readonly sinceMs: number } | undefined
  let read = 0

  return {
    begin(pools) {
      load = { pools, sinceMs: now() }
      read = 0
    },
    reach(pools) {
      read += pools
    },
    end() {
      load = undefined
    },
    leftMs() {
      if (!load || read === 0) return undefined
      return ((now() - load.sinceMs) * Math.max(0, load.pools - read)) / read
    },
  }
}
