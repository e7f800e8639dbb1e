import { hash } from 'node:crypto'
import { poolIdOf } from '../protocols/families.ts'
import { chunk } from '../reads/chunk.ts'
import { wordsOf } from '../reads/mergeLogs.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import type { LogPart } from '../reads/rangeLogs.ts'
import type { ToldRange } from './tellers.ts'

type Heard = Pick<LogPart, 'span'> & {
  readonly fromBlock: bigint
  readonly toBlock: bigint
  /** Logs of followed pools that were told of, by what they say. */
  readonly told: ReadonlyMap<string, { readonly id: string; readonly block: bigint }>
  /** Whoever was not was read since. */
  readonly wasFollowed: (id: string) => boolean
  /** Who told of which of its blocks. */
  readonly tellers?: readonly ToldRange[] | undefined
  /** How often nothing of it came since anything did. */
  readonly fails: number
}

/** Blocks of which no bloom was read, and whose logs a node was asked for once: those are looked at again. */
export type AskedOnce = {
  note(part: Pick<LogPart, 'logs' | 'span'> & Omit<Heard, 'told' | 'fails'>): Promise<void>
  /** The oldest of them; none while it is not time for more. */
  pick(): Heard | undefined
  /** Up to this block it was looked at. */
  done(part: Heard, last: bigint): void
  /** Nothing was answered: others come first, and in the end the audit has to find what it lacks. */
  failed(part: Heard): void
  /** Of these pools, of which something else is told of a part, those that were not read behind it yet. */
  listUnread(part: Heard, ids: readonly string[]): readonly string[]
  /** They were read at this block: whatever is told of parts before it, they need not be again. */
  read(ids: readonly string[], block: bigint): void
}

/** Beside the calls that following takes of the smallest tiers. */
const stepMs = 1_000
/** What was before these is the audit's. */
const mostParts = 32
/** A node that has let go of these logs refuses them for ever. */
const mostFails = 5
/** Some microseconds each, and a part has thousands: blocks and quotes go on in between. */
const namedAtOnce = 500

export function createAskedOnce({ now }: { readonly now: () => number }): AskedOnce {
  let parts: readonly Heard[] = []
  let pickedAtMs = Number.NEGATIVE_INFINITY
  /** Of pools that were read for what is told of these parts, the block. */
  const readAt = new Map<string, bigint>()

  return {
    async note({ logs, ...part }) {
      const named = await nameAll(logs)
      const told = new Map(
        [...named].map(([name, log]) => [name, { id: poolIdOf(log), block: log.blockNumber }]),
      )
      if (parts.length === 0) readAt.clear()
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
    listUnread: ({ toBlock }, ids) => ids.filter((id) => (readAt.get(id) ?? -1n) < toBlock),
    read(ids, block) {
      for (const id of ids) readAt.set(id, block)
    },
  }
}

/** Short, however long a log is. */
const nameOf = (log: PoolLog) => hash('sha1', wordsOf(log), 'base64url')

async function nameAll(logs: readonly PoolLog[]): Promise<ReadonlyMap<string, PoolLog>> {
  const named = new Map<string, PoolLog>()
  for (const some of chunk(logs, namedAtOnce)) {
    for (const log of some) named.set(nameOf(log), log)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return named
}

/**
 * Ids of pools of whose logs in a part another answer tells something else: more, and where it is another endpoint's
 * less, up to the last block that it tells of.
 */
export async function listDiffering(
  { told, wasFollowed, fromBlock }: Heard,
  { logs, whose }: { readonly logs: readonly PoolLog[]; readonly whose: 'other' | 'same' },
): Promise<readonly string[]> {
  const names = await nameAll(logs)
  const more = [...names].flatMap(([name, log]) => (told.has(name) ? [] : [poolIdOf(log)]))
  const reached = whose === 'other' ? (logs.at(-1)?.blockNumber ?? -1n) : -1n
  const less = [...told].flatMap(([name, { id, block }]) =>
    block >= fromBlock && block <= reached && !names.has(name) ? [id] : [],
  )
  return [...new Set([...more, ...less])].filter(wasFollowed)
}
