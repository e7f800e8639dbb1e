import { assert, suite } from '../../fixtures/test.ts'
import { createHotQuestions } from './hotQuestions.ts'

const s = suite('routing/hotQuestions')

const toQuestion = (n: number) => ({
  tokenIn: `0x${'1'.repeat(40)}` as const,
  tokenOut: `0x${'2'.repeat(40)}` as const,
  amountIn: BigInt(n),
})

function createBook() {
  let nowMs = 1_900_000_000_000
  const hot = createHotQuestions({ now: () => nowMs })
  return {
    hot,
    pass: (ms: number) => {
      nowMs += ms
    },
    take: () => [...hot.take()].map(({ amountIn }) => Number(amountIn)),
    /** Asks in a block of their own. */
    ask(numbers: readonly number[], network = 'one') {
      for (const n of numbers) hot.note(toQuestion(n), network)
      hot.nextBlock()
    },
  }
}

s('are those asked in two blocks, those that more networks ask first', () => {
  const { hot, ask, take } = createBook()
  for (let n = 0; n < 9; n += 1) hot.note(toQuestion(1), 'one')
  assert.equal(take(), [], 'one block says nothing')
  hot.nextBlock()
  ask([1, 2, 3])
  ask([2, 3])
  ask([3], 'two')
  for (let n = 0; n < 9; n += 1) ask([])
  assert.equal(take(), [3, 1, 2])
})

s('cool down, and cost two searches at most once nobody asks them [20/ahead-demand]', () => {
  const { ask, take, pass } = createBook()
  for (let n = 0; n < 8; n += 1) ask([1])
  pass(300_000)
  for (let n = 0; n < 2; n += 1) ask([2])
  ask([2], 'two')
  assert.equal(take(), [2, 1], 'what was hot long ago is cold')
  assert.equal(take(), [2, 1])
  ask([2])
  assert.equal(take(), [2])
  ask([1])
  assert.equal(take(), [2], 'it has to be asked in two blocks again')
})

s('are displaced by nobody who makes up many [20/ahead-flood]', () => {
  const { ask, take } = createBook()
  for (let n = 0; n < 2; n += 1) ask([1, 2, 3], 'honest')
  const made = Array.from({ length: 400 }, (_, n) => 100 + n)
  for (let n = 0; n < 3; n += 1) ask(made, 'flood')
  const taken = take()
  assert.is(taken.length, 256)
  assert.equal(taken.filter((n) => n < 100).sort(), [1, 2, 3])
})

const networks = (count: number) => Array.from({ length: count }, (_, n) => `network ${n}`)
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

s('count a network once a block, however often it asks [teeth/hot]', () => {
  const { hot, ask, take } = createBook()
  const often = new Array<number>(9).fill(1)
  for (let block = 0; block < 3; block += 1) ask(often)
  ask([2])
  for (const network of networks(3)) hot.note(toQuestion(2), network)
  hot.nextBlock()
  for (let block = 0; block < 5; block += 1) ask([3])
  assert.equal(take(), [3, 2, 1])
})

s('count sixteen networks at most [teeth/hot]', () => {
  const { hot, ask, take } = createBook()
  ask([15, 16, 17])
  for (const n of [15, 16, 17]) for (const network of networks(n)) hot.note(toQuestion(n), network)
  assert.equal(take(), [16, 17, 15])
})

s('are half as hot after half a minute [teeth/hot]', () => {
  for (const [laterMs, order] of [
    [30_000, [1, 2]],
    [30_001, [2, 1]],
  ] as const) {
    const { hot, ask, take, pass } = createBook()
    ask([1, 2])
    for (const network of networks(2)) hot.note(toQuestion(1), network)
    pass(laterMs)
    hot.note(toQuestion(2), 'one')
    assert.equal(take(), order)
  }
  // What is asked anew is counted from then on.
  const { ask, take, pass } = createBook()
  for (let block = 0; block < 2; block += 1) ask([1])
  pass(30_000)
  for (let block = 0; block < 2; block += 1) ask([2, 3])
  ask([1, 3])
  assert.equal(take(), [3, 1, 2])
})

s('cost two searches where they were asked twice [teeth/hot]', () => {
  const { ask, take } = createBook()
  for (let block = 0; block < 2; block += 1) ask([1])
  assert.equal([take(), take(), take()], [[1], [1], []])
})

s('lose the coldest of them where places run out, of equal ones the oldest [teeth/hot]', () => {
  const { ask, take } = createBook()
  for (let block = 0; block < 2; block += 1) ask(upTo(256))
  ask(upTo(256).filter((n) => n !== 7))
  for (let block = 0; block < 2; block += 1) ask([257], 'another')
  const kept = () => take().sort((one, other) => one - other)
  assert.equal(
    kept(),
    upTo(257).filter((n) => n !== 7),
  )
  for (let block = 0; block < 2; block += 1) ask([258], 'another')
  assert.equal(
    kept(),
    upTo(258).filter((n) => n !== 1 && n !== 7),
  )
})

s('are known from the block before among a thousand that come after them [teeth/hot]', () => {
  for (const [others, taken] of [
    [1_023, [1]],
    [1_024, []],
  ] as const) {
    const { ask, take } = createBook()
    ask([1, ...upTo(others).map((n) => n + 1)])
    ask([1])
    assert.equal(take(), taken)
  }
})

s.run()
