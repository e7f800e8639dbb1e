import type { Address } from 'viem'

/** What gates 1 to 5 and 7 are decided on: one owner, one block. */
export type DeploySimulation = {
  readonly blockNumber: bigint
  readonly existingProxy: Address | undefined
  readonly predictedProxy: Address
  /** Undefined when tokenIn has no code, reverts, or answers anything but one word. */
  readonly tokenBalance: bigint | undefined
  readonly nativeBalance: bigint
  readonly relayerBalance: bigint
  readonly deploy:
    | { readonly status: 'ok'; readonly gasUsed: bigint }
    | { readonly status: 'reverted'; readonly reason: string }
}

/** The part of the `Simulator` that the relay needs. Rejects when the chain does not answer. */
export type DeploySimulator = {
  simulateDeploy(request: {
    readonly chainId: number
    readonly factory: Address
    readonly owner: Address
    readonly tokenIn: Address
    readonly relayer: Address
  }): Promise<DeploySimulation>
}
