import type { Chain, Client, Transport } from 'viem'
import type { PoolLog } from '../reads/poolLog.ts'
import { readRangeLogs } from '../reads/rangeLogs.ts'
import { type BlockHead, type LogFilter, readToldBlock } from '../reads/readHead.ts'

/** Left to be read one by one: deeper than the chains' reorganisations, and than their nodes lag. */
const nearBlocks = 32n
/** More than these and loading everything again is cheaper: half of them may be refused. */
const mostQuestions = 1_000
const mostLogs = 200_000

/** Blocks that were passed without looking at each of them. */
export type Skipped = {
  /** The last of them. */
  readonly anchor: BlockHead
  readonly logs: readonly PoolLog[]
}

/**
 * The logs of a long gap but for its newest blocks; undefined where there is too much to read. `groundless`: the
 * node told of a head below which it has nothing.
 */
export async function skipAhead(
  deps: { readonly client: Client<Transport, Chain> },
  {
    after,
    head,
    filter,
  }: { readonly after: bigint; readonly head: BlockHead; readonly filter: LogFilter },
): Promise<Skipped | 'groundless' | undefined> {
  const last = head.number - nearBlocks
  // Before the logs: those of a far false head look like too much to read.
  if (!(await readToldBlock(deps, last))) return 'groundless'
  const range = { fromBlock: after + 1n, toBlock: last }
  const logs = await readRangeLogs(deps, { filter, ...range, mostQuestions, mostLogs })
  // Read anew, and last: the blocks behind it are held against their parents' hashes.
  const anchor = logs && (await readToldBlock(deps, last))?.head
  return logs && (anchor ? { anchor, logs } : 'groundless')
}
