import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLoop } from '../runtime/loop.ts'
import type { SignCheckpoint } from '../store/checkpoints.ts'
import type { Store } from '../store/ports.ts'

type Deps = {
  readonly store: Pick<Store, 'checkpoints'>
  readonly sign: SignCheckpoint
  /** Charges and refunds keep their rows for so long; 0: for ever. */
  readonly detailDays: number
  readonly now: () => number
  readonly log: { warn(facts: object, message: string): void }
}

/** Rows of a day may have been written so long after it. */
const marginMs = 3_600_000
/** Few enough that nobody who is served beside it waits for a step. */
const rowsAtOnce = 500

/**
 * Days that are over become signed checkpoints, and details that are old enough go. Every gateway of a database
 * tries, one at a time gets its step; what one leaves half done, whoever comes next goes on with.
 */
export function keepCheckpoints(deps: Deps, { everyMs = 60_000 } = {}) {
  const { store, sign, detailDays, now, log } = deps
  const { checkpoints } = store
  let isClosing = false

  async function untilDone(step: () => Promise<boolean>): Promise<void> {
    while (!isClosing && (await step())) await nextTurn()
  }
  async function pass(): Promise<void> {
    const most = rowsAtOnce
    await untilDone(() => checkpoints.advance({ nowMs: now(), marginMs, most, sign }))
    if (detailDays === 0) return
    await untilDone(() => checkpoints.prune({ nowMs: now(), detailDays, most }))
  }
  const loop = createLoop({
    everyMs,
    run: pass,
    // The database is away or full, which others tell of; the next pass goes on from the same rows.
    failed: (cause) => log.warn({ reason: (cause as Error).name }, 'the ledger was not rolled up'),
  })
  loop.start()
  return {
    runOnce: loop.runNow,
    async close() {
      isClosing = true
      await loop.stop()
    },
  }
}
