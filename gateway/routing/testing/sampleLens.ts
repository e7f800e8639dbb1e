import { type Hex, pad, toHex } from 'viem'
import { listGrid } from '../protocols/quoted/quoted.ts'

/** A direction as the lens is asked about it; of `held` 0 it takes what its holder has. */
type Direction = { readonly holder: Hex; readonly held: bigint; readonly token: Hex }
/** With the largest amount of its grid. */
export type AskedGrid = Direction & {
  readonly target: Hex
  readonly top: bigint
  readonly points: number
  readonly ratio: bigint
}

/** A lens over quoters that are functions, for `createViewNode`, and what it has been asked about. */
export function createSampleLens({
  heldOf,
  quote,
  isBurnt = () => false,
}: {
  readonly heldOf: (token: string) => bigint
  /** Undefined where it refuses. */
  readonly quote: (token: string, amountIn: bigint) => bigint | undefined
  readonly isBurnt?: ((grid: AskedGrid) => boolean) | undefined
}) {
  const asked: AskedGrid[] = []
  const sample = (
    directions: readonly (Direction & { readonly target: Hex })[],
    points: bigint,
    ratio: bigint,
  ) =>
    directions.map((direction) => {
      const token = direction.token.toLowerCase()
      const top = direction.held || heldOf(token)
      const grid = { ...direction, top, points: Number(points), ratio }
      asked.push(grid)
      const answers = listGrid(top, grid).map((amountIn) => {
        const output = quote(token, amountIn)
        return output === undefined ? '0x' : pad(toHex(output), { size: 32 })
      })
      return { burnt: isBurnt(grid), held: top, answers }
    })
  return { sample, asked }
}
