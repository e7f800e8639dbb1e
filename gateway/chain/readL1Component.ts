import {
  type Address,
  type Client,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem'

export const nodeInterface: Address = '0x00000000000000000000000000000000000000C8'
export const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])
const call = { abi: nodeInterfaceAbi, functionName: 'gasEstimateL1Component' } as const

/**
 * What an Arbitrum chain adds to a call's gas for its data on L1, at the base fee: that of estimates and receipts,
 * not of runs elsewhere. The node answers for the address itself, so no contract (and no multicall) can ask it;
 * undefined where a local chain has nothing there.
 */
export async function readL1Component(
  client: Pick<Client, 'request'>,
  { to, data, signal }: { readonly to: Address; readonly data: Hex; readonly signal?: AbortSignal },
): Promise<{ readonly gas: bigint; readonly baseFee: bigint } | undefined> {
  const question = encodeFunctionData({ ...call, args: [to, false, data] })
  const answer = await client.request(
    { method: 'eth_call', params: [{ to: nodeInterface, data: question }, 'latest'] },
    signal && { signal },
  )
  if (answer === '0x') return undefined
  const [gas, baseFee] = decodeFunctionResult({ ...call, data: answer })
  return { gas, baseFee }
}
