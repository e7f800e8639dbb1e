import type { Chain, Client, Transport } from 'viem'
import { holdsLog, readBloom } from './bloom.ts'
import { inTime } from './inTime.ts'
import { listContested } from './mergeLogs.ts'
import type { PoolLog } from './poolLog.ts'
import { type BlockHead, readBlock } from './readHead.ts'

type AnyClient = Client<Transport, Chain>

/** What two endpoints have told of the same blocks. */
export type Witnessed = {
  readonly told: readonly PoolLog[]
  readonly witness: AnyClient
  /** Whether it had the block that ends them all before it told of any. */
  readonly isLevel: boolean
  readonly witnessed: readonly PoolLog[]
}

/** Headers of an endpoint that has told of nothing. */
const mostLooks = 4

/** Whether an endpoint has this very block. Who fails, or hangs, has not shown it. */
export async function hasBlock(
  client: AnyClient,
  { number, hash }: Pick<BlockHead, 'number' | 'hash'>,
): Promise<boolean> {
  const block = await inTime(readBlock({ client }, number)).catch(() => undefined)
  return block !== 'late' && block?.head.hash === hash
}

/**
 * Logs that one of two endpoints alone has told of, the oldest blocks first. Where the other one had the block that
 * ends them all it stands on the same chain, and is silent of nothing that it has; but for one that has told of
 * nothing yet: it may have let go of logs so old, and not of the headers, whose blooms know.
 */
export async function listAlone(parts: readonly Witnessed[]): Promise<readonly PoolLog[]> {
  const speaking = new Set<AnyClient>()
  /** Those whose headers hang: they are not waited for again. */
  const silent = new Set<AnyClient>()
  const alone: (readonly PoolLog[])[] = []
  for (const { told, witness, isLevel, witnessed } of parts) {
    if (witnessed.length > 0) speaking.add(witness)
    const contested = listContested(told, witnessed, isLevel ? 'all' : 'reached')
    if (contested.length === 0) continue
    const isHeard = !isLevel || speaking.has(witness)
    const denied = isHeard || (!silent.has(witness) && (await inTime(deniesAny(witness, told))))
    if (denied === 'late') silent.add(witness)
    else if (denied) alone.push(contested)
  }
  return alone.flat()
}

/** Whether by its own headers an endpoint knows some of these logs to be made up. */
async function deniesAny(client: AnyClient, logs: readonly PoolLog[]): Promise<boolean> {
  const ofEachBlock = [...new Map(logs.map((log) => [log.blockNumber, log])).values()]
  const step = Math.ceil(ofEachBlock.length / mostLooks)
  const some = ofEachBlock.filter((_, index) => index % step === 0)
  const denied = await Promise.all(some.map((log) => denies(client, log)))
  return denied.some(Boolean)
}

async function denies(client: AnyClient, log: PoolLog): Promise<boolean> {
  const block = await readBlock({ client }, log.blockNumber).catch(() => undefined)
  if (!block) return false
  const bloom = readBloom(block.logsBloom)
  return block.head.hash !== log.blockHash || (bloom !== undefined && !holdsLog(bloom, log))
}
