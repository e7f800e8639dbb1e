import type { PlanLimits } from '../../store/plans.ts'

export type PlanPlaces = {
  /** Gives the place back; undefined where the plan has no more of them. */
  take(request: {
    readonly keyId: string
    readonly isStream: boolean
    readonly plan: Pick<PlanLimits, 'concurrent' | 'streams'> | undefined
  }): (() => void) | undefined
}

/** What each key has under way: counted for all of them, so that a plan that one is given counts at once. */
export function createPlanPlaces(): PlanPlaces {
  const held = { streams: new Map<string, number>(), concurrent: new Map<string, number>() }
  return {
    take({ keyId, isStream, plan }) {
      const kind = isStream ? 'streams' : 'concurrent'
      const counts = held[kind]
      const count = counts.get(keyId) ?? 0
      const most = plan?.[kind]
      if (most !== undefined && count >= most) return undefined
      counts.set(keyId, count + 1)
      return () => {
        const left = (counts.get(keyId) ?? 0) - 1
        if (left > 0) counts.set(keyId, left)
        else counts.delete(keyId)
      }
    },
  }
}
