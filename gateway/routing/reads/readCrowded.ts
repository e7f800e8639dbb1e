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
/** Questions that are under way together, and parts of one that is refused: as many as travel in one request. */
const waveSize = 8
/** Waves that a part was refused in. */
const mostRefusedWaves = 40
/** These are read anew in one step. */
const mostUntold = 32
/** A node that has told of nobody refuses whatever it is asked. */
const mostUntoldOfNothing = 4

export const isCrowd = (error: unknown) => tooMany.has(findRefusal(error)?.kind)

/**
 * The logs of a block that has more of the followed topics than a node gives at once: anybody may fill one with
 * events that look like a pool's. Those who count are asked for by themselves, in ever smaller parts, eight at a
 * time. What bounds it are the waves in which a part is refused: 40 of 50 ms each are a block of Base, and tell 13
 * emitters that have too many themselves, for whose events a block of Base has gas, from 5,000. By a clock a slow
 * node's block would be given up each time that it is read, and none follows one that is given up.
 */
export async function readCrowded(
  read: (among: Among) => Promise<readonly PoolLog[]>,
  crowd: Crowd,
): Promise<Told> {
  const found: (readonly PoolLog[])[] = []
  const untold: Hex[] = []
  const waiting: Among[] = chunk(crowd.emitters(), mostAtOnce).map((addresses) => ({ addresses }))
  /** What it was refused with. */
  async function ask(part: Among): Promise<unknown> {
    try {
      found.push(await read(part))
      return undefined
    } catch (error) {
      if (!isCrowd(error)) throw error
      const parts = split(part, crowd)
      if (parts.length === 0) untold.push(...(part.names ?? part.addresses))
      waiting.push(...parts)
      return error
    }
  }
  for (let refusedWaves = 0; waiting.length > 0; ) {
    const answers = await Promise.all(waiting.splice(-waveSize).map(ask))
    const refusal = answers.find((answer) => answer !== undefined)
    if (refusal === undefined) continue
    refusedWaves += 1
    const most = found.length > 0 ? mostUntold : mostUntoldOfNothing
    if (refusedWaves > mostRefusedWaves || untold.length > most) throw refusal
  }
  return { logs: sortLogs(found.flat()), untold }
}

function split({ addresses, names }: Among, { namesOf }: Crowd): readonly Among[] {
  const [address] = addresses
  if (addresses.length > 1) return divide(addresses).map((some) => ({ addresses: some }))
  if (names?.length === 1 || !address) return []
  const parts = names ? divide(names) : chunk(namesOf(address), mostAtOnce)
  return parts.map((some) => ({ addresses, names: some }))
}

const divide = (all: readonly Hex[]) => chunk(all, Math.ceil(all.length / waveSize))
