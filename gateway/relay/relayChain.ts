import type { ChainClient } from '../chain/client.ts'
import type { RelayLimits } from './limits.ts'
import type { Signer } from './signer.ts'

/** One chain as the relay serves it. */
export type RelayChain = {
  readonly chainId: number
  readonly client: ChainClient
  /** Knows the factory; its address pays. */
  readonly signer: Signer
  readonly limits: RelayLimits
}
