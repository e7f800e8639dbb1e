import type { ForkOrigin } from './keptChain.ts'
import type { LabChainManifest } from './manifest.ts'

export type LabChain = {
  readonly chainId: number
  readonly forked: boolean
  readonly manifest: LabChainManifest
  /** What the gateway is told about this chain. */
  readonly env: Readonly<Record<string, string>>
  /** Past its door. */
  readonly anvilUrl: string
  /** Of a fork: the block it was forked at. */
  readonly origin?: ForkOrigin | undefined
  close(): Promise<void>
}

export type LabEnvironment = Readonly<Record<string, string | undefined>>
