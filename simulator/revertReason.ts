import { type Abi, decodeErrorResult, type Hex, size, slice, toFunctionSelector } from 'viem'
import { formatAbiItem } from 'viem/utils'

/** Errors of known contracts by selector, e.g. from the ABIs of our own contracts and of the DEXes. */
export type ErrorTable = ReadonlyMap<Hex, Abi>

const maxReasonChars = 300
const maxDataBytes = 1024

const panicReasons: Record<string, string> = {
  1: 'assertion failed',
  17: 'arithmetic overflow or underflow',
  18: 'division by zero',
  33: 'invalid enum value',
  34: 'badly encoded storage bytes',
  49: 'pop of an empty array',
  50: 'array index out of bounds',
  65: 'too much memory',
  81: 'call of an uninitialised function',
}

export function createErrorTable(abis: readonly Abi[]): ErrorTable {
  const table = new Map<Hex, Abi>()
  for (const abi of abis)
    for (const item of abi)
      if (item.type === 'error') table.set(toFunctionSelector(formatAbiItem(item)), [item])
  return table
}

/** One line for people: the revert's own text where there is one, else selector and data, capped. */
export function describeRevert(data: Hex, errors: ErrorTable): string {
  if (size(data) === 0) return 'execution reverted without a reason'
  if (size(data) < 4) return `execution reverted with ${data}`
  const decoded = decode(data, errors.get(slice(data, 0, 4)))
  return decoded ?? describeRaw(data)
}

/** Built-in errors need no ABI: viem knows `Error(string)` and `Panic(uint256)`. */
function decode(data: Hex, abi: Abi | undefined): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: abi ?? [], data })
    const [first] = (args ?? []) as readonly unknown[]
    if (errorName === 'Error') return clean(String(first)) || 'execution reverted'
    if (errorName === 'Panic') return `panic: ${panicReasons[String(first)] ?? `code ${first}`}`
    return clean(`${errorName}(${(args ?? []).map(String).join(', ')})`)
  } catch {
    // Not what its selector promises: shown raw.
    return undefined
  }
}

function describeRaw(data: Hex): string {
  const shown = size(data) > maxDataBytes ? `${slice(data, 0, maxDataBytes)}…` : data
  return `execution reverted with ${shown}`
}

/** Revert texts are the contract's to choose: control characters go, length is capped. */
function clean(text: string): string {
  const printable = text.replace(/[^\P{C}]/gu, ' ').trim()
  return printable.length > maxReasonChars ? `${printable.slice(0, maxReasonChars)}…` : printable
}
