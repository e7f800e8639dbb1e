import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { createAccess } from '../access/access.ts'
import { createKey } from '../access/issueKeys.ts'
import { createService } from '../http/service.ts'
import { createSearchAhead } from '../routing/searchAhead.ts'
import { createSearchThreads } from '../routing/threads/searchThreads.ts'
import { routingEndpoints } from '../routing/wire/routes.ts'
import { openStore } from '../store/openStore.ts'
import { createGeneratedChain, paces } from './quote/generatedChain.ts'
import { marketSize } from './quote/marketSize.ts'
import { benchAccess } from './server/benchAccess.ts'
import { reportToParent } from './server/reportToParent.ts'

/**
 * The whole keyed routing service on a generated market: keys, limits, durable debits, routing, payloads.
 * `moving`: a block changes 20 pools every two seconds; `fast`: 5 every quarter of one; `still`: none does.
 * With `free` behind it nobody arbitrages. Blocks come while somebody asks.
 */
const [path = ':memory:', pools = 'moving', wander] = process.argv.slice(2)
const store = openStore({ path })
const log = { debug() {}, info() {}, warn() {}, error() {} }
const accessDeps = { store, chains: [], config: benchAccess, log, now: Date.now }
const { apiKey } = await createKey(accessDeps, { label: 'bench', quotes: 1e12 })
const pace = Object.entries(paces).find(([name]) => name === pools)?.[1]
const count = Number(process.env['ROUTING_THREADS'] ?? availableParallelism() - 1)
const threads = count > 0 ? createSearchThreads({ count }) : undefined
const isArbitraged = wander !== 'free'
const { chain, advance } = createGeneratedChain({ ...marketSize, ...pace, isArbitraged, threads })
createSearchAhead({ now: () => performance.now() }, { chains: [chain] })
const service = createService({
  name: 'routing',
  endpoints: routingEndpoints({
    chains: new Map([[chain.chainId, chain]]),
    simulator: undefined,
    maxLagMs: 30_000,
    serviceName: 'forkyard',
    version: '0',
    publicUrl: 'http://127.0.0.1',
    x402Support: false,
    startedAtMs: 0,
    now: () => performance.now(),
  }),
  access: createAccess(accessDeps),
  log,
})
const server = createServer(service.app.callback())
/** Beside servers that are measured one after the other, one that nobody asks has to rest. */
const restMs = 500
let askedMs = Number.NEGATIVE_INFINITY
server.on('request', () => {
  askedMs = performance.now()
})
if (pace)
  setInterval(() => {
    if (performance.now() - askedMs < restMs) advance()
  }, pace.blockMs)
server.listen(0, '127.0.0.1', () => reportToParent(server, apiKey))
