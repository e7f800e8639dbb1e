import { BaseError, type Hex, isHex } from 'viem'

/** How nodes say that a contract has reverted (the second is Nethermind's); other errors are their own. */
const revertCodes: ReadonlySet<unknown> = new Set([3, -32015])

type Coded = { readonly code: unknown; readonly data?: unknown }

const hasRevertCode = (cause: unknown): cause is Coded =>
  typeof cause === 'object' && cause !== null && 'code' in cause && revertCodes.has(cause.code)

/** Data of a contract's refusal, empty where the node does not pass it on; undefined for other errors. */
export function findRevert(error: unknown): Hex | undefined {
  const found = error instanceof BaseError ? error.walk(hasRevertCode) : undefined
  if (!hasRevertCode(found)) return undefined
  return isHex(found.data) ? found.data : '0x'
}
