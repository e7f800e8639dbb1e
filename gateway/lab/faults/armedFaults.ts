import type { FaultSettings } from './edge.ts'
import { type Fault, faults, usualSettings } from './faults.ts'

/** Which requests are meant; what is absent matches all. */
export type FaultTarget = {
  readonly service?: string | undefined
  readonly path?: string | undefined
  /** Of a key, as of a lease. */
  readonly apiKey?: string | undefined
  readonly clientId?: string | undefined
}

export type Arming = FaultTarget & {
  readonly name: string
  readonly times: number
  readonly ttlMs: number
  readonly settings?: Partial<FaultSettings> | undefined
}

export type Armed = FaultTarget & {
  readonly fault: Fault
  readonly settings: FaultSettings
  readonly endsAtMs: number
  left: number
}

export type ArmedFaults = ReturnType<typeof createArmedFaults>

/** Faults that wait for their requests: each is played so many times, and forgotten when its time is over. */
export function createArmedFaults({ now }: { readonly now: () => number }) {
  let armed: Armed[] = []
  const list = () => {
    armed = armed.filter(({ left, endsAtMs }) => left > 0 && endsAtMs > now())
    return armed
  }
  return {
    list: (): readonly Armed[] => list(),
    clear() {
      armed = []
    },
    /** Undefined where there is no fault of this name. */
    arm({ name, times, ttlMs, settings, ...target }: Arming): Armed | undefined {
      const fault = faults.find((each) => each.name === name)
      if (!fault) return undefined
      const endsAtMs = now() + ttlMs
      const made = {
        ...target,
        fault,
        settings: { ...usualSettings, ...settings },
        endsAtMs,
        left: times,
      }
      armed.push(made)
      return made
    },
    /** The first that waits for such a request; it counts as played. */
    take(request: Required<FaultTarget>): Armed | undefined {
      const found = list().find((each) => isMeant(each, request))
      if (found) found.left -= 1
      return found
    },
  }
}

const targets = ['service', 'path', 'apiKey', 'clientId'] as const

const isMeant = (armed: FaultTarget, request: Required<FaultTarget>) =>
  targets.every((name) => armed[name] === undefined || armed[name] === request[name])
