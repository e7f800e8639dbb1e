import { assert, suite } from '../../../fixtures/test.ts'
import { createLimits } from './limits.ts'

const s = suite('limits of size that were guessed, over squeezed time')
const hour = 3_600_000
const day = 24 * hour
const none = [undefined, undefined, undefined, undefined]
const size = { calls: 3, bytes: 60_000, gas: 25_000_000, blocks: 10_000 }
const kinds = ['batch_too_large', 'body_too_large', 'gas_cap', 'range_too_wide'] as const

function stand() {
  const clock = { ms: 1_000 }
  const limits = createLimits({ now: () => clock.ms })
  const read = () => {
    const { batchCalls, bodyBytes, callGas, logBlocks } = limits.read()
    return [batchCalls, bodyBytes, callGas, logBlocks]
  }
  return { clock, limits, read }
}

s('half of what was refused stands for a minute, and is none after calm [nodes/regrow]', () => {
  const { clock, limits, read } = stand()
  for (const kind of kinds) limits.refused({ kind }, size)
  const halved = [1, 32_768, 12_500_000, 5_000]
  assert.equal(read(), halved)
  clock.ms += 60_000
  assert.equal(read(), halved)
  clock.ms += 60_000
  const grown = read()
  assert.ok(
    grown.every((value, index) => value && value > (halved[index] ?? 0)),
    grown.join(),
  )
  clock.ms += 3_000_000
  assert.equal(read(), none)
  assert.is(limits.batchCalls(), 64)
})

s(
  'a number that the node has named stands for a minute, and twice as long after each time more [nodes/named-stands]',
  () => {
    const { clock, limits, read } = stand()
    const named = [2, 50_000, 10_000_000, 1_000]
    const name = () =>
      kinds.forEach((kind, index) => {
        limits.refused({ kind, limit: named[index] }, size)
      })
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      name()
      // Those that were under way are refused with it.
      clock.ms += 400
      name()
      clock.ms += minutes * 60_000
      assert.equal(read(), named, `${minutes} minutes`)
      clock.ms += 1
      assert.equal(read(), none, `${minutes} minutes`)
    }
    // One without a number is a guess beside it: it passes, and what was named is left.
    name()
    for (const kind of kinds) limits.refused({ kind }, { ...size, calls: 2, bytes: 40_000 })
    assert.equal(read().slice(0, 2), [1, 32_768])
    clock.ms += hour
    assert.equal(read(), named)
  },
)

s('a lie about a limit is no more after a minute, restarts or not [nodes/named-lie]', () => {
  const { clock, limits } = stand()
  const told = { kind: 'body_too_large', limit: 100_000 } as const
  for (const kind of kinds) limits.refused({ kind, limit: 1 }, size)
  for (let restart = 0; restart < 3; restart += 1) {
    const own = createLimits({ now: () => clock.ms })
    own.recall(limits.read())
    assert.equal(own.read(), limits.read())
    clock.ms += 60_001
    const { batchCalls, bodyBytes, callGas, logBlocks } = own.read()
    assert.equal([batchCalls, bodyBytes, callGas, logBlocks], none)
  }
  assert.is(limits.batchCalls(), 64)
  // Nor where it was told of the honest one for long.
  for (let time = 0; time < 8; time += 1, clock.ms += hour)
    limits.refused(told, { ...size, bytes: 200_000 })
  limits.refused({ ...told, limit: 40_000 }, { ...size, bytes: 90_000 })
  assert.is(limits.read().bodyBytes, 40_000)
  clock.ms += 60_001
  assert.is(limits.read().bodyBytes, undefined)
})

s('what is kept of another version bounds no more than a refusal does [nodes/named-lie]', () => {
  const { limits, read } = stand()
  limits.recall({ batchCalls: 0.5, bodyBytes: 1, callGas: 1.5, logBlocks: 7.5 })
  assert.equal(read(), [1, 32_768, 1_000_000, 7])
})

s('a number that would have let the request through is no limit [nodes/regrow]', () => {
  const { clock, limits, read } = stand()
  limits.refused({ kind: 'range_too_wide', limit: 20_000 }, size)
  assert.is(read().at(-1), 5_000)
  clock.ms += day
  assert.is(read().at(-1), undefined)
})

s('a node that never names its limit is tried beyond it less and less [nodes/regrow]', () => {
  const { clock, limits } = stand()
  let most = 20
  const askFor = (hours: number) => {
    const counted = { asked: 0, refused: 0, calls: 0 }
    for (const endMs = clock.ms + hours * 3_600_000; clock.ms < endMs; clock.ms += 1_000) {
      const calls = limits.batchCalls()
      const isRefused = calls > most
      if (isRefused) limits.refused({ kind: 'batch_too_large' }, { ...size, calls })
      else limits.took(calls)
      counted.asked += 1
      counted.refused += isRefused ? 1 : 0
      counted.calls += isRefused ? 0 : calls
    }
    return counted
  }
  const first = askFor(1)
  assert.ok(first.refused <= 8, `${first.refused} refused in the first hour`)
  const later = askFor(10)
  assert.ok(later.refused <= 10, `${later.refused} refused in ten hours`)
  assert.ok(later.calls / later.asked >= 10, `${later.calls / later.asked} calls in a batch`)
  // Its plan, or its load, is another one now.
  most = 64
  askFor(2)
  assert.is(limits.batchCalls(), 64)
})
s.run()
