import type { Fault, FaultAt, FaultSettings, Place } from './fault.ts'
import { usualSettings } from './fault.ts'
import { faults } from './faults.ts'

/** Which requests are meant; what is absent matches all. */
export type FaultTarget = {
  readonly service?: string | undefined
  readonly path?: string | undefined
  /** Of a key, as of a lease. */
  readonly apiKey?: string | undefined
  readonly clientId?: string | undefined
  /** Of quotes. */
  readonly source?: string | undefined
  /** A request does not tell it: there it is the chain that is done something to. */
  readonly chainId?: number | undefined
}

export type Arming = FaultTarget & {
  readonly name: string
  readonly times: number
  /** So many pass first. */
  readonly after: number
  readonly ttlMs: number
  readonly settings?: Partial<FaultSettings> | undefined
}

export type Armed<fault extends Fault = Fault> = FaultTarget & {
  readonly fault: fault
  readonly settings: FaultSettings
  readonly endsAtMs: number
  toPass: number
  left: number
}

export type ArmedFaults = ReturnType<typeof createArmedFaults>

/** What is known where a fault is played. */
const known = {
  request: ['service', 'path', 'apiKey', 'clientId'],
  charge: ['service', 'path', 'apiKey', 'clientId'],
  source: ['source'],
  node: ['chainId'],
} as const satisfies Readonly<Record<Place, readonly (keyof FaultTarget)[]>>
type Known<place extends Place> = Required<Pick<FaultTarget, (typeof known)[place][number]>>

/** What may be said of a fault beside its settings: whom it means, or what it does something to. */
export const targetsOf = ({ name, at }: Fault): readonly (keyof FaultTarget)[] =>
  name.startsWith('chain_') ? [...known[at], 'chainId'] : known[at]

/** Faults that wait for their requests: each is played so many times, and forgotten when its time is over. */
export function createArmedFaults({ now }: { readonly now: () => number }) {
  let armed: Armed[] = []
  const list = () => {
    armed = armed.filter(({ left, endsAtMs }) => left > 0 && endsAtMs > now())
    return armed
  }
  return {
    list: (): readonly Armed[] => list(),
    /** Those of one name, or all. */
    clear(name?: string) {
      armed = name === undefined ? [] : armed.filter(({ fault }) => fault.name !== name)
    },
    /** Undefined where there is no fault of this name. */
    arm({ name, times, after, ttlMs, settings, ...target }: Arming): Armed | undefined {
      const fault = faults.find((each) => each.name === name)
      if (!fault) return undefined
      const made = {
        ...target,
        fault,
        settings: { ...usualSettings, ...fault.usual, ...settings },
        endsAtMs: now() + ttlMs,
        toPass: after,
        left: times,
      }
      armed.push(made)
      return made
    },
    /** The first that waits for such a thing at such a place; it counts as played. */
    take<place extends Place>(at: place, seen: Known<place>): Armed<FaultAt<place>> | undefined {
      const meant = list().filter(
        (each): each is Armed<FaultAt<place>> => each.fault.at === at && isMeant(each, at, seen),
      )
      const found = meant.find(({ toPass }) => toPass === 0)
      if (found) found.left -= 1
      else for (const each of meant) each.toPass -= 1
      return found
    },
  }
}

function isMeant<place extends Place>(armed: FaultTarget, at: place, seen: Known<place>): boolean {
  const facts: FaultTarget = seen
  return known[at].every((name) => armed[name] === undefined || armed[name] === facts[name])
}
