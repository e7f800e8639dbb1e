import { assert, suite } from '../fixtures/test.ts'
import { hiddenLoopback } from './hiddenLoopback.ts'

const s = suite('simulator/hiddenLoopback')

s('is any address of 127/8 that a machine may have, where all of them are its own', () => {
  const found = Array.from({ length: 10_000 }, () => hiddenLoopback('linux').split('.').map(Number))
  const spans = [0, 1, 2, 3].map((at) => {
    const all = found.map((parts) => parts[at] ?? -1)
    return [Math.min(...all), Math.max(...all)]
  })
  assert.equal(spans, [
    [127, 127],
    [1, 254],
    [0, 255],
    [1, 254],
  ])
})
s('is the one that there is elsewhere', () => {
  for (const platform of ['darwin', 'win32'] as const)
    assert.is(hiddenLoopback(platform), '127.0.0.1')
})
s.run()
