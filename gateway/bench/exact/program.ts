import type { Highs, Model, ModelData } from 'highs'

export type Entry = [column: number, value: number]

/** Columns are 0 or more; the sum of each times its `cost` is to be as great as it can. */
export type Program = {
  readonly columns: { readonly cost: number; readonly upper: number }[]
  readonly rows: { readonly entries: Entry[]; readonly lower: number; readonly upper: number }[]
}

export const createProgram = (): Program => ({ columns: [], rows: [] })

type Solved =
  | { readonly status: 'infeasible' }
  /** The time was over: what no solution exceeds, as far as was proven by then. */
  | { readonly status: 'late'; readonly bound: number }
  | {
      readonly status: 'solved'
      readonly bound: number
      readonly values: Float64Array
      /** Of no meaning where columns are whole numbers, like `rowPrices`. */
      readonly reducedCosts: Float64Array
      readonly rowPrices: Float64Array
    }

/** The least that the solver may be told: what is off by as much changes nothing that anybody sees. */
const tolerance = 1e-9
const options = {
  output_flag: false,
  random_seed: 1,
  mip_rel_gap: 1e-7,
  mip_feasibility_tolerance: tolerance,
  primal_feasibility_tolerance: tolerance,
  dual_feasibility_tolerance: tolerance,
} as const

export function solve(
  highs: Highs,
  program: Program,
  {
    wholeEach,
    seconds,
  }: {
    /** The last of each so many columns is a whole number. */
    readonly wholeEach?: number | undefined
    readonly seconds?: number | undefined
  },
): Solved {
  const { variableType, modelStatus } = highs.constants
  const typeOf = (column: number, each: number) =>
    column % each === each - 1 ? variableType.integer : variableType.continuous
  const data: ModelData = {
    ...toModel(highs, program),
    ...(wholeEach && { integrality: program.columns.map((_, k) => typeOf(k, wholeEach)) }),
  }
  const run = (model: Model): Solved => {
    model.options.set(options)
    if (seconds !== undefined) model.options.set('time_limit', seconds)
    const { modelStatus: status } = model.run()
    if (status === modelStatus.infeasible) return { status: 'infeasible' }
    const bound = wholeEach
      ? Number(model.info.get('mip_dual_bound'))
      : status === modelStatus.optimal
        ? model.getObjectiveValue()
        : Number.POSITIVE_INFINITY
    if (status === modelStatus.timeLimit) return { status: 'late', bound }
    if (status !== modelStatus.optimal) throw new Error(`the solver ended with status ${status}`)
    const { colValue: values, colDual: reducedCosts, rowDual: rowPrices } = model.getSolution()
    return { status: 'solved', bound, values, reducedCosts, rowPrices }
  }
  try {
    return highs.withModel(data, run)
  } catch (error) {
    // It ends so where its memory does: nothing is proven then, and nothing more by it.
    if (error instanceof Error && error.name === 'RuntimeError')
      return { status: 'late', bound: Number.POSITIVE_INFINITY }
    throw error
  }
}

function toModel({ constants }: Highs, { columns, rows }: Program): ModelData {
  const entries = rows.flatMap((row) => row.entries)
  const starts = [0]
  for (const row of rows) starts.push((starts.at(-1) as number) + row.entries.length)
  const [numRows, numCols] = [rows.length, columns.length]
  return {
    numRows,
    numCols,
    sense: constants.objectiveSense.maximize,
    colCost: columns.map(({ cost }) => cost),
    colLower: columns.map(() => 0),
    colUpper: columns.map(({ upper }) => upper),
    rowLower: rows.map(({ lower }) => lower),
    rowUpper: rows.map(({ upper }) => upper),
    matrix: {
      format: 'csr',
      numRows,
      numCols,
      starts,
      indices: entries.map(([column]) => column),
      values: entries.map(([, value]) => value),
    },
  }
}
