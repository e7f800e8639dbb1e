import type { DeployQuestion, DeployReport } from '../../simulator/deployCalls.ts'

/** What gates 1 to 5 and 7 are decided on: one owner, one block. */
export type DeploySimulation = DeployReport

/** The part of the `Simulator` that the relay needs. Rejects when the chain does not answer. */
export type DeploySimulator = {
  simulateDeploy(request: DeployQuestion & { readonly chainId: number }): Promise<DeploySimulation>
}
