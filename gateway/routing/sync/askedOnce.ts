import { hash } from 'node:crypto'
import { poolIdOf } from '../protocols/families.ts'
import { wordsOf } from '../reads/mergeLogs.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import type { LogPart } from '../reads/rangeLogs.ts'

type Heard = Pick<LogPart, 'span'> & {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Logs of followed pools that were told of, by what they say. */
  readonly told: ReadonlyMap<string, { readonly id: string; readonly block: bigint }>
  /** Whoever was not was read since. */
  readonly wasFollowed: (id: string) => boolean
  /** How often nothing of it came since anything did. */
  readonly fails: number
}

/** Blocks of which no bloom was read, and whose logs a node was asked for once: those are looked at again. */
export type AskedOnce = {
  note(part: Pick<LogPart, 'logs' | 'span'> & Omit<Heard, 'told' | 'fails'>): void
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
    note({ logs, ...part }) {
      const told = new Map(
        logs.map((log) => [nameOf(log), { id: poolIdOf(log), block: log.blockNumber }]),
      )
      parts = [...parts, { ...part, told, fails: 0 }].slice(-mostParts)
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

/** Short, however long a log is. */
const nameOf = (log: PoolLog) => hash('sha1', wordsOf(log), 'base64url')

/**
 * Ids of pools of whose logs in a part another answer tells something else: more, and where it is another endpoint's
 * less, up to the last block that it tells of.
 */
export function listDiffering(
  { told, wasFollowed, fromBlock }: Heard,
  { logs, whose }: { readonly logs: readonly PoolLog[]; readonly whose: 'other' | 'same' },
): readonly string[] {
  const names = new Map(logs.map((log) => [nameOf(log), log]))
  const more = [...names].flatMap(([name, log]) => (told.has(name) ? [] : [poolIdOf(log)]))
  const reached = whose === 'other' ? (logs.at(-1)?.blockNumber ?? -1n) : -1n
  const less = [...told].flatMap(([name, { id, block }]) =>
    block >= fromBlock && block <= reached && !names.has(name) ? [id] : [],
  )
  return [...new Set([...more, ...less])].filter(wasFollowed)
}
