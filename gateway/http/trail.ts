/** What a request has left behind on its way: whose it was, what it cost, how long each stage took, in milliseconds. */
export type Trail = {
  keyId: string | undefined
  /** Charged; given back unless the answer is 2xx. */
  units: number
  /** Key and limits. */
  admitMs: number
  /** Body and its checks. */
  readMs: number
  chargeMs: number
  handleMs: number
  /** Keeping the charge or giving it back. */
  concludeMs: number
  /** When the last stage ended. */
  lastAt: number
}

type Stage = 'admitMs' | 'readMs' | 'chargeMs' | 'handleMs' | 'concludeMs'

export const createTrail = (startedAt: number): Trail => ({
  keyId: undefined,
  units: 0,
  admitMs: 0,
  readMs: 0,
  chargeMs: 0,
  handleMs: 0,
  concludeMs: 0,
  lastAt: startedAt,
})

/** What has passed since the stage before belongs to this one. */
export function endStage(trail: Trail, stage: Stage): void {
  const now = performance.now()
  trail[stage] += now - trail.lastAt
  trail.lastAt = now
}
