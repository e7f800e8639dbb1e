import { assert, suite } from '../../fixtures/test.ts'
import { createHotQuestions } from './hotQuestions.ts'

const s = suite('routing/hotQuestions')

const toQuestion = (n: number) => ({
  tokenIn: `0x${'1'.repeat(40)}` as const,
  tokenOut: `0x${'2'.repeat(40)}` as const,
  amountIn: BigInt(n),
})

function createBook() {
  let nowMs = 0
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

s.run()
