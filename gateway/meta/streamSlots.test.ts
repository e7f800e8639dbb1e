import { assert, suite } from '../../fixtures/test.ts'
import { createStreamSlots } from './streamSlots.ts'

const s = suite('slots of streams')

s("of one site are four addresses' at most [attack/stream-sites]", () => {
  const slots = createStreamSlots({ total: 64, perAddress: 2 })
  const taken = Array.from({ length: 64 }, (_, n) => slots.take(`2001:db8:7:${n.toString(16)}::1`))
  const [first, ...more] = taken.filter((release) => release !== undefined)
  assert.is(more.length, 7)
  const others = ['2001:db8:8::1', '203.0.113.9'].map((ip) => [1, 2, 3].map(() => slots.take(ip)))
  for (const other of others)
    assert.equal(
      other.map((release) => release !== undefined),
      [true, true, false],
    )
  first?.()
  first?.()
  assert.ok(slots.take('2001:db8:7:ff::1'))
  assert.is(slots.take('2001:db8:7:fe::1'), undefined)
})
s('are so many in all, whoever has them, and free once when they are given back', () => {
  const slots = createStreamSlots({ total: 2, perAddress: undefined })
  const take = (n: number) => slots.take(`203.0.113.${n}`)
  const [first, second] = [take(1), take(2)]
  assert.ok(first && second)
  assert.is(take(3), undefined)
  first?.()
  assert.ok(take(3))
  first?.()
  assert.is(take(4), undefined)
})
s.run()
