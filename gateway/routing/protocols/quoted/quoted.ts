import { type Curve, curveOutput } from '../maths/curve.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { curveThrough } from '../maths/fittedCurve.ts'

/** A pool without local maths, as samples of its on-chain quoter tell of it. */
export type QuotedState = {
  readonly id: string
  readonly tokens: readonly string[]
  /** For each token in and each token out the amounts that were asked about, rising: `gridSize` each. */
  readonly amounts: readonly bigint[]
  /** What the quoter said to them; 0 where it refused. */
  readonly outputs: readonly bigint[]
}

/** Amounts asked about in each direction. */
export const gridSize = 14
/** Each is this many times the one before. */
export const gridRatio = 3n
const quotedGas = 180_000
/** Smaller outputs say more about rounding than about the price. */
export const leastOutput = 1_000

export type Grid = { readonly points: number; readonly ratio: bigint }

/** The amounts worth asking about up to `top`: down to a millionth of it. */
export function listGrid(
  top: bigint,
  { points, ratio }: Grid = { points: gridSize, ratio: gridRatio },
): readonly bigint[] {
  const grid = [top]
  while (grid.length < points) grid.unshift((grid[0] ?? 0n) / ratio)
  return grid
}

/** Where the amounts and outputs of a direction begin. */
export function samplesAt({ tokens }: Pick<QuotedState, 'tokens'>, i: number, j: number): number {
  return (i * tokens.length + j) * gridSize
}

function drawCurve(state: QuotedState, i: number, j: number): Curve | undefined {
  const start = samplesAt(state, i, j)
  const points = Array.from({ length: gridSize }, (_, k) => ({
    x: Number(state.amounts[start + k] ?? 0n),
    y: Number(state.outputs[start + k] ?? 0n),
  }))
  return curveThrough(points.filter(({ y }) => y >= leastOutput))
}

/** A pool that nothing goes through: what it would answer after a swap nobody was asked. */
export function closed({ id, tokens, gas }: EnginePool): EnginePool {
  return { id, tokens, gas, curve: () => undefined, swap: () => undefined }
}

/**
 * The pool as the search sees it: between the samples. Its `swap` is a guess to plan with; what a route
 * really gives is asked of the chain before it is quoted.
 */
export function createQuotedPool(state: QuotedState): EnginePool {
  const { id, tokens } = state
  const curves = new Map<number, Curve | undefined>()
  const curveOf = (i: number, j: number) => {
    const key = i * tokens.length + j
    if (!curves.has(key)) curves.set(key, i === j ? undefined : drawCurve(state, i, j))
    return curves.get(key)
  }
  const pool: EnginePool = {
    id,
    tokens,
    gas: quotedGas,
    curve: curveOf,
    swap(i, j, amountIn) {
      const curve = curveOf(i, j)
      const offered = Number(amountIn)
      if (!curve || !(offered > 0 && offered <= (curve.x[curve.count] ?? 0))) return undefined
      const amountOut = BigInt(Math.floor(curveOutput(curve, offered)))
      return amountOut > 0n ? { amountIn, amountOut, next: closed(pool) } : undefined
    },
  }
  return pool
}

/** Answers of the chain by what was asked: `i>j amount`; undefined where the quoter refused. */
export type KnownAnswers = ReadonlyMap<string, bigint | undefined>

export function nameQuestion(i: number, j: number, amountIn: bigint): string {
  return `${i}>${j} ${amountIn}`
}

/** The pool with what the chain has answered; a swap nobody asked about yet is guessed and noted. */
export function pinAnswers(
  pool: EnginePool,
  {
    answers,
    note,
  }: {
    readonly answers: KnownAnswers
    readonly note: (i: number, j: number, amountIn: bigint) => void
  },
): EnginePool {
  return {
    ...pool,
    swap(i, j, amountIn) {
      const name = nameQuestion(i, j, amountIn)
      if (!answers.has(name)) {
        note(i, j, amountIn)
        return pool.swap(i, j, amountIn)
      }
      const amountOut = answers.get(name)
      return amountOut ? { amountIn, amountOut, next: closed(pool) } : undefined
    },
  }
}
