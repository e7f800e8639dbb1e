import {
  type Abi,
  type Chain,
  type Client,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  type Hex,
  numberToHex,
  type Transport,
} from 'viem'
import { managerLens, poolLens, quoteLens } from '../../../contracts/artifacts.ts'
import { encodeCall } from '../../chain/encodeCall.ts'
import { placeContract } from '../../chain/publicContracts.ts'

/** Quoters that run the swap are no views. */
type Readable = 'view' | 'nonpayable'
type Result<
  abi extends Abi,
  name extends ContractFunctionName<abi, Readable>,
> = ContractFunctionReturnType<abi, Readable, name>
export type LensResult<name extends ContractFunctionName<typeof poolLens.abi, 'view'>> = Result<
  typeof poolLens.abi,
  name
>
export type ManagerLensResult<name extends ContractFunctionName<typeof managerLens.abi, 'view'>> =
  Result<typeof managerLens.abi, name>

/** An address nothing was ever deployed to; code is laid over it during a call. */
export const lensAddress = '0x00000000000000000000000000000000f0fa1e25'
/**
 * Under the gas cap of public nodes (50M) and under an ordinary block's limit; enough for the whole bitmap
 * of a pool with a spacing of one and a hundred ticks, in one call.
 */
export const lensGas = 26_000_000n
/** Nearly all that public nodes give: where calls are few, whatever an ordinary block's limit is. */
export const thriftyGas = 48_000_000n

/** Makes the function that calls a lens' functions at one block. */
function createLensCall<const abi extends Abi>(lens: {
  readonly abi: abi
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
}) {
  /** Where `forkyard deploy` puts it; its code is laid over that where it does not stand there. */
  const { address } = placeContract(lens, [])
  return async <const name extends ContractFunctionName<abi, Readable>>(
    client: Client<Transport, Chain>,
    {
      functionName,
      args,
      blockNumber,
      gas = lensGas,
    }: {
      readonly functionName: name
      readonly args: ContractFunctionArgs<abi, Readable, name>
      readonly blockNumber: bigint
      readonly gas?: bigint | undefined
    },
  ): Promise<Result<abi, name>> => {
    const parameters = {
      abi: lens.abi as Abi,
      functionName: functionName as string,
      args: args as readonly unknown[],
    }
    const data: Hex = encodeCall(parameters)
    const answer = await client.request({
      method: 'eth_call',
      params: [
        { to: address, data, gas: numberToHex(gas) },
        numberToHex(blockNumber),
        { [address]: { code: lens.deployedBytecode } },
      ],
    })
    // The types are those of the ABI that encoded the call; viem loses them behind the generic name.
    return decodeFunctionResult({ ...parameters, data: answer }) as Result<abi, name>
  }
}

/** Pools that are contracts of their own, factories and tokens. */
export const callLens = createLensCall(poolLens)
/** Pools inside Uniswap v4's manager. */
export const callManagerLens = createLensCall(managerLens)
/** On-chain quoters. */
export const callQuoteLens = createLensCall(quoteLens)
