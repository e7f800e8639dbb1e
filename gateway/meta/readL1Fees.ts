import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import { decodeResult, readBatch } from './readBatch.ts'
import type { SourceQuote } from './source.ts'

const opOracle: Address = '0x420000000000000000000000000000000000000F'
const opOracleAbi = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])
const nodeInterface: Address = '0x00000000000000000000000000000000000000C8'
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) payable returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

export type L1Fees = Readonly<Record<string, bigint>>

async function readOpStack(
  { client, chain }: ChainClient,
  quotes: readonly SourceQuote[],
  signal: AbortSignal,
): Promise<L1Fees> {
  const calls = quotes.map(({ calldata }) => ({
    target: opOracle,
    data: encodeFunctionData({ abi: opOracleAbi, functionName: 'getL1Fee', args: [calldata] }),
  }))
  const results = await readBatch({ client, multicall3: chain.multicall3 }, { calls, signal })
  const fees = quotes.map(({ provider }, index) => {
    const fee = decodeResult(results[index], (data) =>
      decodeFunctionResult({ abi: opOracleAbi, functionName: 'getL1Fee', data }),
    )
    return [provider, fee ?? 0n] as const
  })
  return Object.fromEntries(fees)
}

/** The node answers for this address itself, so no contract (and no multicall) can ask it. */
async function readArbitrum(
  { client }: ChainClient,
  quotes: readonly SourceQuote[],
  signal: AbortSignal,
): Promise<L1Fees> {
  const abi = nodeInterfaceAbi
  const functionName = 'gasEstimateL1Component'
  const fees = quotes.map(async ({ provider, target, calldata }) => {
    const data = encodeFunctionData({ abi, functionName, args: [target, false, calldata] })
    const params: [{ to: Address; data: Hex }, 'latest'] = [{ to: nodeInterface, data }, 'latest']
    const answer = await client.request({ method: 'eth_call', params }, { signal })
    const [gas, baseFee] = decodeFunctionResult({ abi, functionName, data: answer })
    return [provider, gas * baseFee] as const
  })
  return Object.fromEntries(await Promise.all(fees))
}

/** The L1 data fee of each payload in wei, by provider: what `gas × price` leaves out. */
export async function readL1Fees(
  chainClient: ChainClient,
  { quotes, signal }: { readonly quotes: readonly SourceQuote[]; readonly signal: AbortSignal },
): Promise<L1Fees> {
  const { l1Fee } = chainClient.chain
  if (l1Fee === 'opStack') return readOpStack(chainClient, quotes, signal)
  return l1Fee === 'arbitrum' ? readArbitrum(chainClient, quotes, signal) : {}
}
