/** Lets through `burst` units at once, and after that `perSecond`. */
export type Pace = (units: number) => Promise<void>

export function createPace({ burst, perSecond }: { burst: number; perSecond: number }): Pace {
  /** When everything that was let through so far is paid for. */
  let paidAtMs = Number.NEGATIVE_INFINITY
  return async (units) => {
    const nowMs = performance.now()
    paidAtMs = Math.max(paidAtMs, nowMs - (burst / perSecond) * 1_000) + (units / perSecond) * 1_000
    const waitMs = paidAtMs - nowMs
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs).unref())
  }
}
