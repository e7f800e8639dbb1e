import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createSuspects } from './suspects.ts'

const s = suite('suspects')
s.after.each(() => {
  mock.timers.reset()
  mock.restoreAll()
})
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const bomb: Candidate = {
  target: address('a'),
  data: '0x01020304ffff',
  value: 0n,
  tokenIn: address('b'),
  tokenOut: address('c'),
  amountIn: 1n,
  spender: undefined,
}

s('knows a candidate again by target, function and tokens, whatever else it says', () => {
  const suspects = createSuspects()
  assert.not(suspects.has(bomb))
  suspects.add(bomb)
  assert.ok(suspects.has({ ...bomb, data: '0x01020304', amountIn: 2n, target: address('A') }))
})
s('has nothing against other tokens through the same router, or other functions of it', () => {
  const suspects = createSuspects()
  suspects.add(bomb)
  assert.not(suspects.has({ ...bomb, tokenIn: address('d') }))
  assert.not(suspects.has({ ...bomb, tokenOut: address('d') }))
  for (const data of ['0x05', '0x02020304ffff', '0x01020305ffff'] as const)
    assert.not(suspects.has({ ...bomb, data }))
})
s(
  'has nothing against candidates of another kind, where kinds can be told [strangers/kinds]',
  () => {
    const suspects = createSuspects(({ data }) => data.slice(-2))
    suspects.add(bomb)
    assert.ok(suspects.has({ ...bomb, amountIn: 2n }))
    assert.not(suspects.has({ ...bomb, data: '0x01020304ffee' }))
  },
)
s('believes once that it was not meant so', () => {
  const suspects = createSuspects()
  suspects.acquit(bomb)
  suspects.add(bomb)
  assert.ok(suspects.has(bomb))
  suspects.acquit(bomb)
  assert.not(suspects.has(bomb))
  suspects.add(bomb)
  suspects.acquit(bomb)
  assert.ok(suspects.has(bomb))
})
s('forgets after five minutes', () => {
  let nowMs = 10_000
  mock.method(performance, 'now', () => nowMs)
  // A cache looks at the clock anew with each timer of its own.
  mock.timers.enable({ apis: ['setTimeout'] })
  const suspects = createSuspects()
  suspects.add(bomb)
  const isKnownAt = (ms: number) => {
    nowMs = ms
    mock.timers.tick(1)
    return suspects.has(bomb)
  }
  assert.equal([isKnownAt(310_000), isKnownAt(310_001)], [true, false])
})
s.run()
