import { assert, suite } from '../../../fixtures/test.ts'
import { curveOutput } from '../protocols/maths/curve.ts'
import type { EnginePool } from '../protocols/maths/enginePool.ts'

type Pair = readonly [i: number, j: number]
type Ask = { readonly i: number; readonly j: number; readonly amountIn: bigint }
/** What a contract answered for an amount between two tokens of its pool; undefined: it reverted. */
type Vector<answer> = readonly [...Pair, amountIn: bigint, answer: answer | undefined]
type Case<state, answer> = { readonly state: state; readonly rows: readonly Vector<answer>[] }

export type VectorCases<state, answer = bigint> = Readonly<Record<string, Case<state, answer>>>

type VectorSuite<state, answer> = {
  /** Pools by what is special about them. */
  readonly cases: VectorCases<state, answer>
  readonly create: (state: state) => EnginePool
  readonly answer: (state: state, ask: Ask) => answer | undefined
  /** Amounts that the pool takes; the curve and the round trip use them. */
  readonly inputs: (
    state: state,
    way: { readonly i: number; pool: EnginePool },
  ) => readonly bigint[]
  /** How far, as a share, the curve may lie from the swap. */
  readonly within: number
  readonly refusedAmounts?: readonly bigint[]
  readonly refusedPairs?: readonly Pair[]
  /** Adds what only this family does. */
  readonly more?: (s: ReturnType<typeof suite>) => void
}

const bothWays: readonly Pair[] = [
  [0, 1],
  [1, 0],
]
/** The same token twice, and tokens that are not there. */
export const wrongPairs: readonly Pair[] = [
  [0, 0],
  [1, 1],
  [0, 7],
  [7, 0],
]

/** What a pool took and paid, for pools that stop where their liquidity ends. */
export const takenAndPaid =
  <state>(create: (state: state) => EnginePool) =>
  (state: state, { i, j, amountIn }: Ask): readonly [bigint, bigint] | undefined => {
    const swap = create(state).swap(i, j, amountIn)
    return swap && [swap.amountIn, swap.amountOut]
  }

/**
 * The tests that every family with maths of its own passes for each of its pools: the contract's
 * answers to the wei, refusals, a curve that follows the swap, no gain from going there and back.
 */
export function runVectorSuite<state, answer = bigint>(
  name: string,
  family: VectorSuite<state, answer>,
): void {
  const s = suite(name)
  const add = (label: string, check: (row: Case<state, answer>, pool: EnginePool) => void) => {
    for (const [what, row] of Object.entries(family.cases))
      s(`${label}: ${what}`, () => check(row, family.create(row.state)))
  }
  add('answers what the contract answers', (row, pool) => checkAnswers(family, row, pool))
  add('refuses what the contract reverts on', (row, pool) => checkRefusals(family, row, pool))
  add('draws a curve that follows the swap', (row, pool) => checkCurves(family, row, pool))
  add('never pays a round trip more than went in', (row, pool) => {
    const amountIn = middle(family.inputs(row.state, { i: 0, pool }))
    const there = pool.swap(0, 1, amountIn)
    const back = there?.next.swap(1, 0, there.amountOut)
    assert.ok(there && back && back.amountOut <= there.amountIn)
  })
  family.more?.(s)
  s.run()
}

function middle(amounts: readonly bigint[]): bigint {
  const amount = amounts[amounts.length >> 1]
  if (!amount) throw new Error('a pool takes some amount')
  return amount
}

function checkAnswers<state, answer>(
  { answer }: VectorSuite<state, answer>,
  { state, rows }: Case<state, answer>,
  pool: EnginePool,
): void {
  assert.ok(rows.some(([, , , expected]) => expected !== undefined))
  for (const [i, j, amountIn, expected] of rows) {
    const label = `${i} ${j} ${amountIn}`
    assert.equal(answer(state, { i, j, amountIn }), expected, label)
    const isAmount = expected === undefined || typeof expected === 'bigint'
    if (isAmount) assert.is(pool.swap(i, j, amountIn)?.amountOut, expected, label)
  }
}

function checkRefusals<state, answer>(
  { inputs, refusedAmounts = [1n << 250n], refusedPairs = [] }: VectorSuite<state, answer>,
  { state }: Case<state, answer>,
  pool: EnginePool,
): void {
  for (const [i, j] of bothWays)
    for (const amountIn of [0n, -1n, ...refusedAmounts])
      assert.is(pool.swap(i, j, amountIn), undefined, `${i} ${j} ${amountIn}`)
  const amountIn = middle(inputs(state, { i: 0, pool }))
  for (const [i, j] of refusedPairs)
    assert.is(pool.swap(i, j, amountIn), undefined, `token ${i} to ${j}`)
}

function checkCurves<state, answer>(
  { inputs, within }: VectorSuite<state, answer>,
  { state }: Case<state, answer>,
  pool: EnginePool,
): void {
  for (const [i, j] of bothWays) {
    const curve = pool.curve(i, j)
    const amounts = inputs(state, { i, pool })
    assert.ok(curve && amounts.length > 2)
    for (const amountIn of amounts) {
      const swap = pool.swap(i, j, amountIn)
      assert.ok(swap, `${i} ${j} ${amountIn}`)
      const error = curveOutput(curve, Number(amountIn)) / Number(swap.amountOut) - 1
      assert.ok(Math.abs(error) < within, `${i} ${j} ${amountIn}: ${error}`)
    }
  }
}
