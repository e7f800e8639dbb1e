import { runInThisContext } from 'node:vm'
import { assert, suite } from '../../../fixtures/test.ts'
import { createAllocationReader, sumAllocated } from './allocation.ts'

const s = suite('bench/costs/allocation')

s('is all that came between collections, whatever they let go', () => {
  const collections = [
    { beforeBytes: 150, afterBytes: 20 },
    { beforeBytes: 90, afterBytes: 90 },
  ]
  assert.is(sumAllocated({ fromBytes: 100, untilBytes: 95, collections }), 50 + 70 + 5)
  assert.is(sumAllocated({ fromBytes: 100, untilBytes: 130, collections: [] }), 30)
})

/** Bytes that a process tells of while it works, this one. */
async function readWhile(work: () => void): Promise<number> {
  const read = createAllocationReader(async (expression) => runInThisContext(expression))
  assert.is(await read(), 0)
  work()
  return read()
}
const megabytes = (bytes: number) => Math.round(bytes / 1e6)

s('objects that are gone again are counted [24/memory-allocated]', async () => {
  let last: readonly number[] = []
  const bytes = await readWhile(() => {
    for (let at = 0; at < 10_000; at += 1) last = new Array(1_000).fill(at)
  })
  assert.is(last[0], 9_999)
  assert.ok(Math.abs(bytes / 80e6 - 1) < 0.1, `${megabytes(bytes)} MB instead of 80`)
})
s('so are buffers, which lie outside of the heap [24/memory-allocated]', async () => {
  let last = new Float64Array(0)
  const bytes = await readWhile(() => {
    for (let at = 0; at < 1_000; at += 1) last = new Float64Array(10_000)
  })
  assert.is(last.length, 10_000)
  assert.ok(Math.abs(bytes / 80e6 - 1) < 0.1, `${megabytes(bytes)} MB instead of 80`)
})
s('and what stays is counted once, however often it is asked', async () => {
  const read = createAllocationReader(async (expression) => runInThisContext(expression))
  await read()
  const kept = Array.from({ length: 100 }, () => new Float64Array(100_000))
  const once = await read()
  const again = await read()
  assert.is(kept.length, 100)
  assert.ok(Math.abs(once / 80e6 - 1) < 0.1, `${megabytes(once)} MB instead of 80`)
  assert.ok(again - once < 1e6, `${again - once} bytes more`)
})
s.run()
