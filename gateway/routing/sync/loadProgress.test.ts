import { assert, suite } from '../../../fixtures/test.ts'
import { createLoadProgress } from './loadProgress.ts'

const s = suite('how long a load still takes')

s('is told by the pace so far, pool by pool [nodes/load-left]', () => {
  const clock = { ms: 5_000 }
  const { begin, reach, end, leftMs } = createLoadProgress({ now: () => clock.ms })
  assert.is(leftMs(), undefined)
  begin(2_000)
  clock.ms += 10_000
  assert.is(leftMs(), undefined)
  // Of one exchange that has most of them, or of several: each pool counts alike.
  reach(200)
  assert.is(leftMs(), 90_000)
  reach(300)
  assert.is(leftMs(), 30_000)
  // A node that has become slower takes longer for the rest, too.
  clock.ms += 20_000
  assert.is(leftMs(), 90_000)
  reach(1_500)
  assert.is(leftMs(), 0)
  end()
  assert.is(leftMs(), undefined)
  begin(2)
  assert.is(leftMs(), undefined)
})
s.run()
