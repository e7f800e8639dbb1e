import { setTimeout as wait } from 'node:timers/promises'

/** Before a load goes on that came to no end. */
const [firstPauseMs, longestPauseMs] = [2_000, 60_000]

/** Loads all that is not followed yet: what a node refuses is asked for later, and what was read stays. */
export function createRestLoader({
  reader,
  verify,
  failed,
  closing: { signal },
}: {
  readonly reader: {
    readonly isPart: () => boolean
    readonly adoptMissing: (signal: AbortSignal) => Promise<void>
  }
  /** Once it is whole. */
  readonly verify: () => Promise<void>
  readonly failed: (error: unknown) => void
  readonly closing: AbortController
}) {
  let loading: Promise<void> | undefined

  async function loadPart(): Promise<void> {
    await reader.adoptMissing(signal)
    if (!reader.isPart()) await verify()
  }

  async function load(): Promise<void> {
    for (let pauseMs = firstPauseMs; !signal.aborted; ) {
      const isRead = await loadPart().then(
        () => true,
        (error: unknown) => failed(error),
      )
      if (isRead && !reader.isPart()) return
      if (isRead) continue
      await wait(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }

  return {
    loading: () => loading,
    /** Where there is more to load, and nobody does. */
    loadOn(): void {
      if (!reader.isPart()) return
      loading ??= load().finally(() => {
        loading = undefined
      })
    },
  }
}
