import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { createConsoleDoor } from '../console/consoleDoor.ts'
import { createConsoleFiles } from '../console/consoleFiles.ts'
import { createConsoleSession } from '../console/consoleSession.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { ServiceOptions } from '../http/serviceOptions.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import { baseUrl } from '../parts/baseUrl.ts'
import { listenAll } from '../parts/listenAll.ts'
import { version } from '../runtime/version.ts'
import { checkpointPublicKeys } from '../store/checkpointKey.ts'
import { createAudits } from './audit/audits.ts'
import { gatewayEndpoints } from './gatewayRoutes.ts'
import { createInspection, type InspectedParts } from './inspect/inspection.ts'
import { openToNetwork } from './openToNetwork.ts'
import { createReadiness } from './readiness.ts'
import { opsEndpoints } from './routes.ts'

/** For operators, who may ask from the first moment on. */
export async function openOps(
  config: Config,
  observed: { readonly log: Log; readonly metrics: Metrics },
  /** Of a lab: what changes its chains, and what answers in other people's stead. */
  {
    endpoints: control = [],
    interrupt,
  }: {
    readonly endpoints?: readonly Endpoint[] | undefined
    readonly interrupt?: ServiceOptions['interrupt']
  } = {},
) {
  const readiness = createReadiness()
  observed.metrics.showReadiness(readiness.read)
  const { labManifestPath } = config
  const always = opsEndpoints({ metrics: observed.metrics, readiness, labManifestPath })
  const session = config.opsToken ? createConsoleSession({ token: config.opsToken }) : undefined
  const facts = toFacts(config)
  const gateway = gatewayEndpoints({ facts, events: observed.metrics.live, session })
  const inspection = createInspection()
  const database = { databasePath: config.databasePath, databaseUrl: config.databaseUrl }
  const trusted = checkpointPublicKeys(config)
  const audits = createAudits({ log: observed.log, now: Date.now }, { database, trusted })
  const endpoints = [...always, ...gateway, ...inspection.endpoints, ...control]
  const title = 'Forkyard operations'
  const door = createConsoleDoor({
    files: createConsoleFiles(),
    connectTo: () => listOrigins(facts, labManifestPath),
    session,
    isLab: labManifestPath !== undefined,
  })
  const guarded: ServiceOptions['interrupt'] = (ctx, next) =>
    door(ctx, interrupt ? () => interrupt(ctx, next) : next)
  const spec = { name: 'ops', title, listener: config.ops, endpoints, interrupt: guarded }
  const listening = await listenAll(config, [spec], observed)
  const { network } = config.ops
  const [{ 1: service } = {}] = listening
  const networkDoor =
    network !== undefined && service
      ? await openToNetwork({ log: observed.log }, { network, port: service.port })
      : undefined
  observed.log.info({ ops: service?.url }, 'starting')
  return {
    readiness,
    listening,
    /** From now on they say how the parts are, and what is in them. */
    serves(parts: Parameters<typeof readiness.serves>[0] & Omit<InspectedParts, 'audits'>): void {
      readiness.serves(parts)
      inspection.opens({ ...parts, audits })
    },
    async close() {
      await audits.close()
      await service?.close()
      await networkDoor?.close()
    },
  }
}

const toFacts = (config: Config) => ({
  version,
  mode: config.mode,
  services: {
    routing: baseUrl(config.routing),
    meta: baseUrl(config.meta),
    relay: baseUrl(config.relay),
  },
  chains: config.chains.map(({ chain }) => ({ chainId: chain.chainId, name: chain.displayName })),
})

/** Whom the console asks: the services, in a lab its chains too. */
async function listOrigins({ services }: ReturnType<typeof toFacts>, manifestPath?: string) {
  const chains = manifestPath === undefined ? [] : await readChainUrls(manifestPath)
  const urls = [...Object.values(services), ...chains]
  return [...new Set(urls.flatMap((url) => URL.parse(url)?.origin ?? []))]
}

async function readChainUrls(manifestPath: string): Promise<readonly string[]> {
  try {
    // Written by this lab.
    const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as {
      readonly chains: Readonly<Record<string, { readonly rpcUrl: string }>>
      readonly services: Readonly<Record<string, string>>
    }
    const { chains, services } = manifest
    return [...Object.values(services), ...Object.values(chains).map(({ rpcUrl }) => rpcUrl)]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
