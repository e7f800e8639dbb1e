import { assert, suite } from '../../../fixtures/test.ts'
import { chunkPairs } from './chunkPairs.ts'

const s = suite('pairs in groups')
const items = (count: number) => Array.from({ length: count }, (_, index) => index)

for (const [rows, columns, size] of [
  [1, 1_500, 1_000],
  [1_500, 1, 1_000],
  [16, 1_500, 1_000],
  [100, 100, 1_000],
  [3, 5, 1_000],
  [3, 5, 1],
  [3, 0, 10],
  [0, 3, 10],
] as const)
  s(`gives each pair of ${rows} and ${columns} once, ${size} at most together`, () => {
    const groups = chunkPairs({ a: items(rows), b: items(columns) }, size)
    const pairs = groups.flatMap(({ a, b }) => a.flatMap((one) => b.map((two) => `${one} ${two}`)))
    assert.is(pairs.length, rows * columns)
    assert.is(new Set(pairs).size, rows * columns)
    assert.ok(groups.every(({ a, b }) => a.length * b.length <= size))
  })

s('makes as few groups as there have to be, and keeps them short', () => {
  assert.is(chunkPairs({ a: items(1), b: items(2_000) }, 1_000).length, 2)
  assert.is(chunkPairs({ a: items(2_000), b: items(1) }, 1_000).length, 2)
  const groups = chunkPairs({ a: items(48), b: items(1_500) }, 1_000)
  assert.ok(groups.length <= 84)
  assert.ok(groups.every(({ a, b }) => a.length + b.length <= 80))
})

s.run()
