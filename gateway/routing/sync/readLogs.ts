import type { Chain, Client, Transport } from 'viem'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { readBloom } from '../reads/bloom.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { type Block, type LogFilter, readBlockLogs } from '../reads/readHead.ts'
import { findSilent } from './findSilent.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly witnesses?: readonly Client<Transport, Chain>[] | undefined
}

export type ToldLogs = {
  readonly logs: readonly PoolLog[]
  /** The bloom told of logs that were not returned: it was asked again. */
  readonly isDoubted: boolean
  /** Logs that were returned to a second question only. */
  readonly late: number
  /** Pools whose logs may still be missing. */
  readonly silent: readonly PoolRecord[]
}

/** Other endpoints that are asked before the one that answered is asked once more. */
const mostOthers = 2

/** The logs of a block. Where its bloom tells of more, other endpoints are asked, then the same again. */
export async function readLogs(
  deps: Deps,
  {
    block: { head, logsBloom },
    filter,
    pools,
    isBusyChain,
  }: {
    readonly block: Block
    readonly filter: LogFilter
    readonly pools: readonly PoolRecord[]
    readonly isBusyChain: boolean
  },
): Promise<ToldLogs> {
  const question = { blockHash: head.hash, filter }
  const first = await readBlockLogs(deps, question)
  const bloom = readBloom(logsBloom)
  const look = (logs: readonly PoolLog[]) =>
    bloom ? findSilent({ bloom, logs, pools, isBusyChain }) : []
  let [logs, silent]: [readonly PoolLog[], readonly PoolRecord[]] = [first, look(first)]
  const isDoubted = silent.length > 0
  const others = deps.witnesses?.slice(1, 1 + mostOthers) ?? []
  for (const client of isDoubted ? [...others, deps.client] : []) {
    // Who fails knows no more than the first one: its pools are read anew.
    const more = await readBlockLogs({ client }, question).catch(() => [])
    logs = merge(logs, more)
    silent = look(logs)
    if (silent.length === 0) break
  }
  return { logs, isDoubted, late: logs.length - first.length, silent }
}

function merge(one: readonly PoolLog[], other: readonly PoolLog[]): readonly PoolLog[] {
  const byIndex = new Map([...one, ...other].map((log) => [log.logIndex, log]))
  return [...byIndex.values()].toSorted((a, b) => a.logIndex - b.logIndex)
}
