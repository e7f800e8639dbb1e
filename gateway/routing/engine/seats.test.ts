import { assert, suite } from '../../../fixtures/test.ts'
import { createSeats, moveSeats, type Seats } from './seats.ts'

const s = suite('seats')

s('are those of a map that was changed alike, which stays as it was [strangers/seats]', () => {
  const names = Array.from({ length: 50 }, (_, n) => `pool ${n}`)
  const map = new Map<string, number>(names.map((name, n) => [name, n]))
  const before = createSeats(names)
  let seats: Seats = before
  for (let round = 0; round < 400; round += 1) {
    const came = `new ${round % 130}`
    const went = round % 3 === 0 ? `pool ${round % 50}` : `new ${(round * 7) % 130}`
    const last = seats
    const lastKeys = [...last.keys()]
    seats = moveSeats(seats, [
      [went, undefined],
      [came, round],
    ])
    map.delete(went)
    map.set(came, round)
    assert.equal([...seats.keys()].toSorted(), [...map.keys()].toSorted())
    for (const key of [came, went, 'pool 1', 'nobody']) {
      assert.is(seats.get(key), map.get(key))
      assert.is(seats.has(key), map.has(key))
    }
    assert.equal([...last.keys()], lastKeys)
  }
  assert.equal([...before.keys()], names)
})
s.run()
