import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import type { HeadSocket } from '../../chain/nodes/headSocket.ts'
import type { BlockHead } from '../reads/readHead.ts'
import { createHeadTicks } from './headTicks.ts'

const s = suite('when the head is looked at again')
const hourMs = 3_600_000
const headOf = (number: number, hash = `0x${number}`) =>
  ({ number: BigInt(number), hash, parentHash: '0x', timestampSecs: 0n }) as BlockHead

/** A socket whose heads a test tells. */
function createHeads() {
  const listeners = new Set<() => void>()
  const seen = { doubts: 0 }
  let told: ReturnType<HeadSocket['told']>
  const heads: HeadSocket = {
    told: () => told,
    listen(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    doubt() {
      seen.doubts += 1
    },
    close: () => undefined,
  }
  return {
    heads,
    seen,
    isHeard: () => listeners.size > 0,
    tell(number: number, hash = `0x${number}`) {
      told = { number, hash, highest: Math.max(number, told?.highest ?? 0) }
      for (const heard of [...listeners]) heard()
    },
  }
}

function stand() {
  const clock = { ms: 0 }
  const socket = createHeads()
  const stop = new AbortController()
  const { signal } = stop
  const now = () => clock.ms
  const ticks = createHeadTicks({ heads: socket.heads, pollMs: hourMs, signal, now })
  return { clock, stop, ticks, ...socket }
}

/** Blocks that came to be known by looking, so many seconds after one another. */
async function look(secs: number, numbers: readonly number[], heard: 'all' | 'none' | 'first') {
  const { clock, stop, ticks, tell, seen } = stand()
  // Over from the start: each look is compared with what was told, and nothing is waited for.
  stop.abort()
  for (const [index, number] of numbers.entries()) {
    if (heard === 'all' || (heard === 'first' && index === 0)) tell(number)
    await ticks.next(headOf(number))
    clock.ms += secs * 1_000
  }
  return seen.doubts
}

s(
  'at once where another head is told of, and not for one that is held [nodes/heads-wake]',
  async () => {
    const { stop, ticks, tell, isHeard } = stand()
    let isOver = false
    const next = ticks.next(headOf(100)).then(() => {
      isOver = true
    })
    await waitFor('it listens', isHeard)
    // The same again, one below it, a preview of it again.
    tell(100)
    tell(99)
    tell(100)
    await new Promise((resolve) => setImmediate(resolve))
    assert.not(isOver)
    tell(101)
    await next
    assert.not(isHeard())
    // Told while nobody listened: it is known, too.
    await ticks.next(headOf(100))
    // Another block of the same height is a reorganisation.
    tell(101, '0xother')
    await ticks.next(headOf(101))
    stop.abort()
  },
)

s('more and more slowly where another head is told of in vain [nodes/heads-vain]', async () => {
  for (const ahead of [0, 1]) {
    const { stop, ticks, tell } = stand()
    const sinceMs = performance.now()
    // A false sibling, and the next one before it is there: each look leaves the same head.
    for (let looks = 0; looks < 3; looks += 1) {
      tell(100 + ahead, `0xfalse${looks}`)
      await ticks.next(headOf(100))
    }
    stop.abort()
    // 100 ms for each of them before.
    const tookMs = performance.now() - sinceMs
    assert.ok(tookMs > 650, `${tookMs} ms`)
  }
})

s('no more once it is over', async () => {
  const { stop, ticks, isHeard } = stand()
  const next = ticks.next(headOf(100))
  await waitFor('it listens', isHeard)
  stop.abort()
  await next
})

s(
  'doubts a socket that does not tell of heads which there are, once in a while [nodes/heads-deaf]',
  async () => {
    assert.is(await look(5, [100, 101, 102, 103, 104, 105], 'none'), 1)
    assert.is(await look(5, [100, 101, 102, 103, 104, 105], 'first'), 1)
    assert.is(await look(5, [100, 101, 102, 103, 104, 105], 'all'), 0)
  },
)

s('doubts a socket that tells of heads which nobody finds [nodes/heads-false]', async () => {
  const { clock, stop, ticks, tell, seen } = stand()
  stop.abort()
  /** Blocks two seconds after one another, of a socket that is so far ahead. */
  const follow = async (numbers: readonly number[], ahead: number) => {
    for (const number of numbers) {
      tell(number + ahead)
      await ticks.next(headOf(number))
      clock.ms += 2_000
    }
  }
  await follow([100, 101, 102, 103, 104, 105, 106, 107, 108, 109], 2)
  assert.is(seen.doubts, 0)
  await follow([110, 111, 112, 113, 114, 115, 116, 117, 118, 119], 2 ** 40)
  assert.is(seen.doubts, 1)
})

s('believes a socket that is silent where the chain stands still [nodes/heads-deaf]', async () => {
  const still = Array<number>(400).fill(100)
  for (const heard of ['none', 'first'] as const) assert.is(await look(5, still, heard), 0)
})
s.run()
