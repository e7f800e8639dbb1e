import { assert } from '../../../../fixtures/test.ts'
import { waitFor } from '../../../../simulator/testing/waitFor.ts'
import { type CallersOfKind, countAnswered, readBooked, startCallers } from './countCallers.ts'
import type { LiveStack } from './liveStack.ts'

const patient = { deadlineMs: 180_000, everyMs: 100 }

/**
 * Updates a stack while callers ask it, until they are answered again: what they were answered is what was booked,
 * no more and no less, and each balance is the sum of its ledger.
 */
export async function countUnder(
  stack: LiveStack,
  { apiKey, update }: { readonly apiKey: string; update(): Promise<unknown> },
): Promise<{
  readonly kinds: readonly CallersOfKind[]
  readonly answered: number
  readonly refused: number
}> {
  const door = { port: stack.ports['HTTPS_PORT'] ?? 0, apiKey }
  const before = await readBooked(door)
  const calling = startCallers(door, {
    ofEachKind: 2,
    bodyOf: (count) => ({ ...stack.quoteBody, amount_in: `${10 ** 15 + count}` }),
  })
  const answersAfter = (count: number) => {
    const at = calling.answered()
    return () => calling.answered() >= at + count
  }
  await waitFor('callers are answered', answersAfter(20), patient)
  await update()
  await waitFor('callers are answered again', answersAfter(20), patient)
  const kinds = await calling.stop()
  const answered = countAnswered(kinds)
  assert.is((await readBooked(door)) - before, answered, 'booked is what was answered')
  assert.equal(await stack.audit(), [])
  const asked = kinds.flatMap(({ counts }) => [...counts.values()])
  return { kinds, answered, refused: asked.reduce((sum, count) => sum + count, 0) - answered }
}
