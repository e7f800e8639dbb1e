import { LRUCache } from 'lru-cache'

export type RefundPauses = {
  /** How long a key is not to be served; 0 where it may go on. */
  leftMs(keyId: string): number
  /** The status of an answer that was charged for, how many questions it answers, and whether they are to blame. */
  note(
    keyId: string,
    answer: {
      readonly status: number
      readonly questions?: number | undefined
      readonly isOfQuestion?: boolean | undefined
    },
  ): void
}

/** So many refusals in a row are anybody's; each further one doubles the pause. */
const freeRefunds = 50
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Who stays away so long starts anew. */
const forgottenMs = 600_000

/**
 * A key whose requests are refused and refunded again and again works us for nothing: it is paused, each time
 * for longer, until an answer is paid for. Outages of ours count for nobody.
 */
export function createRefundPauses({
  monotonicMs = () => performance.now(),
}: {
  readonly monotonicMs?: () => number
} = {}): RefundPauses {
  type Record = { inARow: number; untilMs: number; atMs: number }
  const records = new LRUCache<string, Record>({ max: 100_000 })
  return {
    leftMs(keyId) {
      const nowMs = monotonicMs()
      return Math.max(0, (records.get(keyId)?.untilMs ?? nowMs) - nowMs)
    },
    note(keyId, { status, questions = 1, isOfQuestion = status < 500 }) {
      if (!isOfQuestion) return
      if (status < 400) {
        records.delete(keyId)
        return
      }
      const nowMs = monotonicMs()
      const known = records.get(keyId)
      const isRecent = known !== undefined && nowMs - known.atMs < forgottenMs
      const inARow = (isRecent ? known.inARow : 0) + Math.max(1, questions)
      const beyond = inARow - freeRefunds
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (beyond - 1))
      records.set(keyId, { inARow, untilMs: beyond > 0 ? nowMs + pauseMs : nowMs, atMs: nowMs })
    },
  }
}
