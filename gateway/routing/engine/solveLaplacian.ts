/**
 * Solves `H d = right` for a graph Laplacian H with edge weights, where the node `size` is
 * fixed and `damping` is added to the diagonal. Small and dense: Cholesky.
 */
export function createLaplacian(size: number, tails: readonly number[], heads: readonly number[]) {
  const matrix = new Float64Array(size * size)
  const step = new Float64Array(size)

  function assemble(weights: Float64Array, damping: Float64Array): void {
    matrix.fill(0)
    for (let k = 0; k < weights.length; k++) {
      const weight = weights[k] as number
      if (weight === 0) continue
      const tail = tails[k] as number
      const head = heads[k] as number
      add(tail, tail, weight)
      if (head === size) continue
      add(head, head, weight)
      add(Math.max(tail, head), Math.min(tail, head), -weight)
    }
    for (let i = 0; i < size; i++) add(i, i, (damping[i] as number) + at(i, i) * 1e-13)
  }
  const at = (i: number, j: number) => matrix[i * size + j] as number
  const add = (i: number, j: number, amount: number) => {
    matrix[i * size + j] = at(i, j) + amount
  }

  /** In place, lower triangle. Rows by their offsets: with `at` a whole search takes a fifth longer. */
  function factor(): void {
    for (let j = 0; j < size; j++) {
      const above = j * size
      let diagonal = at(j, j)
      for (let k = 0; k < j; k++) diagonal -= at(j, k) * at(j, k)
      const root = Math.sqrt(Math.max(diagonal, at(j, j) * 1e-14))
      matrix[j * size + j] = root
      for (let i = j + 1; i < size; i++) {
        const row = i * size
        let sum = at(i, j)
        for (let k = 0; k < j; k++)
          sum -= (matrix[row + k] as number) * (matrix[above + k] as number)
        matrix[i * size + j] = sum / root
      }
    }
  }

  return {
    /** Takes the weights of the edges and factors the matrix for `solve`. */
    prepare(weights: Float64Array, damping: Float64Array): void {
      assemble(weights, damping)
      factor()
    },
    /**
     * The answer is overwritten by the next call; where `right` is 0 before `first`, so much is left out of it. By
     * offsets as above: with `at` a search takes a fourteenth longer.
     */
    solve(right: ArrayLike<number>, first = 0): Float64Array {
      for (let i = first; i < size; i++) {
        const row = i * size
        let sum = right[i] as number
        for (let k = first; k < i; k++) sum -= (matrix[row + k] as number) * (step[k] as number)
        step[i] = sum / (matrix[row + i] as number)
      }
      for (let i = size - 1; i >= first; i--) {
        let sum = step[i] as number
        for (let k = i + 1; k < size; k++)
          sum -= (matrix[k * size + i] as number) * (step[k] as number)
        step[i] = sum / (matrix[i * size + i] as number)
      }
      return step
    },
  }
}
