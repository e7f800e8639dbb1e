import { getAddress, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createRefreshBook } from './refreshBook.ts'

const s = suite('when what moves without events is read')
const poolOf = (n: number): PoolRecord => {
  const id = numberToHex(n + 1, { size: 20 })
  const head = { id, address: getAddress(id), dex: 'x', protocol: 'aerodrome_v2' } as const
  const rest = { tokens: [], feePips: 3_000, changedBlock: 1n, isFresh: [], swapsSeen: 0 }
  const state = { stable: false, isPaused: false, unit0: 1n, unit1: 1n } as const
  return { ...head, ...rest, ...state, reserve0: 1n, reserve1: 1n }
}
const [still, moving] = [poolOf(1), poolOf(2)] as const

/** Blocks one after the other, each of which finds that `moving` has moved where it is read; who is read at which. */
function follow({ blocks, roundBlocks }: { blocks: bigint; roundBlocks: bigint }) {
  const book = createRefreshBook({ refreshMs: Number(roundBlocks), blockTimeMs: 1 })
  const read = new Map<string, bigint[]>([still, moving].map(({ id }) => [id, []]))
  for (let to = 1_001n; to <= 1_000n + blocks; to += 1n)
    for (const { id } of book.due([still, moving], { from: to - 1n, to })) {
      read.get(id)?.push(to)
      if (id === moving.id) book.moved(id, to)
    }
  const gapsOf = ({ id }: PoolRecord) =>
    (read.get(id) ?? []).slice(1).map((at, index) => at - (read.get(id)?.[index] ?? 0n))
  return { book, gapsOf }
}

for (const roundBlocks of [1n, 8n])
  s(
    `is each ${roundBlocks} blocks where it moves, and ever more rarely where it stands still [nodes/refresh-rarely]`,
    () => {
      const { gapsOf } = follow({ blocks: 400n * roundBlocks, roundBlocks })
      assert.equal(new Set(gapsOf(moving)), new Set([roundBlocks]))
      const gaps = gapsOf(still).map((gap) => Number(gap / roundBlocks))
      assert.equal(
        gaps,
        gaps.toSorted((one, other) => one - other),
      )
      assert.equal(new Set(gaps), new Set([1, 2, 4]))
      // Never for longer than a sixteenth of the time that it has stood still for.
      let passed = 0
      for (const gap of gaps) {
        assert.ok(gap === 1 || gap <= (passed + gap) / 16, `${gap} after ${passed}`)
        passed += gap
      }
    },
  )

s(
  'is each time again once something has moved, and of a pool that is new [nodes/refresh-rarely]',
  () => {
    const { book } = follow({ blocks: 300n, roundBlocks: 1n })
    book.moved(still.id, 1_300n)
    const due = (to: bigint) => book.due([still, poolOf(3)], { from: to - 1n, to }).length
    assert.equal([1_301n, 1_302n, 1_303n].map(due), [2, 2, 2])
  },
)

s(
  'is each time of a pool of which no event tells and that has moved once, however long ago: it may with its next swap [nodes/refresh-restless]',
  () => {
    const curve = { ...poolOf(4), protocol: 'balancer_v2_stable' } as unknown as PoolRecord
    const book = createRefreshBook({ refreshMs: 1, blockTimeMs: 1 })
    const due = (to: bigint) => book.due([still, moving, curve], { from: to - 1n, to })
    due(1_001n)
    for (const { id } of [moving, curve]) book.moved(id, 1_001n)
    const rounds = Array.from({ length: 400 }, (_, n) =>
      due(1_002n + BigInt(n)).map(({ id }) => id),
    )
    assert.is(rounds.filter((ids) => ids.includes(moving.id)).length, 400)
    for (const { id } of [still, curve])
      assert.ok(rounds.filter((ids) => ids.includes(id)).length < 200)
  },
)

s(
  'is at every block of a chain that mines on demand, where no time is named [nodes/refresh-lab]',
  () => {
    const book = createRefreshBook({ refreshMs: 0, blockTimeMs: 2_000 })
    for (let to = 1_001n; to <= 1_400n; to += 1n)
      assert.is(book.due([still], { from: to - 1n, to }).length, 1)
  },
)

s('is now where many blocks have come at once', () => {
  const { book } = follow({ blocks: 300n, roundBlocks: 1n })
  assert.is(book.due([still], { from: 1_301n, to: 1_306n }).length, 1)
})
s.run()
