/** Codes of EIP-1193, EIP-1474, EIP-3085 and EIP-5792. */
export const errorCodes = {
  rejected: 4001,
  unauthorized: 4100,
  unsupported: 4200,
  disconnected: 4900,
  unknownChain: 4902,
  unknownCapability: 5700,
  usedBatchId: 5720,
  unknownBatch: 5730,
  noAtomicBatch: 5760,
  invalid: -32602,
  internal: -32603,
} as const

/** What a wallet answers a page that it refuses. */
export class ProviderError extends Error {
  override readonly name = 'ProviderRpcError'
  readonly code: number

  constructor(reason: keyof typeof errorCodes, sentence: string) {
    super(sentence)
    this.code = errorCodes[reason]
  }
}
