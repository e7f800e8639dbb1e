import { balancerV3Stable, balancerV3Weighted } from './balancer.ts'
import { algebraV19, slipstream } from './concentrated.ts'
import { curvePlain, curveStableNg } from './curvePools.ts'
import type { GoldenFamily } from './goldenFamily.ts'
import { liquidityBook } from './liquidityBook.ts'
import { aerodromeV2, camelotV2 } from './pairs.ts'

/** Who prices which vector files; a new family is one row. */
export const goldenFamilies: readonly GoldenFamily[] = [
  aerodromeV2,
  camelotV2,
  slipstream,
  algebraV19,
  curveStableNg,
  curvePlain,
  balancerV3Weighted,
  balancerV3Stable,
  liquidityBook,
]
