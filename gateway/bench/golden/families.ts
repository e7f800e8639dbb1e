import { algebraV19, slipstream } from './concentrated.ts'
import type { GoldenFamily } from './goldenFamily.ts'
import { aerodromeV2, camelotV2 } from './pairs.ts'

/** Who prices which vector files; a new family is one row. */
export const goldenFamilies: readonly GoldenFamily[] = [
  aerodromeV2,
  camelotV2,
  slipstream,
  algebraV19,
]
