import { assert, suite } from '../../fixtures/test.ts'
import { readRetryAfterSecs } from './retryAfter.ts'

const s = suite('Retry-After')
const nowMs = Date.parse('2026-11-23T08:00:00.500Z')

for (const [header, secs] of [
  ['7', 7],
  ['1.5', 1.5],
  ['0', 0],
  ['Mon, 23 Nov 2026 08:00:30 GMT', 30],
  ['Monday, 23-Nov-26 08:00:30 GMT', 30],
  ['Mon, 23 Nov 2026 07:59:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['99999999999', 86_400],
  ['9'.repeat(400), 86_400],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
] as const)
  s(`reads ${header?.slice(0, 40)} [client/retry-after]`, () => {
    assert.is(readRetryAfterSecs(header, nowMs), secs)
  })
s.run()
