import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { assert, suite } from '../../../fixtures/test.ts'
import { joinCurve } from '../protocols/maths/curve.ts'
import { blockLength, createCurveArena, readCurve, slotLengthOf } from './curveArena.ts'

const s = suite('routing/threads/curveArena')
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function curveOf(count: number) {
  const pieces = Array.from({ length: count }, (_, k) => ({ dx: 1, a: 1 / (k + 1), b: 0 }))
  const curve = joinCurve(pieces)
  if (!curve) throw new Error('there are pieces')
  return curve
}

s('needs no more memory for a curve that comes in each length [20/threads-slots]', async () => {
  const arena = createCurveArena()
  const kept = curveOf(77)
  const place = arena.placeOf(kept)
  for (let count = 1; count <= 2_000; count += 1) {
    arena.placeOf(curveOf(count))
    if (count % 10 > 0) continue
    collect()
    await turn()
  }
  assert.ok(arena.blocks.length <= 8, `${arena.blocks.length} blocks`)
  assert.is(arena.placeOf(kept), place)
  assert.equal(readCurve(arena.blocks, place), kept)
})

s('has slots that are little longer than what they hold', () => {
  for (let length = 16; length <= blockLength; length += 1) {
    const slot = slotLengthOf(length)
    if (slot < length || slot > 1.25 * length || slot > blockLength)
      throw new Error(`${slot} for ${length}`)
  }
})
s.run()
