import { assert, suite } from '../fixtures/test.ts'
import { type Freshness, readTarget } from './freshness.ts'
import type { BlockId, Upstream } from './upstream.ts'

const s = suite('simulator/freshness')
const block = (blockNumber: bigint): BlockId => ({
  blockNumber,
  blockHash: `0x${blockNumber}`,
  timestampSecs: blockNumber,
})
/** What is forked of a chain whose head is 9, and which block was asked for beside that. */
async function read(freshness: Freshness, { isThere = true } = {}) {
  const asked: bigint[] = []
  let nowMs = 5
  const upstream = {
    async readHead() {
      nowMs = 900
      return block(9n)
    },
    async readBlock({ blockNumber }) {
      asked.push(blockNumber)
      return isThere ? block(blockNumber) : undefined
    },
  } as Upstream
  const { askedAtMs, ...target } = await readTarget({ upstream, now: () => nowMs }, freshness)
  assert.is(askedAtMs, 5, 'from when on nothing newer is known')
  assert.equal(target, block(target.blockNumber))
  return [target.blockNumber, asked]
}
const behind = (lagBlocks?: number): Freshness => ({ mode: 'interval', everyMs: 1, lagBlocks })

s('is the head, or so many blocks behind it', async () => {
  assert.equal(await read({ mode: 'head' }), [9n, []])
  assert.equal(
    [await read(behind()), await read(behind(0))],
    [
      [9n, []],
      [9n, []],
    ],
  )
  assert.equal(
    [await read(behind(1)), await read(behind(2))],
    [
      [8n, [8n]],
      [7n, [7n]],
    ],
  )
})
s('is the head of a chain that has not as many, or does not show that one', async () => {
  assert.equal(
    [await read(behind(9)), await read(behind(10))],
    [
      [0n, [0n]],
      [9n, []],
    ],
  )
  assert.equal(await read(behind(2), { isThere: false }), [9n, [7n]])
})
s.run()
