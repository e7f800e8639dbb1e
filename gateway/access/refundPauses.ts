import { LRUCache } from 'lru-cache'
import { limitedSite } from '../http/limitedNetwork.ts'

export type RefundPauses = {
  /** How long a key is not to be served there; 0 where it may go on. */
  leftMs(keyId: string, ip?: string | undefined): number
  /**
   * The status of an answer that was charged for, how many questions it answers, whether they are to blame, and
   * whether nobody waited for it any more.
   */
  note(
    keyId: string,
    answer: {
      readonly status: number
      readonly questions?: number | undefined
      readonly isOfQuestion?: boolean | undefined
      readonly hasLeft?: boolean | undefined
      readonly ip?: string | undefined
    },
  ): void
}

/** So many refusals in a row are anybody's; each further one doubles the pause. */
export const freeRefunds = 50
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Who leaves may have been made to wait by us: nobody is kept away for long by an outage that is over. */
const longestOfLeavingMs = 5_000
/** Who stays away so long starts anew. */
const forgottenMs = 600_000
/** Of so many sites that are at it the whole key has the refusals. */
const sitesOfKey = 8

const siteName = (keyId: string, ip = '') => `${keyId} ${limitedSite(ip)}`

/**
 * A key whose requests are refused and refunded again and again works us for nothing: it is paused, each time
 * for longer, until an answer is paid for; so is one whose requests are left before they are answered. Whoever reads
 * a page may have its key: one site's refusals pause that site, and those that were free there alone count for the
 * key. Outages of ours count for nobody.
 */
export function createRefundPauses({
  monotonicMs = () => performance.now(),
}: {
  readonly monotonicMs?: () => number
} = {}): RefundPauses {
  type Record = { inARow: number; untilMs: number; atMs: number }
  type Bound = { readonly free: number; readonly longestMs: number }
  const records = new LRUCache<string, Record>({ max: 100_000 })
  /** How many of these were still free. */
  function add(name: string, questions: number, { free, longestMs }: Bound): number {
    const nowMs = monotonicMs()
    const known = records.get(name)
    const isRecent = known !== undefined && nowMs - known.atMs < forgottenMs
    const before = isRecent ? known.inARow : 0
    const inARow = before + questions
    const beyond = inARow - free
    const pauseMs = beyond > 0 ? Math.min(longestMs, firstPauseMs * 2 ** (beyond - 1)) : 0
    // Whoever leaves ends no longer pause.
    const untilMs = Math.max(known?.untilMs ?? nowMs, nowMs + pauseMs)
    records.set(name, { inARow, untilMs, atMs: nowMs })
    return Math.min(questions, Math.max(0, free - before))
  }
  return {
    leftMs(keyId, ip) {
      const nowMs = monotonicMs()
      const untilMs = [siteName(keyId, ip), keyId].map(
        (name) => records.get(name)?.untilMs ?? nowMs,
      )
      return Math.max(0, ...untilMs.map((ms) => ms - nowMs))
    },
    note(keyId, { status, questions = 1, isOfQuestion = status < 500, hasLeft = false, ip }) {
      if (!isOfQuestion && !hasLeft) return
      const site = siteName(keyId, ip)
      if (status < 400) {
        for (const name of [site, keyId]) records.delete(name)
        return
      }
      const longestMs = isOfQuestion ? longestPauseMs : longestOfLeavingMs
      const free = add(site, Math.max(1, questions), { free: freeRefunds, longestMs })
      if (free > 0) add(keyId, free, { free: sitesOfKey * freeRefunds, longestMs })
    },
  }
}
