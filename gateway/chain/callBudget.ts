import type { UnitsOf } from './callUnits.ts'

/** What a call of a chain's node is made for; the first two are served before all others. */
export type CallPurpose = 'sync' | 'relay' | 'simulation' | 'meta' | 'warmUp' | 'audit'

/** What one chain's nodes may still be asked. */
export type OpenBudget = {
  /**
   * Waits until calls of these methods may be made; false where that would take too long. Asked for no method
   * at all it tells whether work of that purpose may begin.
   */
  spend(purpose: CallPurpose, methods: readonly string[]): Promise<boolean>
  /** What may be asked at once, of the most that ever may: 0 to 1, and 1 where nothing is bounded. */
  roomFor(purpose: CallPurpose): number
}

/** Of nodes that may be asked whatever is needed. */
export const unbounded: OpenBudget = { spend: async () => true, roomFor: () => 1 }

export type CallBudget = {
  /** Calls per second of all purposes together; undefined: no bound. */
  readonly perSecond?: number | undefined
  /** What the provider counts for them, in a second. */
  readonly unitsPerSecond?: number | undefined
  /** The same in 30 days, evenly. */
  readonly unitsPerMonth?: number | undefined
  /** Of each purpose. Those without a bound take what they need. */
  readonly perSecondOf: Readonly<Partial<Record<CallPurpose, number>>>
}

export const callPurposes = ['sync', 'relay', 'simulation', 'meta', 'warmUp', 'audit'] as const
/** They never wait; what they take, the others have less of. */
const first: ReadonlySet<CallPurpose> = new Set(['sync', 'relay'])
/** What begins when there is room comes to its end: pools that were not asked would look like broken ones. */
const undivided: ReadonlySet<CallPurpose> = new Set(['audit'])
/** What a second's worth was not used for may be taken at once. */
const burstMs = 2_000
/**
 * A warm-up that would have to wait is of no use, an audit comes later; the others have callers with a
 * second or so.
 */
const patienceMs: Readonly<Record<CallPurpose, number>> = {
  sync: Number.POSITIVE_INFINITY,
  relay: Number.POSITIVE_INFINITY,
  simulation: 1_000,
  meta: 1_000,
  warmUp: 0,
  audit: 0,
}

const dayMs = 24 * 3_600_000
const monthSecs = 30 * 24 * 3_600
/** Of the month: a load comes before everything, and is paid for by the hours after it. */
const monthBurstMs = 3_600_000
/**
 * How far the month's pace may be overdrawn: background work ends first, then what most ask for without a key, so that
 * it takes nobody's dry runs; pools and relay go on.
 */
const overdraftMs: Readonly<Record<CallPurpose, number>> = {
  sync: Number.POSITIVE_INFINITY,
  relay: Number.POSITIVE_INFINITY,
  simulation: dayMs,
  meta: dayMs / 2,
  warmUp: 0,
  audit: 0,
}

/** When everything that was taken so far is paid for. */
type Account = { readonly perSecond: number; readonly burstMs: number; paidAtMs: number }

export type SpentCalls = {
  readonly purpose: CallPurpose
  readonly calls: number
  /** What the provider counts for them. */
  readonly units: number
  readonly outcome: 'sent' | 'refused'
}

/** A budget of calls of one chain's nodes. */
export function createCallBudget({
  budget: { perSecond, perSecondOf, unitsPerSecond, unitsPerMonth },
  unitsOf = () => 1,
  now = () => performance.now(),
  sleep,
  observe = () => undefined,
}: {
  readonly budget: CallBudget
  /** Default: each call is one. */
  readonly unitsOf?: UnitsOf | undefined
  readonly now?: (() => number) | undefined
  readonly sleep: (ms: number) => Promise<unknown>
  readonly observe?: ((event: SpentCalls) => void) | undefined
}): OpenBudget {
  const open = (rate: number | undefined, forMs = burstMs): Account | undefined =>
    rate === undefined
      ? undefined
      : { perSecond: rate, burstMs: forMs, paidAtMs: Number.NEGATIVE_INFINITY }
  const whole = open(perSecond)
  const wholeUnits = open(unitsPerSecond)
  const month = open(unitsPerMonth && unitsPerMonth / monthSecs, monthBurstMs)
  const own = new Map(callPurposes.map((purpose) => [purpose, open(perSecondOf[purpose])]))

  const pay = (account: Account | undefined, count: number) => {
    if (!account) return
    const from = Math.max(account.paidAtMs, now() - account.burstMs)
    account.paidAtMs = from + (count / account.perSecond) * 1_000
  }
  /** Until what came before is paid for: one that is larger than the burst is let through then. */
  const waitOf = (account: Account | undefined) => (account ? account.paidAtMs - now() : 0)

  const boundsOf = (purpose: CallPurpose) => [own.get(purpose), whole, wholeUnits]
  const roomIn = (account: Account | undefined) =>
    account ? Math.min(1, Math.max(0, -waitOf(account) / account.burstMs)) : 1

  async function spend(purpose: CallPurpose, methods: readonly string[]): Promise<boolean> {
    const calls = methods.length
    const units = methods.reduce((sum, method) => sum + unitsOf(method), 0)
    const hasBegun = calls > 0 && undivided.has(purpose)
    const waitMs =
      hasBegun || first.has(purpose) ? 0 : Math.max(0, ...boundsOf(purpose).map(waitOf))
    const isOverdrawn = !hasBegun && waitOf(month) > overdraftMs[purpose]
    if (waitMs > patienceMs[purpose] || isOverdrawn) {
      observe({ purpose, calls, units, outcome: 'refused' })
      return false
    }
    pay(own.get(purpose), calls)
    pay(whole, calls)
    for (const account of [wholeUnits, month]) pay(account, units)
    observe({ purpose, calls, units, outcome: 'sent' })
    if (waitMs > 0) await sleep(waitMs)
    return true
  }

  return { spend, roomFor: (purpose) => Math.min(...boundsOf(purpose).map(roomIn)) }
}
