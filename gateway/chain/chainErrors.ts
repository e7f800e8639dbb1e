/** viem wraps what a transport throws. */
export function isCausedBy(
  error: unknown,
  kind: typeof ChainUnavailable | typeof WrongChain | typeof BlockOrphaned,
): boolean {
  if (error instanceof kind) return true
  return error instanceof Error && error.cause !== undefined && isCausedBy(error.cause, kind)
}

/** Thrown when no upstream of a chain answers. */
export class ChainUnavailable extends Error {
  readonly chainId: number
  readonly reasons: readonly string[]
  constructor(chainId: number, reasons: readonly string[]) {
    super(`chain ${chainId} is unreachable (${reasons.join(', ')})`)
    this.name = 'ChainUnavailable'
    this.chainId = chainId
    this.reasons = reasons
  }
}

/** None of these is about what was asked. */
const away: ReadonlySet<string> = new Set([
  'network',
  'unsent',
  'rate_limited',
  'over_budget',
  'other_chain',
  'closed',
])

/** Whether nobody was there to be asked: less of the same would not be answered either. */
export function isAway(error: unknown): boolean {
  if (error instanceof ChainUnavailable) return error.reasons.every((reason) => away.has(reason))
  return error instanceof Error && error.cause !== undefined && isAway(error.cause)
}

/** Thrown when the block whose state was asked for is not the chain's any more: there is a new head. */
export class BlockOrphaned extends Error {
  constructor(chainId: number) {
    super(`a block of chain ${chainId} was orphaned while its state was read`)
    this.name = 'BlockOrphaned'
  }
}

/** Thrown when an upstream serves another chain than configured. */
export class WrongChain extends Error {
  constructor({ expected, actual }: { readonly expected: number; readonly actual: number }) {
    super(`the RPC endpoint configured for chain ${expected} serves chain ${actual}`)
    this.name = 'WrongChain'
  }
}
