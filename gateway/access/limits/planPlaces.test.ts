import { assert, suite } from '../../../fixtures/test.ts'
import { createPlanPlaces } from './planPlaces.ts'

const s = suite('access/planPlaces')
const plan = { concurrent: 2, streams: 1 }

s('gives as many places as the plan has, to each key its own [teeth/places]', () => {
  const places = createPlanPlaces()
  const take = (keyId = 'a', isStream = false) => places.take({ keyId, isStream, plan })
  const [first] = [take(), take()]
  assert.is(take(), undefined)
  assert.ok(take('b'))
  first?.()
  const third = take()
  assert.ok(third)
  assert.is(take(), undefined)
  third?.()
  assert.ok(take())
})
s('counts streams apart from the rest [teeth/places]', () => {
  const places = createPlanPlaces()
  const take = (isStream: boolean) => places.take({ keyId: 'a', isStream, plan })
  const leave = take(true)
  assert.is(take(true), undefined)
  assert.ok(take(false))
  leave?.()
  assert.ok(take(true))
})
s('counts what is under way without a plan, so that one holds at once [teeth/places]', () => {
  const places = createPlanPlaces()
  const take = (given?: typeof plan) => places.take({ keyId: 'a', isStream: false, plan: given })
  const leaves = Array.from({ length: 3 }, () => take())
  assert.is(take(plan), undefined)
  for (const leave of leaves.slice(1)) leave?.()
  assert.ok(take(plan))
  assert.is(take({ concurrent: 0, streams: 0 }), undefined)
})
s.run()
