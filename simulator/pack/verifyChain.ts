import { createRpcEndpoint, type RpcCall, type RpcOutcome } from '../rpc/rpcBatch.ts'
import { describeCall } from './packCall.ts'
import type { PackedAnswer, PackedChain } from './packFile.ts'

/** What a chain says today of what a pack says of it. */
export type ChainVerdict = {
  /** `other`: reorganised, or another chain of that number. */
  readonly block: 'same' | 'other' | 'unknown'
  readonly equal: number
  /** The reads that are answered otherwise. */
  readonly different: readonly string[]
  /** The endpoint keeps no state that old, or refuses the method. */
  readonly unanswered: number
}

const timeoutMs = 30_000
const batchSize = 50
/** True of one moment, and of no block. */
const ofTheMoment = ['eth_gasPrice', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee']

/** Asks an endpoint everything that the pack knows of its chain. */
export async function verifyChain(
  chain: PackedChain,
  { rpcUrl }: { readonly rpcUrl: string },
): Promise<ChainVerdict> {
  const rpc = createRpcEndpoint({ url: rpcUrl })
  const ask = (calls: readonly RpcCall[]) => rpc.batch(calls, { timeoutMs })
  try {
    const block = await verifyBlock(ask, chain)
    const verdict = { block, equal: 0, different: [] as string[], unanswered: 0 }
    if (block !== 'same') return verdict
    const answers = [...chain.answers.values()].filter(
      ({ call }) => !ofTheMoment.includes(call.method),
    )
    for (let at = 0; at < answers.length; at += batchSize) {
      const batch = answers.slice(at, at + batchSize)
      const outcomes = await ask(batch.map(({ call }) => call))
      for (const [index, kept] of batch.entries())
        judge(verdict, { chain, kept, now: outcomes[index] })
    }
    return verdict
  } finally {
    await rpc.close()
  }
}

async function verifyBlock(
  ask: (calls: readonly RpcCall[]) => Promise<readonly RpcOutcome[]>,
  { blockNumber, blockHash }: PackedChain,
): Promise<ChainVerdict['block']> {
  const params = [`0x${blockNumber.toString(16)}`, false]
  const [outcome] = await ask([{ method: 'eth_getBlockByNumber', params }])
  if (!outcome?.ok || outcome.result === null) return 'unknown'
  return (outcome.result as { readonly hash?: unknown }).hash === blockHash ? 'same' : 'other'
}

function judge(
  verdict: { equal: number; different: string[]; unanswered: number },
  {
    chain,
    kept,
    now,
  }: {
    readonly chain: PackedChain
    readonly kept: PackedAnswer
    readonly now: RpcOutcome | undefined
  },
) {
  if (!now || isNoAnswer(kept.outcome, now)) verdict.unanswered += 1
  else if (isSame(kept.outcome, now)) verdict.equal += 1
  else verdict.different.push(describeCall(kept.call, chain))
}

/** A revert is an answer; that state is pruned, or a limit is reached, is none. */
const isNoAnswer = (before: RpcOutcome, now: RpcOutcome) =>
  !now.ok && now.code !== 3 && (before.ok || before.code !== now.code)

function isSame(before: RpcOutcome, now: RpcOutcome): boolean {
  if (before.ok && now.ok) return agrees(before.result ?? null, now.result ?? null)
  return !before.ok && !now.ok && before.code === now.code && before.data === now.data
}

/** Nodes add fields of their own to blocks and receipts: what both have is compared. */
function agrees(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase()
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => agrees(item, b[index]))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const other = b as Record<string, unknown>
  return Object.entries(a).every(([name, value]) => !(name in other) || agrees(value, other[name]))
}
