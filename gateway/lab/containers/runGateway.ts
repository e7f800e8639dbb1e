import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Chain } from '../../chain/chains.ts'
import { settingName } from '../../chain/settingName.ts'
import { version } from '../../runtime/version.ts'
import { banner } from '../banner.ts'
import { countPools } from '../countPools.ts'
import { isReady } from '../gatewayProcess.ts'
import { createLabKeys } from '../keys.ts'
import { labDefaults } from '../labDefaults.ts'
import { writeJson } from '../labFiles.ts'
import type { LabManifest, LabServices } from '../manifest.ts'
import { chainPort, doorsOf, hostOf, openSharedFiles, type SharedChain } from './sharedFiles.ts'

type Environment = Readonly<Record<string, string | undefined>>

const pollMs = 250
const listeners = { routing: 8080, meta: 8081, relay: 8082, ops: 8090 } as const
/** The manifest's URLs are those of the person's machine, where the compose file publishes the ports. */
function toServices(env: Environment): LabServices {
  const url = (name: keyof typeof listeners) =>
    `http://127.0.0.1:${env[`${name.toUpperCase()}_PUBLISHED_PORT`] || listeners[name]}`
  return { routing: url('routing'), meta: url('meta'), relay: url('relay'), ops: url('ops') }
}

type Entry = readonly [Chain, SharedChain]

function toChainManifest(
  [chain, { manifest }]: Entry,
  { env, token }: { env: Environment; token: string },
) {
  const { open, admin } = doorsOf(chain)
  return {
    ...manifest,
    rpcUrl: `http://127.0.0.1:${env[settingName(chain, 'CHAIN_PORT')] || open}`,
    adminRpcUrl: `http://127.0.0.1:${env[settingName(chain, 'ADMIN_PORT')] || admin}/${token}`,
  }
}

/** Waits for the chains' containers, then serves as this very process; the chains come and go as they like. */
export async function runGateway({
  chains: wanted,
  dir,
  env,
  print,
  serve,
}: {
  readonly chains: readonly Chain[]
  readonly dir: string
  readonly env: Environment
  readonly print: (text: string) => void
  /** Serves in this process, by what the environment says then. */
  readonly serve: () => Promise<void>
}): Promise<void> {
  const startedAt = performance.now()
  const files = openSharedFiles(dir)
  const chains = await waitForChains({ wanted, files })
  const pepper = files.secret('pepper')
  const databasePath = env['DATABASE_PATH'] || join(dir, 'forkyard.sqlite')
  const apiKey = await files.keep('api-key', async () => {
    const keys = await createLabKeys({
      databasePath,
      databaseUrl: undefined,
      pepper,
      isRandom: Boolean(env['LAB_RANDOM_KEY']),
    })
    return keys.apiKey
  })
  const services = toServices(env)
  const manifestPath = join(dir, 'manifest.json')
  const token = files.secret('admin-token')
  // What `/lab/*` changes the chains by: past the doors, as containers reach them.
  const reachPath = join(dir, 'reach.json')
  writeJson(reachPath, { chains: Object.fromEntries(chains.map(toReach)) })
  const manifest: LabManifest = {
    version,
    mode: chains.some(([, { forked }]) => forked) ? 'forked' : 'offline',
    pid: process.pid,
    services,
    apiKey,
    adminToken: token,
    chains: Object.fromEntries(
      chains.map((entry) => [entry[0].chainId, toChainManifest(entry, { env, token })]),
    ),
  }
  writeJson(manifestPath, manifest)
  Object.assign(process.env, labDefaults(env), ...chains.map(toSettings), {
    FORKYARD_MODE: manifest.mode,
    DATABASE_PATH: databasePath,
    KEY_PEPPER: pepper,
    LAB_MANIFEST: manifestPath,
    LAB_REACH: reachPath,
    LAB_TOKEN: token,
    ROUTING_PUBLIC_URL: services.routing,
    META_PUBLIC_URL: services.meta,
    RELAY_PUBLIC_URL: services.relay,
  })
  await serve()
  while (!(await isReady(`http://127.0.0.1:${listeners.ops}/readyz`))) await wait(pollMs)
  const routingUrl = `http://127.0.0.1:${listeners.routing}`
  const counted = await countPools(manifest, { routingUrl })
  writeJson(manifestPath, counted)
  print(banner(counted, { readyMs: performance.now() - startedAt }))
}

const urlInside = (chain: Chain) => `http://${hostOf(chain)}:${chainPort}`
const toReach = ([chain, { manifest }]: Entry) =>
  [chain.chainId, { ...manifest, rpcUrl: urlInside(chain) }] as const

/** The chain's own settings, its URL as containers reach it. */
function toSettings([chain, { env }]: Entry) {
  return { ...env, [settingName(chain, 'RPC_URL')]: urlInside(chain) }
}

async function waitForChains({
  wanted,
  files,
}: {
  wanted: readonly Chain[]
  files: ReturnType<typeof openSharedFiles>
}): Promise<readonly Entry[]> {
  for (;;) {
    const found = wanted.flatMap((chain) => {
      const shared = files.chain(chain.chainId)
      return shared ? [[chain, shared] as const] : []
    })
    if (found.length === wanted.length) return found
    await wait(pollMs)
  }
}
