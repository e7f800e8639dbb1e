import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getChain } from '../../chain/chains.ts'
import { version } from '../../version.ts'
import { banner } from '../banner.ts'
import { countPools } from '../countPools.ts'
import { isReady } from '../gatewayProcess.ts'
import { createLabKeys } from '../keys.ts'
import { labDefaults } from '../labDefaults.ts'
import { writeJson } from '../labFiles.ts'
import type { LabManifest, LabServices } from '../manifest.ts'
import { chainPort, doors, hostOf, openSharedFiles, type SharedChain } from './sharedFiles.ts'

type Environment = Readonly<Record<string, string | undefined>>

const pollMs = 250
const listeners = { routing: 8080, meta: 8081, relay: 8082, ops: 8090 } as const
/** The manifest's URLs are those of the person's machine, where the compose file publishes the ports. */
function toServices(env: Environment): LabServices {
  const url = (name: keyof typeof listeners) =>
    `http://127.0.0.1:${env[`${name.toUpperCase()}_PUBLISHED_PORT`] || listeners[name]}`
  return { routing: url('routing'), meta: url('meta'), relay: url('relay'), ops: url('ops') }
}

function toChainManifest(
  [chainId, { manifest }]: readonly [number, SharedChain],
  { env, token }: { env: Environment; token: string },
) {
  const prefix = getChain(chainId)?.envPrefix
  const ports = doors[chainId]
  return {
    ...manifest,
    rpcUrl: `http://127.0.0.1:${env[`${prefix}_CHAIN_PORT`] || ports?.open}`,
    adminRpcUrl: `http://127.0.0.1:${env[`${prefix}_ADMIN_PORT`] || ports?.admin}/${token}`,
  }
}

/** Waits for the chains' containers, then serves as this very process; the chains come and go as they like. */
export async function runGateway({
  chainIds,
  dir,
  env,
  print,
}: {
  readonly chainIds: readonly number[]
  readonly dir: string
  readonly env: Environment
  readonly print: (text: string) => void
}): Promise<void> {
  const startedAt = performance.now()
  const files = openSharedFiles(dir)
  const chains = await waitForChains({ chainIds, files })
  const pepper = files.secret('pepper')
  const databasePath = env['DATABASE_PATH'] || join(dir, 'forkyard.sqlite')
  const apiKey = await files.keep('api-key', async () => {
    const keys = await createLabKeys({ databasePath, databaseUrl: undefined, pepper })
    return keys.apiKey
  })
  const services = toServices(env)
  const manifestPath = join(dir, 'manifest.json')
  const token = files.secret('admin-token')
  const manifest: LabManifest = {
    version,
    mode: chains.some(([, { forked }]) => forked) ? 'forked' : 'offline',
    pid: process.pid,
    services,
    apiKey,
    chains: Object.fromEntries(
      chains.map((entry) => [entry[0], toChainManifest(entry, { env, token })]),
    ),
  }
  writeJson(manifestPath, manifest)
  Object.assign(process.env, labDefaults(env), ...chains.map(toSettings), {
    FORKYARD_MODE: manifest.mode,
    DATABASE_PATH: databasePath,
    KEY_PEPPER: pepper,
    LAB_MANIFEST: manifestPath,
    ROUTING_PUBLIC_URL: services.routing,
    META_PUBLIC_URL: services.meta,
    RELAY_PUBLIC_URL: services.relay,
  })
  // Reads the environment as it loads.
  await import('../../main.ts')
  while (!(await isReady(`http://127.0.0.1:${listeners.ops}/readyz`))) await wait(pollMs)
  const routingUrl = `http://127.0.0.1:${listeners.routing}`
  const counted = await countPools(manifest, { routingUrl })
  writeJson(manifestPath, counted)
  print(banner(counted, { readyMs: performance.now() - startedAt }))
}

/** The chain's own settings, its URL as containers reach it. */
function toSettings([chainId, { env }]: readonly [number, SharedChain]) {
  const name = `${getChain(chainId)?.envPrefix}_RPC_URL`
  return { ...env, [name]: `http://${hostOf(chainId)}:${chainPort}` }
}

async function waitForChains({
  chainIds,
  files,
}: {
  chainIds: readonly number[]
  files: ReturnType<typeof openSharedFiles>
}): Promise<readonly (readonly [number, SharedChain])[]> {
  for (;;) {
    const found = chainIds.flatMap((chainId) => {
      const chain = files.chain(chainId)
      return chain ? [[chainId, chain] as const] : []
    })
    if (found.length === chainIds.length) return found
    await wait(pollMs)
  }
}
