export type Grade = 'A' | 'B' | 'C' | 'D' | 'E' | 'F'

export type GradeFacts = {
  /** How far this hop moves its pool's price against the trade, fees included. */
  readonly impactBps: number
  /** Time since the pool's state was last known to be the chain's head. */
  readonly stateAgeMs: number
  /** Time since the last change of the pool that was seen, by block time. */
  readonly idleMs: number
  /** Greater of the taxes of the hop's two tokens. */
  readonly taxBps: number
}

const grades: readonly Grade[] = ['A', 'B', 'C', 'D', 'E', 'F']
/** Depth: a hop that costs at most this much is graded A, B, C, D, E; beyond the last, F. */
const impactLimitsBps = [35, 100, 300, 1_000, 3_000]
const freshMs = 5_000
const activeMs = 7 * 24 * 3_600_000
const heavyTaxBps = 500

/**
 * The rule: depth gives the grade, each of these takes it one down: state older than 5 s, a pool
 * nobody used for a week, a taxed token (two for over 5 %). Never below F.
 */
export function gradePool({ impactBps, stateAgeMs, idleMs, taxBps }: GradeFacts): Grade {
  const byDepth = impactLimitsBps.findIndex((limit) => impactBps <= limit)
  const taxSteps = taxBps > heavyTaxBps ? 2 : taxBps > 0 ? 1 : 0
  const down = (stateAgeMs > freshMs ? 1 : 0) + (idleMs > activeMs ? 1 : 0) + taxSteps
  const index = (byDepth < 0 ? grades.length - 1 : byDepth) + down
  return grades[Math.min(index, grades.length - 1)] ?? 'F'
}
