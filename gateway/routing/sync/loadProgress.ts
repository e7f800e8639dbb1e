/** How far a load has come, of one exchange after the other. */
export type LoadProgress = {
  /** A load of so many parts; what was known of an earlier one is forgotten. */
  begin(parts: number): void
  /** So much of the part that is being loaded, between 0 and 1; at 1 the next one comes. */
  reach(share: number): void
  end(): void
  /** At the pace so far; undefined where nothing is loaded, or nothing says yet how fast. */
  leftMs(): number | undefined
}

/** Judged by what was loaded: whatever the node takes, refuses and makes wait for is in it. */
export function createLoadProgress({ now }: { readonly now: () => number }): LoadProgress {
  let load: { readonly parts: number; readonly sinceMs: number } | undefined
  let done = 0
  let share = 0

  return {
    begin(parts) {
      load = { parts, sinceMs: now() }
      done = 0
      share = 0
    },
    reach(reached) {
      done += reached < 1 ? 0 : 1
      share = reached < 1 ? reached : 0
    },
    end() {
      load = undefined
    },
    leftMs() {
      const reached = done + share
      if (!load || reached === 0) return undefined
      return ((now() - load.sinceMs) * Math.max(0, load.parts - reached)) / reached
    },
  }
}
