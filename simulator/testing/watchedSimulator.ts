import type { StartFork } from '../fork.ts'
import type { RpcCall } from '../rpc/rpcBatch.ts'
import { createSimulator } from '../simulator.ts'
import { startSwapWorld } from './swapWorld.ts'
import { startTestForks } from './testForks.ts'

/** A simulator of a chain of its own; `see` is told of each batch that a fork is asked, before it is. */
export async function startWatchedSimulator(
  see: (calls: readonly RpcCall[], fork: Parameters<StartFork>[0]) => void,
) {
  const world = await startSwapWorld()
  const forks = await startTestForks()
  const startFork: StartFork = async (parameters) => {
    const fork = await forks.startFork(parameters)
    const batch: typeof fork.rpc.batch = (calls, limits) => {
      see(calls, parameters)
      return fork.rpc.batch(calls, limits)
    }
    return { ...fork, rpc: { ...fork.rpc, batch } }
  }
  const simulator = await createSimulator({
    chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
    forks: { ...forks, startFork },
  })
  return {
    world,
    simulator,
    async close() {
      await simulator.close()
      await world.chain.close()
    },
  }
}
