import { assert, suite } from '../../../../fixtures/test.ts'
import { curveOutput } from '../maths/curve.ts'
import { createQuotedPool, gridSize, listGrid, nameQuestion, pinAnswers } from './quoted.ts'

const s = suite('quoted')
const reserves = [10n ** 24n, 3_000n * 10n ** 6n] as const
const price = (i: number, amountIn: bigint) => {
  const [own, other] = i === 0 ? reserves : [reserves[1], reserves[0]]
  return (amountIn * other) / (own + amountIn)
}
const none = Array.from({ length: gridSize }, () => 0n)
const [sold, back] = reserves.map((reserve) => listGrid(reserve)) as [bigint[], bigint[]]
const amounts = [...none, ...sold, ...back, ...none]
const outputs = [
  ...none,
  ...sold.map((amount) => price(0, amount)),
  ...back.map((amount) => price(1, amount)),
  ...none,
]
const state = { id: 'pool', tokens: ['a', 'b'], amounts, outputs }

s('guesses between the samples to a few parts in a thousand', () => {
  const pool = createQuotedPool(state)
  for (const part of [9n, 50n, 900n, 12_345n]) {
    const amountIn = reserves[0] / part
    const guess = pool.swap(0, 1, amountIn)
    const ratio = Number(guess?.amountOut) / Number(price(0, amountIn))
    assert.ok(Math.abs(ratio - 1) < 5e-3, `1/${part}: ${ratio}`)
    const curve = pool.curve(0, 1)
    assert.ok(
      curve && Math.abs(curveOutput(curve, Number(amountIn)) - Number(guess?.amountOut)) <= 1,
    )
  }
})
s('offers nothing beyond the last sample, to itself, or where the quoter refused all', () => {
  const pool = createQuotedPool(state)
  assert.equal([pool.id, pool.tokens, pool.gas], ['pool', ['a', 'b'], 180_000])
  assert.ok(pool.swap(0, 1, reserves[0]), 'up to the last')
  assert.is(pool.swap(0, 1, reserves[0] + 10n ** 9n), undefined)
  assert.is(pool.swap(0, 1, reserves[0] * 2n), undefined)
  assert.is(pool.swap(0, 0, 1_000n), undefined)
  assert.is(pool.swap(0, 1, 0n), undefined)
  const dead = createQuotedPool({ ...state, outputs: outputs.map(() => 0n) })
  assert.is(dead.curve(0, 1), undefined)
  assert.is(dead.swap(1, 0, 1_000n), undefined)
})
s('gives whole units only, of the least amounts too', () => {
  const pool = createQuotedPool(state)
  // Each of the first buys three millionths of a thousand millionth.
  assert.is(pool.swap(0, 1, 1n), undefined)
  assert.is(pool.swap(0, 1, 4n * 10n ** 14n)?.amountOut, 1n)
  assert.ok((pool.swap(1, 0, 1n)?.amountOut ?? 0n) > 10n ** 14n)
})
s('takes less than a thousand units for a rounding, and no price', () => {
  const alone = (output: bigint) =>
    createQuotedPool({ ...state, outputs: outputs.map((_, k) => (k === 27 ? output : 0n)) })
  assert.ok(alone(1_000n).curve(0, 1))
  assert.is(alone(999n).curve(0, 1), undefined)
})
s('says what was answered, notes what was not asked, and goes only once', () => {
  const answers = new Map([
    [nameQuestion(0, 1, 1_000_000n), 77n],
    [nameQuestion(0, 1, 2_000_000n), undefined],
  ])
  const asked: bigint[] = []
  const note = (_i: number, _j: number, amountIn: bigint) => void asked.push(amountIn)
  const pool = pinAnswers(createQuotedPool(state), { answers, note })
  const swap = pool.swap(0, 1, 1_000_000n)
  assert.is(swap?.amountOut, 77n)
  assert.is(swap?.next.swap(0, 1, 1_000_000n), undefined)
  assert.is(pool.swap(0, 1, 2_000_000n), undefined)
  assert.equal(asked, [])
  const guessed = pool.swap(0, 1, 10n ** 22n)
  assert.equal(guessed?.amountOut, createQuotedPool(state).swap(0, 1, 10n ** 22n)?.amountOut)
  assert.equal(asked, [10n ** 22n])
})
s('asks about fourteen amounts, each a third of the next, up to all that is held', () => {
  const grid = listGrid(3n ** 13n)
  assert.equal(
    grid,
    Array.from({ length: 14 }, (_, power) => 3n ** BigInt(power)),
  )
})
s.run()
