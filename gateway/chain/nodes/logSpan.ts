import type { RpcCall, RpcError } from './readReply.ts'

/** Blocks that a request for logs spans; undefined for all others, and where a tag leaves it open. */
function spanOf({ method, params }: RpcCall): number | undefined {
  if (method !== 'eth_getLogs' || !Array.isArray(params)) return undefined
  const { fromBlock, toBlock } = (params[0] ?? {}) as Readonly<Record<string, unknown>>
  const span = Number(toBlock) - Number(fromBlock) + 1
  return typeof fromBlock === 'string' && Number.isSafeInteger(span) ? span : undefined
}

/** The refusal that a request for logs is known to meet, before anybody is asked. */
export function foresee(call: RpcCall, mostBlocks: number | undefined): RpcError | undefined {
  const span = mostBlocks === undefined ? undefined : spanOf(call)
  if (mostBlocks === undefined || span === undefined || span <= mostBlocks) return undefined
  return { code: -32602, message: `eth_getLogs is limited to ${mostBlocks} block range` }
}
