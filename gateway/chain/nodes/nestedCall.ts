import {
  type Address,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  numberToHex,
  parseAbi,
  zeroHash,
} from 'viem'
import { isRecord, type RpcAnswer, type RpcCall, readError } from './readReply.ts'
import { readLaid } from './standingCode.ts'

/** The same question in another form, and how the answer reads. */
export type NestedCall = {
  readonly call: RpcCall
  /** Undefined where the form itself did not work. */
  read(answer: RpcAnswer): RpcAnswer | undefined
}

const abi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
])
/** 200 for each byte of code, the creation's own, and the calldata of both. */
const gasPerCodeByte = 260
const gasOfCreation = 300_000
/** PUSH2 of the length follows: DUP1 PUSH1 10 PUSH0 CODECOPY PUSH0 RETURN, and then the code. */
const returnRest = '0x80600a5f395ff3'
const longestCode = 0xffff
/** It takes less to lay code, where that is taken. */
const tryAgainMs = 600_000

/** Creation code whose contract has this code. */
function toCreation(code: Hex): Hex {
  const length = (code.length - 2) / 2
  return concat(['0x61', numberToHex(length, { size: 2 }), returnRest, code])
}

/**
 * A call of code that it lays over an address, for nodes that lay nothing: within one call of Multicall3
 * the CREATE2 deployer makes a contract of that code, which is asked then.
 */
export function createNesting({
  multicall3,
  create2Deployer,
  now,
}: {
  readonly multicall3: Address
  /** Takes a salt and creation code. */
  readonly create2Deployer: Address
  readonly now: () => number
}) {
  let neededAtMs = Number.NEGATIVE_INFINITY
  const made = new Map<string, { readonly address: Address; readonly creation: Hex }>()

  function place(code: Hex) {
    const known = made.get(code)
    if (known) return known
    const creation = toCreation(code)
    const address = getCreate2Address({ from: create2Deployer, salt: zeroHash, bytecode: creation })
    const placed = { address, creation }
    made.set(code, placed)
    return placed
  }

  function nest(call: RpcCall): NestedCall | undefined {
    const laid = readLaid(call)
    // Of most methods: some have no parameters at all.
    if (!laid) return undefined
    const [asked, block] = call.params as readonly unknown[]
    if (!isRecord(asked)) return undefined
    const { to, data, gas, ...rest } = asked
    const isOfCode = to === laid.address && laid.code.length <= 2 + 2 * longestCode
    if (!isOfCode || typeof data !== 'string' || Object.keys(rest).length > 0) return undefined
    const { address, creation } = place(laid.code as Hex)
    const calls = [
      // It may stand there already.
      { target: create2Deployer, allowFailure: true, callData: concat([zeroHash, creation]) },
      { target: address, allowFailure: true, callData: data as Hex },
    ]
    const more = gasOfCreation + gasPerCodeByte * (laid.code.length / 2)
    const transaction = {
      to: multicall3,
      data: encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] }),
      ...(gas !== undefined && { gas: numberToHex(BigInt(String(gas)) + BigInt(Math.ceil(more))) }),
    }
    return { call: { ...call, params: [transaction, block] }, read }
  }
  return {
    nest,
    /** Whether upstreams refused to lay code a short while ago. */
    isNeeded: () => now() - neededAtMs < tryAgainMs,
    need(): void {
      neededAtMs = now()
    },
  }
}

export type Nesting = ReturnType<typeof createNesting>

function read(answer: RpcAnswer): RpcAnswer | undefined {
  if (!('result' in answer)) return answer
  // Where Multicall3 does not stand nothing is answered.
  if (typeof answer.result !== 'string' || answer.result === '0x') return undefined
  const asked = decodeSecond(answer.result as Hex)
  if (!asked) return undefined
  const { success, returnData } = asked
  if (!success) return { error: { code: 3, message: 'execution reverted', data: returnData } }
  // An address without code answers nothing.
  return returnData === '0x' ? undefined : { result: returnData }
}

/** Undefined where a node answers with something else. */
function decodeSecond(data: Hex) {
  try {
    return decodeFunctionResult({ abi, functionName: 'aggregate3', data })[1]
  } catch {
    return undefined
  }
}

/** Whether a node's error may mean that it lays nothing over addresses. */
export function mayRefuseLaid(answer: RpcAnswer): boolean {
  if (!('error' in answer)) return false
  const { kind } = readError(answer.error)
  return ['overrides_refused', 'invalid_request', 'method_missing'].includes(kind)
}
