import { assert, suite } from '../../../fixtures/test.ts'
import { each } from './pieces.ts'
import { reseat, seat } from './reseat.ts'

const s = suite('reseat')
const count = 8
const before = Array.from({ length: count }, (_, index) => ({ id: `pool ${index}` }))

for (const coming of [0, 1, 3])
  s(`moves nobody twice, whoever goes and however ${coming} come [nodes/reseat]`, () => {
    const came = Array.from({ length: coming }, (_, index) => ({ id: `new ${index}` }))
    for (let set = 0; set < 2 ** count; set += 1) {
      const gone = before.filter((_, index) => ((set >> index) & 1) === 1)
      const { members, seats, moved, taken } = reseat(seat(before), {
        came,
        gone: gone.map(({ id }) => id),
      })
      const now = [...each(members.done())]
      const stays = before.filter((member) => !gone.includes(member))
      assert.is(now.length, stays.length + coming)
      for (const { id } of [...stays, ...came]) assert.is(now[seats.get(id) ?? -1]?.id, id)
      for (const [index, { id }] of came.entries()) assert.is(now[taken[index] ?? -1]?.id, id)
      // Where each stood, and where it stands.
      const seatNow = new Map(moved)
      for (const [index, member] of before.entries())
        if (!gone.includes(member)) assert.is(now[seatNow.get(index) ?? index]?.id, member.id)
    }
  })
s.run()
