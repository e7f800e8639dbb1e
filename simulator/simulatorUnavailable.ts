/** The chain cannot be simulated at all right now: no fork stands, or its upstream does not answer. Never carries a URL. */
export class SimulatorUnavailable extends Error {
  override readonly name = 'SimulatorUnavailable'
  readonly chainId: number

  constructor({ chainId, reason, cause }: { chainId: number; reason: string; cause?: unknown }) {
    super(`simulator unavailable on chain ${chainId}: ${reason}`, { cause })
    this.chainId = chainId
  }
}
