import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  type Hex,
} from 'viem'
import { encodeCall } from '../../chain/encodeCall.ts'
import { askTogether } from './askTogether.ts'
import type { ReadDeps } from './poolRef.ts'
import { toFailure } from './readCalls.ts'

const longestAnswerBytes = 3_072n

function decode(parameters: Parameters<typeof decodeFunctionResult>[0]): unknown {
  try {
    return decodeFunctionResult(parameters)
  } catch {
    // Whatever answers may answer anything; what does not decode is no answer.
    return undefined
  }
}

/** One view of many contracts at one block; undefined where a call failed or its answer is none. */
export async function readEach<
  const abi extends Abi,
  const name extends ContractFunctionName<abi, 'pure' | 'view'>,
>(
  { client, noteFailure }: ReadDeps,
  {
    abi,
    functionName,
    calls,
    blockNumber,
  }: {
    readonly abi: abi
    readonly functionName: name
    readonly calls: readonly {
      readonly target: Address
      readonly args?: ContractFunctionArgs<abi, 'pure' | 'view', name> | undefined
    }[]
    readonly blockNumber: bigint
  },
): Promise<(ContractFunctionReturnType<abi, 'pure' | 'view', name> | undefined)[]> {
  const base = { abi: abi as Abi, functionName: functionName as string }
  const toCall = ({ target, args = [] }: { target: Address; args?: unknown }) => {
    const data: Hex = encodeCall({ ...base, args: args as readonly unknown[] })
    return { target, data, answerBytes: longestAnswerBytes }
  }
  const answers = await askTogether(client, { calls: calls.map(toCall), blockNumber })
  const decoded = answers.map((answer, index) => {
    const value = answer === undefined ? undefined : decode({ ...base, data: answer })
    const call = calls[index]
    if (value === undefined && call) noteFailure?.(toCall(call), toFailure(answer))
    return value
  })
  // The types are those of the ABI that decodes; viem loses them behind the generic name.
  return decoded as (ContractFunctionReturnType<abi, 'pure' | 'view', name> | undefined)[]
}
