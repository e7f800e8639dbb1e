import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { near } from '../testing/near.ts'
import { createLaplacian } from './solveLaplacian.ts'

const s = suite('solveLaplacian')

s(
  'solves a grounded Laplacian with weights and damping as elimination does [teeth/laplacian]',
  () => {
    // Nodes 0 and 1, ground 2: edges 0-1 of 3, 1-ground of 5, 0-ground of 2, and one of nothing.
    const laplacian = createLaplacian(2, [0, 1, 0, 0], [1, 2, 2, 1])
    laplacian.prepare(Float64Array.of(3, 5, 2, 0), Float64Array.of(1, 4))
    // (3 + 2 + 1) d0 - 3 d1 = 7 and -3 d0 + (3 + 5 + 4) d1 = 11.
    const [d0, d1] = laplacian.solve([7, 11])
    near(d0, (7 * 12 + 3 * 11) / (6 * 12 - 9))
    near(d1, (6 * 11 + 3 * 7) / (6 * 12 - 9))
    // It answers again, and for other weights.
    const [again] = laplacian.solve([0, 63])
    near(again, 3)
    laplacian.prepare(Float64Array.of(0, 5, 2, 0), Float64Array.of(0, 0))
    const [apart, other] = laplacian.solve([4, 10])
    near(apart, 2)
    near(other, 2)
  },
)

s('answers what its edges and damping take up, whichever way they are named', () => {
  const next = random(7)
  for (const size of [1, 2, 3, 5, 8]) {
    const count = 4 * size
    const end = (most: number) => Math.floor(next() * most)
    // The last place is the ground; none leads to itself.
    const tails = Array.from({ length: count }, () => end(size + 1))
    const heads = tails.map((tail) => (tail + 1 + end(size)) % (size + 1))
    const weights = Float64Array.from(tails, (_, k) => (k % 5 === 0 ? 0 : k % 3 === 0 ? 1 : next()))
    const damping = Float64Array.from({ length: size }, () => 0.01 + next())
    const right = Array.from({ length: size }, () => next() - 0.5)
    const laplacian = createLaplacian(size, tails, heads)
    laplacian.prepare(weights, damping)
    const answer = laplacian.solve(right)
    const taken = Array.from(damping, (damp, i) => damp * (answer[i] as number))
    for (const [k, tail] of tails.entries()) {
      const head = heads[k] as number
      const flow = (weights[k] as number) * ((answer[tail] ?? 0) - (answer[head] ?? 0))
      if (tail < size) taken[tail] = (taken[tail] as number) + flow
      if (head < size) taken[head] = (taken[head] as number) - flow
    }
    for (const [i, amount] of right.entries()) near(taken[i], amount, 1e-9)
  }
})

s('answers the same to the bit where it is told that nothing flows in before a place', () => {
  const size = 6
  const places = Array.from({ length: size }, (_, place) => place)
  const tails = places.flatMap((place) => [place, place])
  const heads = places.flatMap((place) => [(place + 2) % size, size])
  const laplacian = createLaplacian(size, tails, heads)
  const next = random(11)
  laplacian.prepare(Float64Array.from(tails, next), new Float64Array(size))
  for (let first = 0; first < size; first += 1) {
    const right = places.map((place) => (place === first ? 1 : place === size - 1 ? -1 : 0))
    const whole = [...laplacian.solve(right)].slice(first)
    assert.equal([...laplacian.solve(right, first)].slice(first), whole)
  }
})

s('answers with numbers where nothing leads to the ground', () => {
  const laplacian = createLaplacian(2, [0], [1])
  laplacian.prepare(Float64Array.of(2), Float64Array.of(0, 0))
  const [d0 = Number.NaN, d1 = Number.NaN] = laplacian.solve([1, -1])
  near(d0 - d1, 0.5, 1e-3)
})
s.run()
