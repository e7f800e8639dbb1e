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
  /** Of a stream all that it lasts. */
  sendMs: number
  /** When the last stage ended, and which one it is in. */
  lastAt: number
  stage: Stage
}

/** Each with the one that comes after it. */
const stages = {
  admitMs: 'readMs',
  readMs: 'chargeMs',
  chargeMs: 'handleMs',
  handleMs: 'concludeMs',
  concludeMs: 'sendMs',
  sendMs: 'sendMs',
} as const
type Stage = keyof typeof stages

export const createTrail = (startedAt: number): Trail => ({
  keyId: undefined,
  units: 0,
  admitMs: 0,
  readMs: 0,
  chargeMs: 0,
  handleMs: 0,
  concludeMs: 0,
  sendMs: 0,
  lastAt: startedAt,
  stage: 'admitMs',
})

/** What has passed since the stage before belongs to this one. */
export function endStage(trail: Trail, stage: Stage): void {
  const now = performance.now()
  trail[stage] += now - trail.lastAt
  trail.lastAt = now
  trail.stage = stages[stage]
}

/** Of who is refused, the rest belongs to the stage that refused it. */
export const endTrail = (trail: Trail): void => endStage(trail, trail.stage)
