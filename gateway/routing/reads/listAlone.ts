import type { Chain, Client, Transport } from 'viem'
import { holdsLog, readBloom } from './bloom.ts'
import { listContested } from './mergeLogs.ts'
import type { PoolLog } from './poolLog.ts'
import { type BlockHead, readBlock } from './readHead.ts'

type AnyClient = Client<Transport, Chain>

/** What two endpoints have told of the same blocks. */
export type Witnessed = {
  readonly told: readonly PoolLog[]
  readonly witness: AnyClient
  readonly witnessed: readonly PoolLog[]
}

/** Headers of an endpoint that has told of nothing. */
const mostLooks = 4

/** Whether an endpoint has this very block. Who fails has not shown it. */
export async function hasBlock(
  client: AnyClient,
  { number, hash }: Pick<BlockHead, 'number' | 'hash'>,
): Promise<boolean> {
  const block = await readBlock({ client }, number).catch(() => undefined)
  return block?.head.hash === hash
}

/**
 * Logs that one of two endpoints alone has told of, the oldest blocks first. Where the other one has the block that
 * ends them all it stands on the same chain, and is silent of nothing that it has; but for one that has told of
 * nothing yet: it may have let go of logs so old, and not of the headers, whose blooms know.
 */
export async function listAlone(
  parts: readonly Witnessed[],
  end: Pick<BlockHead, 'number' | 'hash'> | undefined,
): Promise<readonly PoolLog[]> {
  const levels = new Map<AnyClient, Promise<boolean>>()
  const speaking = new Set<AnyClient>()
  const alone: (readonly PoolLog[])[] = []
  for (const { told, witness, witnessed } of parts) {
    if (witnessed.length > 0) speaking.add(witness)
    const contested = listContested(told, witnessed, 'all')
    if (contested.length === 0) continue
    const level = levels.get(witness) ?? (end ? hasBlock(witness, end) : Promise.resolve(false))
    levels.set(witness, level)
    if (!(await level)) alone.push(listContested(told, witnessed, 'reached'))
    else if (speaking.has(witness) || (await deniesAny(witness, told))) alone.push(contested)
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
