import type { Config } from '../../config/config.ts'
import { findChain } from '../../parts/findChain.ts'
import { createEmulator } from '../emulate/emulator.ts'
import type { TradeDeps } from '../emulate/trades.ts'
import { createFaultEdge } from '../faults/faultEndpoints.ts'
import { controlEndpoints } from './controlEndpoints.ts'

/** What a lab serves beside its services: what a test does to it, and other people's APIs over its chains. */
export function createLabControl(parameters: Parameters<typeof controlEndpoints>[0]) {
  const { endpoints, interrupt } = createFaultEdge({ now: Date.now })
  const emulator = createEmulator()
  return {
    /** On the operators' listener. */
    ops: {
      endpoints: [...controlEndpoints(parameters), ...endpoints],
      interrupt: emulator.interrupt,
    },
    interrupt,
    /** From when on there is a market to ask. */
    serve(config: Config, { routing, clients }: Pick<TradeDeps, 'routing' | 'clients'>) {
      const executorOf = (chainId: number) => findChain(config, chainId)?.executor
      emulator.serve({ routing, clients, executorOf })
    },
  }
}
