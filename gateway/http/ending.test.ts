import { assert, suite } from '../../fixtures/test.ts'
import { createEnding, ServiceStops } from './ending.ts'

const s = suite('http/ending')

s('tells whoever waits for it, and who comes after it', () => {
  const ending = createEnding()
  const [early, left, late] = [new AbortController(), new AbortController(), new AbortController()]
  ending.tell(early)
  ending.tell(left)()
  assert.equal([ending.hasCome(), ending.count()], [false, 1])
  ending.come()
  assert.is(ending.count(), 0)
  ending.tell(late)
  assert.ok(early.signal.reason instanceof ServiceStops)
  assert.ok(late.signal.reason instanceof ServiceStops)
  assert.not.ok(left.signal.aborted)
})

s.run()
