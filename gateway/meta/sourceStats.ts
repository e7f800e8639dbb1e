import type { FailureReason, SourceOutcome } from './provider/source.ts'

/** Calls that the figures are taken over. */
const windowSize = 256

export type SourceFigures = {
  readonly calls: number
  /** Quotes among the last calls, 0 to 1; undefined before the first. */
  readonly successRate: number | undefined
  readonly p50Ms: number | undefined
  readonly p95Ms: number | undefined
  readonly failures: Readonly<Partial<Record<FailureReason, number>>>
  readonly lastFailure: FailureReason | undefined
}

/** Figures of one source over its last calls: quotes and failures, and how long they took. */
export function createSourceStats() {
  const window: { readonly ms: number; readonly reason: FailureReason | undefined }[] = []
  let calls = 0
  let lastFailure: FailureReason | undefined
  return {
    record(outcome: SourceOutcome, ms: number): void {
      const reason = outcome.status === 'failure' ? outcome.reason : undefined
      if (reason) lastFailure = reason
      window[calls % windowSize] = { ms, reason }
      calls++
    },
    read(): SourceFigures {
      const sorted = window.map(({ ms }) => ms).sort((a, b) => a - b)
      const at = (share: number) => sorted[Math.floor(sorted.length * share)]
      const failures: Partial<Record<FailureReason, number>> = {}
      for (const { reason } of window) if (reason) failures[reason] = (failures[reason] ?? 0) + 1
      const failed = Object.values(failures).reduce((sum, count) => sum + count, 0)
      const successRate = window.length === 0 ? undefined : 1 - failed / window.length
      return { calls, successRate, p50Ms: at(0.5), p95Ms: at(0.95), failures, lastFailure }
    },
  }
}
