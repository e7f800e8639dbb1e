import { type RpcAnswer, type RpcCall, type RpcError, readError } from './readReply.ts'

/** Wider ones are refused by some proxies as if no node were there. */
const widestTaken = 2_000

/** Blocks that a request for logs spans; undefined for all others, and where a tag leaves it open. */
export function spanOf({ method, params }: RpcCall): number | undefined {
  if (method !== 'eth_getLogs' || !Array.isArray(params)) return undefined
  const { fromBlock, toBlock } = (params[0] ?? {}) as Readonly<Record<string, unknown>>
  const span = Number(toBlock) - Number(fromBlock) + 1
  return typeof fromBlock === 'string' && Number.isSafeInteger(span) ? span : undefined
}

/** Travels alone: what is said to it is said of its range, and of no call beside it. */
export const isWide = (call: RpcCall) => (spanOf(call) ?? 0) > widestTaken

/** "No backend is healthy", said to a wide range alone: of the node, or of the range. */
export function mayMeanRange(
  calls: readonly RpcCall[],
  [answer]: readonly (RpcAnswer | undefined)[],
) {
  const [call, ...others] = calls
  if (!call || others.length > 0 || !isWide(call) || !answer || !('error' in answer)) return false
  return readError(answer.error).kind === 'unhealthy'
}

/** As the table of refusals reads it; without a limit where none is known. */
export const tooWide = (mostBlocks?: number): RpcError => ({
  code: -32602,
  message:
    mostBlocks === undefined
      ? 'block range is too wide'
      : `eth_getLogs is limited to ${mostBlocks} block range`,
})

/** The refusal that a request for logs is known to meet, before anybody is asked. */
export function foresee(call: RpcCall, mostBlocks: number | undefined): RpcError | undefined {
  const span = mostBlocks === undefined ? undefined : spanOf(call)
  if (mostBlocks === undefined || span === undefined || span <= mostBlocks) return undefined
  return tooWide(mostBlocks)
}
