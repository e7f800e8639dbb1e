import { assert, suite } from '../../fixtures/test.ts'
import type { SharedCaps } from '../store/sharedCaps.ts'
import { createTellCaps } from './tellCaps.ts'

const s = suite('tellCaps')
const own = { maxPerHour: 10, maxSpendPerHourWei: 100n }

/** A book that holds caps of others, and what of it was told to whom. */
function open() {
  const world = { nowMs: 0, held: own as SharedCaps }
  const asked: number[] = []
  const differing: SharedCaps[] = []
  const tell = createTellCaps(
    {
      store: {
        async tellCaps({ nowMs, chainId, gateway, ...caps }) {
          assert.equal([chainId, caps], [8453, own])
          assert.match(gateway, /^[0-9a-f-]{36}$/)
          asked.push(nowMs)
          return world.held
        },
      },
      now: () => world.nowMs,
      differs: (held) => void differing.push(held),
    },
    { chainId: 8453, caps: own },
  )
  const at = async (nowMs: number, held = own) => {
    Object.assign(world, { nowMs, held })
    await tell()
  }
  return { at, asked, differing }
}

s(
  'says its caps every half minute, by a clock that goes either way [teeth/tell-caps]',
  async () => {
    const { at, asked } = open()
    for (const nowMs of [0, 1, 29_999, 30_000, 59_999, 1, 0]) await at(nowMs)
    assert.equal(asked, [0, 30_000, 0])
  },
)
s('tells of a lower cap once until it is gone [teeth/tell-caps]', async () => {
  const fewer = { ...own, maxPerHour: 9 }
  const cheaper = { ...own, maxSpendPerHourWei: 99n }
  const { at, differing } = open()
  const told = [own, fewer, fewer, cheaper, own, own, cheaper, cheaper]
  for (const [index, held] of told.entries()) await at(index * 30_000, held)
  assert.equal(differing, [fewer, cheaper])
  const late = open()
  await late.at(0, fewer)
  assert.equal(late.differing, [fewer])
})
s.run()
