import { assert, suite } from '../../fixtures/test.ts'
import { createSyncLog } from './syncLog.ts'

const s = suite('sync log')

function openLog() {
  const lines: (readonly [level: string, line: unknown])[] = []
  const keep = (level: string) => (line: unknown) => void lines.push([level, line])
  const log = { info: keep('info'), warn: keep('warn'), debug: keep('debug') }
  const clock = { ms: 5_000 }
  const tell = createSyncLog(log as never, { now: () => clock.ms })
  return { lines, clock, tell }
}

s(
  'tells of failures once in ten seconds of each chain, and how many they were [24/sync-log]',
  () => {
    const { lines, clock, tell } = openLog()
    const failed = (chainId: number, reason: string) => tell({ event: 'failed', chainId, reason })
    failed(8453, 'refused')
    failed(42161, 'refused')
    clock.ms += 9_999
    failed(8453, 'refused')
    failed(8453, 'timed out')
    assert.equal(lines, [
      ['warn', { event: 'failed', chainId: 8453, reason: 'refused', times: 1 }],
      ['warn', { event: 'failed', chainId: 42161, reason: 'refused', times: 1 }],
    ])
    clock.ms += 1
    failed(8453, 'refused again')
    clock.ms += 10_000
    failed(8453, 'the next')
    // These are told when it fails again: two hours of them are no burst.
    failed(8453, 'the next')
    clock.ms += 7_200_000
    failed(8453, 'much later')
    assert.equal(lines.slice(2), [
      [
        'warn',
        { event: 'failed', chainId: 8453, reason: 'refused again', times: 3, overMs: 10_000 },
      ],
      ['warn', { event: 'failed', chainId: 8453, reason: 'the next', times: 1, overMs: 10_000 }],
      [
        'warn',
        { event: 'failed', chainId: 8453, reason: 'much later', times: 2, overMs: 7_200_000 },
      ],
    ])
  },
)

s('tells of everything else each time, of what is wrong as a warning [24/sync-log]', () => {
  const { lines, tell } = openLog()
  const loaded = { event: 'loaded', chainId: 8453, pools: 2, ms: 3 } as const
  const healed = { event: 'healed', chainId: 8453, pools: 1 } as const
  const doubted = { event: 'logs_doubted', chainId: 8453 } as const
  for (const event of [loaded, loaded, healed, healed, doubted]) tell(event)
  assert.equal(lines, [
    ['info', loaded],
    ['info', loaded],
    ['warn', healed],
    ['warn', healed],
    ['debug', doubted],
  ])
})
s.run()
