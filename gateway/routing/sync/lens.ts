import {
  type Abi,
  type Chain,
  type Client,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  type Transport,
} from 'viem'
import { poolLens } from '../../../contracts/artifacts.ts'

type LensAbi = typeof poolLens.abi
type LensFunction = ContractFunctionName<LensAbi, 'view'>
export type LensResult<name extends LensFunction> = ContractFunctionReturnType<
  LensAbi,
  'view',
  name
>

/** An address nothing was ever deployed to; the lens' code is laid over it during the call. */
const lensAddress = '0x00000000000000000000000000000000f0fa1e25'
/** Under the gas cap of public nodes (50M) and under an ordinary block's limit. */
export const lensGas = 25_000_000n

/** Calls a function of the lens at one block. */
export async function callLens<const name extends LensFunction>(
  client: Client<Transport, Chain>,
  {
    functionName,
    args,
    blockNumber,
  }: {
    readonly functionName: name
    readonly args: ContractFunctionArgs<LensAbi, 'view', name>
    readonly blockNumber: bigint
  },
): Promise<LensResult<name>> {
  const abi: Abi = poolLens.abi
  const parameters = { abi, functionName: functionName as string, args: args as readonly unknown[] }
  const data: Hex = encodeFunctionData(parameters)
  const answer = await client.request({
    method: 'eth_call',
    params: [
      { to: lensAddress, data, gas: numberToHex(lensGas) },
      numberToHex(blockNumber),
      { [lensAddress]: { code: poolLens.deployedBytecode } },
    ],
  })
  // The types are those of the ABI that encoded the call; viem loses them behind the generic name.
  return decodeFunctionResult({ ...parameters, data: answer }) as LensResult<name>
}
