import { type Abi, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem'

type Call = {
  readonly abi: Abi
  readonly functionName: string
  readonly args?: readonly unknown[] | undefined
}
type Prepared = Pick<Call, 'abi' | 'functionName'>

const prepared = new WeakMap<Abi, Map<string, Prepared>>()

function prepare({ abi, functionName, args }: Call): Prepared {
  const ofAbi = prepared.get(abi) ?? new Map<string, Prepared>()
  prepared.set(abi, ofAbi)
  const known = ofAbi.get(functionName)
  if (known) return known
  const fresh = prepareEncodeFunctionData({ abi, functionName, args })
  // Which of several of one name is meant, its arguments tell.
  const named = abi.filter((item) => 'name' in item && item.name === functionName)
  if (named.length === 1) ofAbi.set(functionName, fresh)
  return fresh
}

function encode({ args, ...call }: Call): Hex {
  const { abi, functionName } = prepare({ ...call, args })
  return encodeFunctionData({ abi, functionName, args })
}

/**
 * As viem's `encodeFunctionData`, which hashes a function's signature at each call: here once for an ABI that
 * lives as long as the process. For what is encoded hundreds of times a second.
 */
export const encodeCall = encode as typeof encodeFunctionData
