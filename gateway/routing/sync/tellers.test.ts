import { assert, suite } from '../../../fixtures/test.ts'
import { createTellers, firstRun, tellerAt } from './tellers.ts'

const s = suite('who told of which blocks')
const [a, b] = [{ name: 'a' }, { name: 'b' }]
const told = [
  { from: 1n, to: 10n, teller: a },
  { from: 11n, to: 20n, teller: b },
  { from: 21n, to: 30n, teller: a },
]

s('is known of each block that was told of [teeth/tellers]', () => {
  const tellers = createTellers((answer) => (answer === a ? b : undefined))
  tellers.heard(a, { from: 1n, to: 2n })
  tellers.heard(b, { from: 3n, to: 3n })
  const unknown = { from: 3n, to: 3n, teller: undefined }
  assert.equal(tellers.told, [{ from: 1n, to: 2n, teller: b }, unknown])
  const blocks = [0n, 1n, 10n, 11n, 20n, 21n, 30n, 31n]
  const at = blocks.map((block) => tellerAt(told, block))
  assert.equal(at, [undefined, a, a, b, b, a, a, undefined])
})

for (const [from, to, last, teller] of [
  [1n, 30n, 10n, a],
  [5n, 30n, 10n, a],
  [1n, 8n, 8n, a],
  [1n, 11n, 10n, a],
  [11n, 30n, 20n, b],
  [21n, 30n, 30n, a],
] as const)
  s(`reaches from ${from} to ${last} of ${to} [teeth/tellers-run]`, () => {
    assert.equal(firstRun(told, { from, to }), { from, to: last, teller })
    // That another one told of the first ones as well ends nothing.
    const twice = [...told, { from, to: from, teller: {} }]
    assert.equal(firstRun(twice, { from, to }), { from, to: last, teller })
  })
s.run()
