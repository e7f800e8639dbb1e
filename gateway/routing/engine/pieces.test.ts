import { random } from '../../../fixtures/chains/market.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { at, each, editPieces, listOthers, movePieces, type Pieces, toPieces } from './pieces.ts'

const s = suite('lists in pieces')

s('are what an array would be, and stay so when another is made of them [sync/pieces]', () => {
  const next = random(11)
  const below = (most: number) => Math.floor(next() * most)
  const history: { readonly list: Pieces<number>; readonly plain: readonly number[] }[] = []
  let plain = Array.from({ length: 700 }, (_, n) => n)
  let list = toPieces(plain)
  for (let step = 0; step < 150; step++) {
    history.push({ list, plain })
    const draft = editPieces(list)
    plain = plain.slice()
    for (let n = below(5); n > 0 && plain.length > 0; n--) {
      const index = below(plain.length)
      draft.set(index, 1_000 * step + n)
      plain[index] = 1_000 * step + n
    }
    // Around the end of a piece, and down to nothing.
    const isShrinking = step % 2 === 0
    for (let n = below(isShrinking ? 40 : 30); n > 0; n--) {
      if (isShrinking && plain.length > 0) assert.is(draft.pop(), plain.pop())
      else draft.push(plain.push(step) && step)
    }
    assert.is(draft.length(), plain.length)
    list = draft.done()
  }
  for (const [index, { list: made, plain: expected }] of history.entries()) {
    assert.is(made.length, expected.length)
    assert.equal([...each(made)], expected)
    for (const place of [-1, 0, 255, 256, 511, expected.length - 1, expected.length])
      assert.is(at(made, place), expected[place])
    const before = history[index - 1] ?? { list: undefined, plain: [] }
    const others = expected.flatMap((member, place) =>
      member === before.plain[place] ? [] : [place],
    )
    assert.equal(listOthers(made, before.list), others)
  }
})

s('move in runs, with nobody between them [sync/pieces]', () => {
  const list = toPieces(Array.from({ length: 600 }, (_, n) => n))
  const runs = [
    { before: 0, after: 0, count: 250 },
    { before: 251, after: 251, count: 10 },
    { before: 300, after: 262, count: 300 },
  ]
  const moved = [...each(movePieces(list, runs, 563))]
  const expected: (number | undefined)[] = new Array(563).fill(undefined)
  for (const { before, after, count } of runs)
    for (let k = 0; k < count; k++) expected[after + k] = before + k
  assert.equal(moved, expected)
})
s.run()
