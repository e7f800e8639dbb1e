import { LRUCache } from 'lru-cache'
import { assert, suite } from '../../fixtures/test.ts'
import { forgetStale } from './forgetStale.ts'

const s = suite('runtime/forgetStale')

s(
  'lets two go of who has been away for longest, as far as they are stale [24/forget-stale]',
  () => {
    const atMs = new LRUCache<string, number>({ max: 10 })
    for (const [name, at] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 9],
    ] as const)
      atMs.set(name, at)
    const forget = (before: number) => {
      forgetStale(atMs, (at) => at < before)
      return [...atMs.keys()].toSorted().join('')
    }
    assert.is(forget(1), 'abcd')
    assert.is(forget(4), 'cd')
    atMs.get('c')
    assert.is(forget(4), 'cd', 'who came since is no reason to look further')
    assert.is(forget(10), '')
    assert.is(forget(10), '')
  },
)
s.run()
