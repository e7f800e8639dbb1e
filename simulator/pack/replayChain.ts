import type { RpcOutcome } from '../rpc/rpcBatch.ts'
import { describeCall, keyOf, toPackCall } from './packCall.ts'
import type { PackedChain } from './packFile.ts'
import { startRpcServer } from './rpcServer.ts'

/** A chain that answers from a pack and from nowhere else. */
export type ReplayedChain = { readonly url: string; readonly close: () => Promise<void> }

/** A transaction that the pack does not know is unknown to its chain: a fork asks for its own that way. */
const lookUps = /^eth_get(?:TransactionReceipt|TransactionByHash|BlockByHash)$/
/** "Resource not found" of EIP-1474; nobody tries that again. */
const missingCode = -32001

export function replayChain(
  {
    onMissing,
    onUsed = () => undefined,
  }: {
    readonly onMissing: (read: string) => void
    /** Told the key of every answer that is given. */
    readonly onUsed?: ((key: string) => void) | undefined
  },
  chain: PackedChain,
): Promise<ReplayedChain> {
  const reported = new Set<string>()
  async function answer(asked: Parameters<typeof toPackCall>[0]): Promise<RpcOutcome> {
    const packCall = toPackCall(asked, chain)
    if (packCall.kind === 'known') return packCall.outcome
    const { call } = packCall
    const key = keyOf(call)
    const kept = chain.answers.get(key)
    if (kept) {
      onUsed(key)
      return kept.outcome
    }
    if (lookUps.test(call.method)) return { ok: true, result: null }
    const read = describeCall(call, chain)
    if (!reported.has(key)) onMissing(read)
    reported.add(key)
    const message = `not in the pack: ${read}`
    return { ok: false, code: missingCode, message, data: undefined }
  }
  return startRpcServer({ answer })
}
