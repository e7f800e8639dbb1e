import {
  type Address,
  type Client,
  decodeFunctionResult,
  type Hex,
  parseAbi,
  serializeTransaction,
  toHex,
} from 'viem'
import { encodeCall } from './encodeCall.ts'

const gasPriceOracle = '0x420000000000000000000000000000000000000F'
const oracleAbi = parseAbi(['function getL1Fee(bytes unsignedTransaction) view returns (uint256)'])

/**
 * What an OP stack chain charges for a call's data outside gas x price, in wei of its own oracle.
 * Zero where the oracle has no code, as on local forks.
 */
export async function readL1Fee(
  client: Pick<Client, 'request'>,
  { to, data }: { readonly to: Address; readonly data: Hex },
): Promise<bigint> {
  // Sizes as in the bytes to be signed; the fee depends on their number, hardly on their content.
  const unsigned = serializeTransaction({
    type: 'eip1559',
    chainId: 0xffffff,
    nonce: 0xffffff,
    to,
    data,
    gas: 0xffffffn,
    maxFeePerGas: 0xffffffffffn,
    maxPriorityFeePerGas: 0xffffffffffn,
  })
  const call = encodeCall({ abi: oracleAbi, functionName: 'getL1Fee', args: [unsigned] })
  const result = await client.request({
    method: 'eth_call',
    params: [{ to: gasPriceOracle, data: call, gas: toHex(3_000_000) }, 'latest'],
  })
  if (result === '0x') return 0n
  return decodeFunctionResult({ abi: oracleAbi, data: result })
}
