import type { PassedBlock } from './findAncestor.ts'

/** What the blocks before one tell of it by how full its bloom is. */
export type Fullness = {
  /** Hardly a block as full goes by without events. */
  readonly isBusy: boolean
  /** Hardly a block is as full: what is asked again of it costs next to nothing. */
  readonly isRare: boolean
}
export type JudgeFullness = (falseShare: number) => Fullness

/** Either is told by so many; until then a block is taken for busy, and for none that is rare. */
const fewestTold = 16
const nearlyAsFull = 0.8

export function judgeFullness(passed: readonly PassedBlock[], falseShare: number): Fullness {
  const isAlike = (block: PassedBlock) => (block.falseShare ?? 1) >= falseShare * nearlyAsFull
  const alike = passed.filter(isAlike)
  const quiet = alike.filter(({ changed }) => changed.length === 0)
  // A part of a long gap is no block.
  const told = passed.filter((block) => (block.falseShare ?? 0) > 0)
  return {
    isBusy: alike.length < fewestTold || quiet.length * fewestTold <= alike.length,
    isRare: told.length >= fewestTold && told.filter(isAlike).length * fewestTold <= told.length,
  }
}
