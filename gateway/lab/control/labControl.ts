import { dirname } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Log } from '../../http/serviceOptions.ts'
import { findChain } from '../../parts/findChain.ts'
import { createEmulator } from '../emulate/emulator.ts'
import type { TradeDeps } from '../emulate/trades.ts'
import { createFaultEdge } from '../faults/faultEdge.ts'
import { createLabChains, readChains } from '../faults/labChains.ts'
import { givenVariables, labFiles } from '../labFiles.ts'
import { walletEndpoints } from '../wallet/walletEndpoints.ts'
import { controlEndpoints } from './controlEndpoints.ts'
import { folderEndpoints } from './folderEndpoints.ts'

/** What a lab serves beside its services: what a test does to it, and other people's APIs over its chains. */
export function createLabControl({
  manifestPath,
  log,
}: {
  readonly manifestPath: string
  readonly log: Log
}) {
  const chainsOf = createLabChains({ manifestPath })
  const { endpoints, serve, ...faults } = createFaultEdge({ now: Date.now, log, chainsOf })
  const chains = chainsOf()
  const folders = folderEndpoints({
    files: labFiles({ FORKYARD_LAB_DIR: dirname(manifestPath) }),
    folder: process.cwd(),
    ownPack: process.env[givenVariables.pack],
    now: Date.now,
  })
  const emulator = createEmulator({ onChain: chains.on })
  return {
    /** On the operators' listener. */
    ops: {
      endpoints: [
        ...controlEndpoints(chains),
        ...endpoints,
        ...folders,
        ...walletEndpoints({ readChains: () => readChains(manifestPath) }),
      ],
      interrupt: emulator.interrupt,
    },
    ...faults,
    /** From when on there is a market to ask. */
    serve(config: Config, { routing, clients }: Pick<TradeDeps, 'routing' | 'clients'>) {
      const executorOf = (chainId: number) => findChain(config, chainId)?.executor
      serve({ routing })
      emulator.serve({ routing, clients, executorOf })
    },
  }
}
