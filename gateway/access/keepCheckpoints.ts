import { setImmediate as nextTurn } from 'node:timers/promises'
import { type SignCheckpoint, toDay } from '../store/checkpoints.ts'
import type { Store } from '../store/ports.ts'

type Deps = {
  readonly store: Pick<Store, 'checkpoints'>
  readonly sign: SignCheckpoint
  /** Charges and refunds keep their rows for so long; 0: for ever. */
  readonly detailDays: number
  readonly now: () => number
  readonly log: { warn(facts: object, message: string): void }
}

/** No transaction is open for longer, on either engine. */
const marginMs = 3_600_000
/** Few enough that nobody who is served beside it waits for a step. */
const rowsAtOnce = 500
const dayMs = 86_400_000

/**
 * Days that are over become signed checkpoints, and details that are old enough go. Every gateway of a database
 * tries, one at a time gets its step; what one leaves half done, whoever comes next goes on with.
 */
export function keepCheckpoints(deps: Deps, { everyMs = 60_000 } = {}) {
  const { store, sign, detailDays, now, log } = deps
  const { checkpoints } = store
  let isClosing = false
  let running: Promise<void> | undefined

  async function untilDone(step: () => Promise<boolean>): Promise<void> {
    while (!isClosing && (await step())) await nextTurn()
  }
  async function pass(): Promise<void> {
    await untilDone(() => checkpoints.advance({ nowMs: now(), marginMs, most: rowsAtOnce, sign }))
    if (detailDays === 0) return
    const beforeDay = toDay(now() - detailDays * dayMs)
    await untilDone(() => checkpoints.prune({ beforeDay, most: rowsAtOnce }))
  }
  const runOnce = () => {
    running ??= pass()
      .catch((error: Error) => {
        // The database is away or full, which others tell of; the next pass goes on from the same rows.
        log.warn({ reason: error.name }, 'the ledger was not rolled up')
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
  const timer = setInterval(() => void runOnce(), everyMs)
  timer.unref()
  void runOnce()
  return {
    runOnce,
    async close() {
      isClosing = true
      clearInterval(timer)
      await running
    },
  }
}
