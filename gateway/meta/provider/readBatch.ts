import {
  type Address,
  type Client,
  decodeFunctionResult,
  type Hex,
  parseAbi,
  type Transport,
  type Chain as ViemChain,
} from 'viem'
import { encodeCall } from '../../chain/encodeCall.ts'

const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])

/** Gas of one batch: QuoterV2 runs whole swaps, and nodes cap a call between 50M and 600M. */
const batchGas: Hex = '0x2faf080' // 50,000,000

export type BatchCall = { readonly target: Address; readonly data: Hex }
export type BatchResult = { readonly success: boolean; readonly data: Hex }

export type BatchReader = {
  readonly client: Client<Transport, ViemChain>
  readonly multicall3: Address
}

/** Runs calls in one `eth_call` through Multicall3, all on the newest block. Reverts are results. */
export async function readBatch(
  { client, multicall3 }: BatchReader,
  { calls, signal }: { readonly calls: readonly BatchCall[]; readonly signal: AbortSignal },
): Promise<readonly BatchResult[]> {
  if (calls.length === 0) return []
  const data = encodeCall({
    abi: multicallAbi,
    functionName: 'aggregate3',
    args: [calls.map((call) => ({ target: call.target, allowFailure: true, callData: call.data }))],
  })
  const params = [{ to: multicall3, data, gas: batchGas }, 'latest'] as const
  const answer: unknown = await client.request(
    { method: 'eth_call', params: [...params] },
    { signal },
  )
  const results = decodeFunctionResult({
    abi: multicallAbi,
    functionName: 'aggregate3',
    data: answer as Hex,
  })
  return results.map(({ success, returnData }) => ({ success, data: returnData }))
}

/** A decoded result, undefined where the call reverted or answered something else. */
export function decodeResult<value>(
  result: BatchResult | undefined,
  decode: (data: Hex) => value,
): value | undefined {
  if (!result?.success || result.data === '0x') return undefined
  try {
    return decode(result.data)
  } catch {
    // A contract without this function may answer with other bytes: that is no answer.
    return undefined
  }
}
