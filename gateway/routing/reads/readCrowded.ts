import type { Hex } from 'viem'
import { findRefusal } from '../../chain/nodes/findRefusal.ts'
import type { RefusalKind } from '../../chain/nodes/refusal.ts'
import { chunk } from './chunk.ts'
import { sortLogs } from './mergeLogs.ts'
import type { PoolLog } from './poolLog.ts'

/** Whose events count, where not all of a block are to be had. */
export type Crowd = {
  emitters(): readonly Hex[]
  /** The topics that name pools, of a contract that speaks of many. */
  namesOf(emitter: Hex): readonly Hex[]
}

/** Of these emitters; of one alone those that name something of a list. */
export type Among = { readonly addresses: readonly Hex[]; readonly names?: readonly Hex[] }

export type Told = {
  readonly logs: readonly PoolLog[]
  /** Emitters and names of whose own there are more than a node gives. */
  readonly untold: readonly Hex[]
}

/** Said of a single block, all of these mean that it has too many. */
const tooMany: ReadonlySet<RefusalKind | undefined> = new Set([
  'too_many_results',
  'answer_too_large',
  'range_too_wide',
])
/** Of one question: more are refused by nodes. */
const mostAtOnce = 500
/** A node that refuses more than these refuses whatever it is asked. */
const mostUntold = 4

export const isCrowd = (error: unknown) => tooMany.has(findRefusal(error)?.kind)

/**
 * The logs of a block that has more of the followed topics than a node gives at once: anybody may fill one with
 * events that look like a pool's. Those who count are asked for by themselves, in ever smaller parts.
 */
export async function readCrowded(
  read: (among: Among) => Promise<readonly PoolLog[]>,
  crowd: Crowd,
): Promise<Told> {
  const found: (readonly PoolLog[])[] = []
  const untold: Hex[] = []
  const waiting: Among[] = chunk(crowd.emitters(), mostAtOnce).map((addresses) => ({ addresses }))
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    try {
      found.push(await read(part))
    } catch (error) {
      if (!isCrowd(error)) throw error
      const parts = split(part, crowd)
      if (parts.length === 0) untold.push(...(part.names ?? part.addresses))
      if (untold.length > mostUntold) throw error
      waiting.push(...parts)
    }
  }
  return { logs: sortLogs(found.flat()), untold }
}

function split({ addresses, names }: Among, { namesOf }: Crowd): readonly Among[] {
  const [address] = addresses
  if (addresses.length > 1) return halves(addresses).map((some) => ({ addresses: some }))
  if (names?.length === 1 || !address) return []
  const parts = names ? halves(names) : chunk(namesOf(address), mostAtOnce)
  return parts.map((some) => ({ addresses, names: some }))
}

const halves = (all: readonly Hex[]) => chunk(all, Math.ceil(all.length / 2))
