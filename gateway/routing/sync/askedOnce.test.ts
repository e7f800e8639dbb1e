import { assert, suite } from '../../../fixtures/test.ts'
import { createAskedOnce, listDiffering } from './askedOnce.ts'

const s = suite('ranges that were asked for once')

const span = { blocks: 10, most: 10, growth: 1 }

/** Where each look began, of these ranges of ten blocks; a look that is named gets so many blocks. */
async function look(
  starts: readonly bigint[],
  given: Readonly<Record<number, bigint>>,
  count: number,
) {
  let nowMs = 0
  const asked = createAskedOnce({ now: () => nowMs })
  const heard = { logs: [], span, wasFollowed: () => true }
  for (const fromBlock of starts) await asked.note({ ...heard, fromBlock, toBlock: fromBlock + 9n })
  return Array.from({ length: count }, (_, at) => {
    nowMs += 1_000
    const part = asked.pick()
    const blocks = given[at]
    if (part && blocks !== undefined) asked.done(part, part.fromBlock + blocks - 1n)
    else if (part) asked.failed(part)
    return part?.fromBlock
  })
}

s(
  'bar no others where they are refused, and are given up in the end [nodes/range-given-up]',
  async () => {
    const both = [1n, 11n, 1n, 11n, 1n, 1n, 1n, undefined]
    assert.equal(await look([1n, 11n], { 3: 10n }, 8), both)
    const once = [1n, 1n, 1n, 1n, 1n]
    assert.equal(await look([1n], { 4: 1n }, 11), [...once, 2n, 2n, 2n, 2n, 2n, undefined])
  },
)

s('are named some at a time, with turns for others in between [nodes/range-names]', async () => {
  const logs = Array.from({ length: 10_000 }, (_, logIndex) => ({
    address: '0x1',
    topics: [],
    data: '0x' as const,
    blockNumber: 1n,
    blockHash: '0x1',
    logIndex,
  }))
  let [turns, isOver] = [0, false]
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const asked = createAskedOnce({ now: () => 0 })
  await asked.note({ logs, span, fromBlock: 1n, toBlock: 1n, wasFollowed: () => true })
  const noted = turns
  const part = asked.pick()
  assert.is(part?.told.size, logs.length)
  if (part) assert.equal(await listDiffering(part, { logs, whose: 'other' }), [])
  isOver = true
  assert.ok(noted >= 10 && turns - noted >= 10, `${noted} and ${turns - noted} turns`)
})

s(
  'have a pool read once behind them, and again behind later ones [nodes/range-again-once]',
  async () => {
    const asked = createAskedOnce({ now: () => 0 })
    const part = { logs: [], span, fromBlock: 1n, toBlock: 100n, wasFollowed: () => true }
    await asked.note(part)
    const early = asked.pick()
    if (!early) throw new Error('it is time')
    assert.equal(asked.listUnread(early, ['a', 'b']), ['a', 'b'])
    asked.read(['a'], 120n)
    assert.equal(asked.listUnread(early, ['a', 'b']), ['b'])
    assert.equal(asked.listUnread({ ...early, toBlock: 120n }, ['a', 'b']), ['b'])
    assert.equal(asked.listUnread({ ...early, toBlock: 121n }, ['a', 'b']), ['a', 'b'])
    await asked.note(part)
    assert.equal(asked.listUnread(early, ['a', 'b']), ['b'])
  },
)

s('are picked once a second, the newest 32 of them [teeth/asked-once]', async () => {
  let nowMs = 0
  const asked = createAskedOnce({ now: () => nowMs })
  const part = { logs: [], span, wasFollowed: () => true }
  const note = (from: bigint) => asked.note({ ...part, fromBlock: from, toBlock: from })
  for (let from = 0n; from < 33n; from += 1n) await note(from)
  const first = asked.pick()
  assert.is(first?.fromBlock, 1n)
  nowMs = 999
  assert.is(asked.pick(), undefined)
  nowMs = 1_000
  assert.is(asked.pick(), first)
  // Whoever is gone for newer ones does not come back.
  await note(33n)
  if (first) asked.failed(first)
  for (let from = 2n; from < 34n; from += 1n) {
    nowMs += 1_000
    const next = asked.pick()
    assert.is(next?.fromBlock, from)
    if (next) asked.done(next, from)
  }
  nowMs += 1_000
  assert.is(asked.pick(), undefined)
  asked.read(['a'], 90n)
  await note(80n)
  nowMs += 1_000
  const late = asked.pick()
  assert.equal(late && asked.listUnread(late, ['a']), ['a'])
})

s(
  'differ by what is told more, and less up to the last block told of [teeth/differing]',
  async () => {
    const logAt = (address: string, blockNumber: bigint) => ({
      address,
      topics: [],
      data: '0x' as const,
      blockNumber,
      blockHash: `0x${blockNumber}`,
      logIndex: 0,
    })
    const [early, amid, late] = [logAt('0xa', 5n), logAt('0xb', 7n), logAt('0xc', 9n)]
    const asked = createAskedOnce({ now: () => 0 })
    const wasFollowed = (id: string) => id !== '0xf'
    const logs = [early, amid, late]
    await asked.note({ logs, span, fromBlock: 5n, toBlock: 9n, wasFollowed })
    const part = asked.pick()
    if (!part) throw new Error('it is time')
    const differ = (
      told: readonly ReturnType<typeof logAt>[],
      whose: 'other' | 'same',
      from = 5n,
    ) => listDiffering({ ...part, fromBlock: from }, { logs: told, whose })
    const more = [logAt('0xd', 7n), logAt('0xf', 7n)]
    assert.equal(await differ(logs, 'other'), [])
    assert.equal(await differ([early, ...more], 'other'), ['0xd', '0xb'])
    assert.equal(await differ(more, 'other'), ['0xd', '0xa', '0xb'])
    assert.equal(await differ(more, 'other', 6n), ['0xd', '0xb'])
    assert.equal(await differ(more, 'same'), ['0xd'])
    assert.equal(await differ([], 'other'), [])
    assert.equal(await differ([logAt('0xd', 6n)], 'other'), ['0xd', '0xa'])
  },
)
s.run()
