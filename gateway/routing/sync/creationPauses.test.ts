import { assert, suite } from '../../../fixtures/test.ts'
import { getDexes } from '../../chain/chains.ts'
import { createCreationScan } from './creationScan.ts'

const s = suite('pauses of a scan')

s('double up to an hour, until something is given [teeth/scan-pauses]', async () => {
  let nowMs = 0
  let isAway = true
  async function request() {
    if (isAway) throw new Error('gone')
    return []
  }
  const tokens = { addresses: () => [] }
  const scan = createCreationScan({ dexes: getDexes(8453), tokens, now: () => nowMs })
  const client = { request } as unknown as Parameters<typeof scan.step>[0]['client']
  /** A step, and that the next one is due after so long. */
  async function step(dueInMs: number) {
    const given = await scan.step({ client })
    assert.is(given === undefined, isAway)
    nowMs += dueInMs - 1
    assert.is(scan.isDue(), false, `${dueInMs} ms`)
    nowMs += 1
    assert.is(scan.isDue(), true, `${dueInMs} ms`)
  }
  // So few that none would be given where fewer are asked for.
  scan.begin(400n)
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) await step(minutes * 60_000)
  isAway = false
  await step(10_000)
  isAway = true
  for (const minutes of [1, 2]) await step(minutes * 60_000)
})
s.run()
