import { numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { createHeardBlocks } from './heardBlocks.ts'

const s = suite('when logs are held against another endpoint')
const filter = { topics: [], addresses: undefined }
const hashOf = (block: number) => numberToHex(block + 1, { size: 32 })
const judge = { name: 'judge' }

/** Blocks by a clock, each after the one before. */
function open() {
  const clock = { ms: 0 }
  const heard = createHeardBlocks({ now: () => clock.ms })
  let next = 0
  return {
    ...heard,
    clock,
    note(logs: readonly number[]) {
      const blocks = logs.map((count) => {
        const at = { number: BigInt(next), timestampSecs: BigInt(next) }
        const head = { ...at, hash: hashOf(next), parentHash: hashOf(next - 1) }
        next += 1
        return { head, logs: new Array<PoolLog>(count).fill({} as PoolLog) }
      })
      heard.note({ filter, blocks })
    },
    /** How many blocks are looked at, and from which on. */
    look() {
      const blocks = heard.pick(() => [judge])?.part.blocks
      return blocks && [Number(blocks[0]?.head.number), blocks.length]
    },
  }
}
const empty = (count: number) => new Array<number>(count).fill(0)

s(
  'is five seconds after the last of them, half a minute after the first of those before [teeth/heard-times]',
  () => {
    const { clock, note, look } = open()
    clock.ms = 1_000
    note(empty(1))
    clock.ms = 3_000
    note(empty(14))
    clock.ms = 7_999
    assert.is(look(), undefined)
    clock.ms = 8_000
    assert.equal(look(), [0, 15])
    clock.ms = 30_999
    note(empty(20))
    clock.ms = 31_000
    note(empty(20))
    clock.ms = 36_000
    assert.equal(look(), [35, 15])
  },
)
s('is as soon as there are as many logs as one answer may have [teeth/heard-full]', () => {
  for (const [logs, looked] of [
    [[998, 1], undefined],
    [
      [999, 1],
      [0, 2],
    ],
    [[1_000], [0, 1]],
  ] as const) {
    const { clock, note, look } = open()
    note(logs)
    clock.ms = 5_000
    assert.equal(look(), looked)
  }
})
s('is ever more seldom for one that contests in vain, an hour at most [teeth/heard-vain]', () => {
  for (const [times, pauseMs] of [
    [1, 60_000],
    [2, 120_000],
    [6, 1_920_000],
    [7, 3_600_000],
    [9, 3_600_000],
  ] as const)
    for (const atMs of [pauseMs - 1, pauseMs]) {
      const { clock, note, look, done } = open()
      for (let left = times; left > 0; left -= 1) done(judge, { contested: 1, healed: 0 })
      clock.ms = atMs - 5_000
      note(empty(15))
      clock.ms = atMs
      assert.equal(look(), atMs < pauseMs ? undefined : [0, 15], `${times} times, ${atMs} ms`)
    }
})
s('is as before once it has found something, and then at once [teeth/heard-healed]', () => {
  for (const found of [
    { contested: 0, healed: 0 },
    { contested: 2, healed: 1 },
  ]) {
    const { clock, note, look, done } = open()
    done(judge, { contested: 1, healed: 0 })
    done(judge, found)
    note(empty(15))
    clock.ms = 5_000
    assert.equal(look(), [0, 15])
    done(judge, found)
    note(empty(15))
    clock.ms = 10_000
    assert.equal(look(), found.healed > 0 ? [15, 15] : undefined)
  }
})
s('is of whoever was asked longest ago [teeth/heard-turns]', () => {
  const { clock, note, pick } = open()
  const judges = [{ name: 'a' }, { name: 'b' }]
  const asked: (string | undefined)[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    note(empty(15))
    clock.ms += 30_000
    asked.push(pick(() => judges)?.judge.name)
  }
  assert.equal(asked, ['a', 'b', 'a', 'b'])
})
s.run()
