import { assert, suite } from '../../fixtures/test.ts'
import { keepDoing } from './keepDoing.ts'

const s = suite('commands/keepDoing')
const hourMs = 3_600_000

/** What is done when, in minutes, by a clock that jumps from look to look. */
async function watch({
  hours,
  startsAtMs = 0,
  lastMs = 0,
  isNeeded = async () => false,
  works = () => true,
}: {
  readonly hours: number
  readonly startsAtMs?: number
  readonly lastMs?: number
  readonly isNeeded?: (minute: number) => Promise<boolean>
  readonly works?: (minute: number) => boolean
}) {
  const [done, failures]: [number[], number[]] = [[], []]
  const ending = new AbortController()
  let nowMs = startsAtMs
  const minute = () => nowMs / 60_000
  const job = {
    what: 'backup',
    everyMs: hourMs,
    agoMs: startsAtMs - lastMs,
    isNeeded: () => isNeeded(minute()),
    async work() {
      if (!works(minute())) throw new Error('disk full')
      done.push(minute())
    },
  }
  await keepDoing([job], {
    signal: ending.signal,
    failed: (what, { message }) => {
      assert.equal([what, message], ['backup', 'disk full'])
      failures.push(minute())
    },
    now: () => nowMs,
    async pause(ms) {
      nowMs += ms
      if (nowMs >= hours * hourMs) ending.abort()
    },
  })
  return { done, failures }
}

s(
  'does a job when it is due, counted from when it was last done [24/backup-schedule]',
  async () => {
    const startsAtMs = 0.5 * hourMs
    assert.equal(await watch({ hours: 3, startsAtMs }), { done: [60, 120], failures: [] })
  },
)

s('does one at once that was never done, or whose time passed meanwhile', async () => {
  const { done } = await watch({ hours: 9, startsAtMs: 7.5 * hourMs, lastMs: 3 * hourMs })
  assert.equal(done, [450, 510])
})

s('waits no longer than usual where a clock that was ahead has noted the last', async () => {
  const { done } = await watch({ hours: 3, lastMs: 9_000 * hourMs })
  assert.equal(done, [60, 120])
})

s('tries one that fails again, but not at every look [24/backup-fails]', async () => {
  const { done, failures } = await watch({ hours: 3, works: (minute) => minute >= 85 })
  assert.equal(
    [failures, done],
    [
      [60, 70, 80],
      [90, 150],
    ],
  )
})

s('does one before its time where that is needed', async () => {
  const { done } = await watch({ hours: 2, isNeeded: async (minute) => minute === 25 })
  assert.equal(done, [25, 85])
})
s.run()
