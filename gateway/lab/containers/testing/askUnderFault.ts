import { setTimeout as wait } from 'node:timers/promises'
import { assert } from '../../../../fixtures/test.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import type { LiveStack } from './liveStack.ts'
import { restMsOf } from './loadPace.ts'

export type Tally = { acknowledged: number; refused: number; unknown: number }

const sides = 8
const patient = { deadlineMs: 180_000, everyMs: 100 }
/** Whoever is refused comes no sooner: a connection of its own costs more than an answer. */
const refusedRestMs = 50

/**
 * Asks from eight sides until stopped; what is acknowledged was charged, what is cut off may have been.
 * Each side rests for `restMs` after an answer.
 */
function startAsking({ quote }: Pick<LiveStack, 'quote'>, { restMs = restMsOf(sides) } = {}) {
  const tally: Tally = { acknowledged: 0, refused: 0, unknown: 0 }
  let isOver = false
  async function ask() {
    while (!isOver) {
      const status = await quote().then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 200) tally.acknowledged += 1
      else if (status === 503) tally.refused += 1
      else tally.unknown += 1
      await wait(status === 200 ? restMs : Math.max(restMs, refusedRestMs))
    }
  }
  const asking = Promise.all(Array.from({ length: sides }, ask))
  return {
    tally,
    async stop(): Promise<Tally> {
      isOver = true
      await asking
      return tally
    },
  }
}

/**
 * Runs the fault under load, and waits until it is busy again. Then everything acknowledged is charged,
 * nothing that was refused is, and each balance is the sum of its ledger.
 */
export async function keepBooksUnder(
  stack: Pick<LiveStack, 'quote' | 'readUsed' | 'audit'>,
  fault: () => Promise<void>,
  load: { readonly restMs?: number } = {},
): Promise<Tally> {
  const before = await stack.readUsed()
  const asking = startAsking(stack, load)
  await waitFor('it is busy', () => asking.tally.acknowledged > 20, patient)
  await fault()
  const at = asking.tally.acknowledged
  await waitFor('it is busy again', () => asking.tally.acknowledged > at + 20, patient)
  const { acknowledged, refused, unknown } = await asking.stop()
  const charged = (await stack.readUsed()) - before
  assert.ok(charged >= acknowledged, `${charged} charged, ${acknowledged} acknowledged`)
  assert.ok(charged <= acknowledged + unknown, `${charged} charged, ${unknown} unknown`)
  assert.equal(await stack.audit(), [])
  return { acknowledged, refused, unknown }
}
