import { assert, suite } from '../../../fixtures/test.ts'
import { measureCosts, type Work } from './measureCosts.ts'
import type { Usage } from './readUsage.ts'

const s = suite('bench/costs/measureCosts')

/** A gateway of which each block and each quote takes a known part, and each quote some of what comes with a block. */
function pretend() {
  let usage: Usage = {
    gatewayMs: 1_000,
    forksMs: 0,
    nodesMs: 500,
    upstreamCalls: 7,
    allocatedBytes: 1e9,
  }
  let alive = 80e6
  let collections = 0
  const take = (ms: number, { allocated, kept }: { allocated: number; kept: number }) => {
    usage = {
      ...usage,
      gatewayMs: usage.gatewayMs + ms,
      upstreamCalls: usage.upstreamCalls + 1,
      allocatedBytes: usage.allocatedBytes + allocated,
    }
    alive += kept
  }
  const block = () => take(17, { allocated: 900_000, kept: 1_000 })
  const works: readonly Work[] = [
    {
      what: 'a block',
      count: 10,
      async run() {
        for (let at = 0; at < 10; at += 1) block()
        return undefined
      },
    },
    {
      what: 'a quote',
      count: 40,
      less: ['a block', 1 / 20],
      async run() {
        block()
        block()
        for (let at = 0; at < 40; at += 1) take(3, { allocated: 50_000, kept: 200 })
        return 4_003
      },
    },
  ]
  return {
    works,
    collections: () => collections,
    read: async () => usage,
    async readAlive() {
      collections += 1
      // A collection is work of the gateway, too.
      take(90, { allocated: 0, kept: 0 })
      return alive
    },
  }
}

s(
  'each row has its own part, in time and in memory, without what came with it [24/memory-kept]',
  async () => {
    const { works, read, readAlive, collections } = pretend()
    const [block, quote] = await measureCosts({ read, readAlive }, works)
    const round = (value = Number.NaN) => Math.round(value * 1e6) / 1e6
    assert.is(round(block?.each.gatewayMs), 17)
    assert.is(round(block?.each.allocatedBytes), 900_000)
    assert.is(round(block?.keptBytes), 1_000)
    assert.is(block?.bytes, undefined)
    assert.is(round(quote?.each.gatewayMs), 3)
    assert.is(round(quote?.each.upstreamCalls), 1)
    assert.is(round(quote?.each.allocatedBytes), 50_000)
    assert.is(round(quote?.keptBytes), 200)
    assert.is(quote?.bytes, 4_003)
    assert.is(collections(), 3)
  },
)
s.run()
