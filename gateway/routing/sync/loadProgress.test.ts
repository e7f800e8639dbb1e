import { assert, suite } from '../../../fixtures/test.ts'
import { createLoadProgress } from './loadProgress.ts'

const s = suite('how long a load still takes')

s('is told by the pace so far, part by part [nodes/load-left]', () => {
  const clock = { ms: 5_000 }
  const { begin, reach, end, leftMs } = createLoadProgress({ now: () => clock.ms })
  assert.is(leftMs(), undefined)
  begin(4)
  clock.ms += 10_000
  assert.is(leftMs(), undefined)
  reach(0.5)
  assert.is(leftMs(), 70_000)
  reach(1)
  assert.is(leftMs(), 30_000)
  // A node that has become slower takes longer for the rest, too.
  clock.ms += 20_000
  assert.is(leftMs(), 90_000)
  for (let part = 0; part < 3; part += 1) reach(1)
  assert.is(leftMs(), 0)
  end()
  assert.is(leftMs(), undefined)
  begin(2)
  assert.is(leftMs(), undefined)
})
s.run()
