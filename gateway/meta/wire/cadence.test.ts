import { mock } from 'node:test'
import { readEvents } from '../../../fixtures/meta/events.ts'
import { answerQuote, scriptSource } from '../../../fixtures/meta/quotes.ts'
import { quoteRequest, startScriptedMeta } from '../../../fixtures/meta/scriptedMeta.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Access } from '../../http/access.ts'
import type { TakeTurn } from '../turns.ts'
import { nextRefresh, type Pause } from './stream.ts'

const s = suite('meta/cadence')

/** A stream to its end, whose cycles take `cycleMs` each by a clock of its own, and its pauses no time. */
async function stream({ cycleMs = 0, access }: { cycleMs?: number; access?: Access } = {}) {
  let nowMs = 0
  const clock = mock.method(performance, 'now', () => nowMs)
  const pauses: number[] = []
  const pause: Pause = async (ms) => void pauses.push(ms)
  const answer = async () => {
    nowMs += cycleMs
    return answerQuote({ provider: 'a' })
  }
  const sources = [scriptSource({ name: 'a', answer })]
  const turns: unknown[] = []
  const takeTurn: TakeTurn = async ({ isRefresh }) => void turns.push(isRefresh)
  const meta = await startScriptedMeta({ sources, pause, takeTurn, access })
  const streamed = await fetch(`${meta.url}/quote/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...quoteRequest, refreshIntervalMs: 1_000 }),
  })
  const refreshes: { readonly cycle: number; readonly elapsedMs: number }[] = []
  let reason: unknown
  for await (const { event, data } of readEvents(streamed.body)) {
    if (event === 'refresh') refreshes.push(data as (typeof refreshes)[number])
    if (event === 'done') ({ reason } = data as { readonly reason?: string })
  }
  clock.mock.restore()
  await meta.close({ graceMs: 0 })
  return { pauses, refreshes, turns, reason }
}

s(
  'refreshes at each interval since a stream began, however long cycles take [meta/cadence]',
  async () => {
    const { pauses, refreshes } = await stream({ cycleMs: 40 })
    assert.equal([pauses.length, refreshes.length], [20, 20])
    for (const [index, { cycle, elapsedMs }] of refreshes.entries()) {
      assert.is(elapsedMs + (pauses[index] ?? 0), cycle * 1_000)
    }
  },
)
s('takes turns for its first answer and for its refreshes apart [meta/refresh-turns]', async () => {
  const { refreshes, turns } = await stream()
  assert.equal(turns, [false, ...refreshes.map(() => true)])
})
s(
  'takes a unit for each refresh, and says why there are no more [meta/refresh-units]',
  async () => {
    const weighed: number[] = []
    const access: Access = {
      identify: async () => undefined,
      limit: async ({ weight }) => {
        weighed.push(weight)
        const allowed = weighed.length <= 3
        return { allowed, limit: 3, remaining: 0, resetSecs: 1, retryAfterSecs: 1 }
      },
      charge: () => Promise.reject(new Error('nobody has a key')),
    }
    const { refreshes, reason } = await stream({ access })
    assert.equal([weighed, refreshes.length, reason], [[1, 1, 1, 1], 2, 'rate_limited'])
  },
)
s('leaves out the refreshes that a long cycle has missed, and gives none twice', () => {
  const next = (last: number, elapsedMs: number) =>
    nextRefresh(last, { elapsedMs, refreshIntervalMs: 1_000 })
  assert.is(next(0, 40), 1)
  assert.is(next(0, 2_300), 3)
  assert.is(next(1, 3_000), 4)
  assert.is(next(1, 9_490), 10)
  assert.is(next(1, 9_990), 11, 'the one that is due at once was had late')
  // A timer may be a little early.
  assert.is(next(1, 999.6), 2)
})
s.run()
