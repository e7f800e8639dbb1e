import { placeOf } from '../reads/mergeLogs.ts'
import type { LogPart } from '../reads/rangeLogs.ts'

type Heard = Pick<LogPart, 'span'> & {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Places of the logs of followed pools that were told of. */
  readonly places: ReadonlySet<string>
  /** How often nothing of it came since anything did. */
  readonly fails: number
}

/** Blocks of which no bloom was read, and whose logs a node was asked for once: those are looked at again. */
export type AskedOnce = {
  note(part: Pick<LogPart, 'logs' | 'span'> & Omit<Heard, 'places' | 'fails'>): void
  /** The oldest of them; none while it is not time for more. */
  pick(): Heard | undefined
  /** Up to this block it was looked at. */
  done(part: Heard, last: bigint): void
  /** Nothing was answered: others come first, and in the end the audit has to find what it lacks. */
  failed(part: Heard): void
}

/** Beside the calls that following takes of the smallest tiers. */
const stepMs = 1_000
/** What was before these is the audit's. */
const mostParts = 32
/** A node that has let go of these logs refuses them for ever. */
const mostFails = 5

export function createAskedOnce({ now }: { readonly now: () => number }): AskedOnce {
  let parts: readonly Heard[] = []
  let pickedAtMs = Number.NEGATIVE_INFINITY

  return {
    note({ logs, fromBlock, toBlock, span }) {
      const places = new Set(logs.map(placeOf))
      parts = [...parts, { fromBlock, toBlock, span, places, fails: 0 }].slice(-mostParts)
    },
    pick() {
      if (now() - pickedAtMs < stepMs) return undefined
      pickedAtMs = now()
      return parts[0]
    },
    done(part, last) {
      const left = last < part.toBlock ? [{ ...part, fromBlock: last + 1n, fails: 0 }] : []
      parts = parts.flatMap((each) => (each === part ? left : [each]))
    },
    failed(part) {
      const others = parts.filter((each) => each !== part)
      const fails = part.fails + 1
      // Gone meanwhile, for newer ones.
      const isKept = others.length < parts.length && fails < mostFails
      parts = isKept ? [...others, { ...part, fails }] : others
    },
  }
}
