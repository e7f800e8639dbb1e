import { createServer } from 'node:http'
import type { WorldChain } from '../../../fixtures/world.ts'
import { createAccess } from '../../access/access.ts'
import { getChain } from '../../chain/chains.ts'
import { createChainClient } from '../../chain/client.ts'
import { createService } from '../../http/service.ts'
import { createRouting } from '../../routing/service/routing.ts'
import { type DatabaseConfig, openConfiguredStore } from '../../store/openConfiguredStore.ts'
import { benchAccess } from '../server/benchAccess.ts'
import { reportToParent } from '../server/reportToParent.ts'

export type ScaleSetup = DatabaseConfig & {
  readonly chain: Pick<WorldChain, 'chainId' | 'rpcUrl' | 'manifest'>
}

/** The keyed routing service of one gateway as `app.ts` wires it, on a chain whose blocks change pools. */
const setup = JSON.parse(process.argv[2] ?? '') as ScaleSetup
const { chainId, rpcUrl, manifest } = setup.chain
const chain = getChain(chainId)
if (!chain) throw new Error(`chain ${chainId} is built in`)
const store = await openConfiguredStore(setup)
const log = { debug() {}, info() {}, warn() {}, error() {} }
const routing = await createRouting({
  chains: [
    {
      chainClient: createChainClient({ chain, rpcUrls: [rpcUrl] }),
      executor: manifest.executor,
    },
  ],
  ...(setup.databaseUrl === undefined ? { snapshots: store.pools } : { shared: store }),
  simulator: undefined,
  serviceName: 'forkyard',
  version: '0',
  publicUrl: 'http://127.0.0.1',
  x402Support: false,
})
const service = createService({
  name: 'routing',
  endpoints: routing.endpoints,
  access: createAccess({ store, chains: [], config: benchAccess, log, now: Date.now }),
  log,
})
const server = createServer(service.app.callback())
// Keys are the benchmark's: gateways share them.
server.listen(0, '127.0.0.1', () => reportToParent(server, ''))
