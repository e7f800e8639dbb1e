import { randomBytes } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { version } from '../runtime/version.ts'
import { banner } from './banner.ts'
import { startLabChains } from './chains.ts'
import { countPools } from './countPools.ts'
import { type Launch, launchGateway, startGatewayProcess } from './gatewayProcess.ts'
import { handOverPools } from './handOverPools.ts'
import { keepEvery } from './keepEvery.ts'
import { createLabKeys } from './keys.ts'
import type { LabChain } from './labChain.ts'
import { labDefaults } from './labDefaults.ts'
import type { LabParameters } from './labFiles.ts'
import { givenVariables, writeJson } from './labFiles.ts'
import type { LabProgress } from './labProgress.ts'
import { openLabState } from './labState.ts'
import { type LabManifest, type LabServices, readyUrl } from './manifest.ts'
import { takePort } from './ports.ts'

/** A lab that is being started. */
export type LabStarting = {
  /** Loads while the chains start. */
  readonly launched: Launch
  readonly progress: LabProgress
  /** What was begun last ends first. */
  readonly closers: (() => Promise<void>)[]
}

type Secrets = {
  readonly pepper: string
  readonly adminToken: string
  readonly apiKey: string
  /** For the lab's own first quote. */
  readonly probeKey: string
}

const listeners = [
  { service: 'routing', name: 'ROUTING_PORT', port: 8080 },
  { service: 'meta', name: 'META_PORT', port: 8081 },
  { service: 'relay', name: 'RELAY_PORT', port: 8082 },
  { service: 'ops', name: 'OPS_PORT', port: 8090 },
] as const

async function takePorts(env: LabParameters['env']) {
  const ports: Record<string, string> = {}
  for (const { name, port } of listeners)
    ports[name] = String(await takePort({ name, port: Number(env[name] || port) }))
  return ports
}

const toServices = (ports: Readonly<Record<string, string>>) =>
  // Every service of the list is set.
  Object.fromEntries(
    listeners.map(({ service, name }) => [service, `http://127.0.0.1:${ports[name]}`]),
  ) as LabServices

function gatewaySettings(
  { files, env }: LabParameters,
  {
    chains,
    ports,
    secrets,
  }: {
    chains: readonly LabChain[]
    ports: Readonly<Record<string, string>>
    secrets: Secrets
  },
) {
  return {
    ...labDefaults(env),
    ...ports,
    ...Object.assign({}, ...chains.map((chain) => chain.env)),
    FORKYARD_MODE: modeOf(chains),
    DATABASE_PATH: files.database,
    // Not the person's own: a lab's chains have the numbers of real ones.
    DATABASE_URL: env['LAB_DATABASE_URL'] ?? '',
    KEY_PEPPER: secrets.pepper,
    LAB_MANIFEST: files.manifest,
    LAB_TOKEN: secrets.adminToken,
  }
}

function openState({ env, files }: LabParameters) {
  const dir = env[givenVariables.state]
  if (!dir) return undefined
  if (!relative(files.dir, resolve(dir)).startsWith('..'))
    throw new Error(`${files.dir} goes when the lab stops: keep its state elsewhere`)
  if (env['LAB_DATABASE_URL'])
    throw new Error("--state keeps the lab's own database: leave LAB_DATABASE_URL out")
  return openLabState(dir)
}

/** With a pack no chain is asked but those in it. */
async function openPack({ env, print }: LabParameters) {
  const path = env[givenVariables.pack]
  if (!path) return undefined
  const named = chains.map((chain) => settingName(chain, 'RPC_URL')).find((name) => env[name])
  if (named) throw new Error(`a pack takes the place of ${named}: give one or the other`)
  const { openLabPack } = await import('./packs/labPack.ts')
  return openLabPack({ path, print, onMissing: (read) => print(`not in the pack: ${read}\n`) })
}

const modeOf = (chains: readonly LabChain[]) =>
  chains.some((chain) => chain.forked) ? 'forked' : 'offline'

/** A fork of a slow node reads much for its first quote; one that hangs ends the start all the same. */
const longestFirstQuoteMs = 60_000

/** A quote as a client would ask for it: over HTTP, with a key. */
async function askForQuote(manifest: LabManifest, apiKey: string): Promise<void> {
  const [chainId, chain] = Object.entries(manifest.chains)[0] ?? []
  const response = await fetch(`${manifest.services.routing}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      chain_id: Number(chainId),
      token_in: chain?.tokens['WETH']?.address,
      token_out: chain?.tokens['USDC']?.address,
      amount_in: '1000000000000000000',
    }),
    signal: AbortSignal.timeout(longestFirstQuoteMs),
  })
  if (!response.ok)
    throw new Error(`the first quote was refused: ${response.status} ${await response.text()}`)
  await response.body?.cancel()
}

/** The chains that people send to, as they were kept or as the pack has them. */
async function startChains(parameters: LabParameters, { progress, closers }: LabStarting) {
  const pack = await openPack(parameters)
  if (pack) closers.push(pack.close)
  const state = openState(parameters)
  if (state) closers.push(async () => state.close())
  const chains = await startLabChains({
    env: { ...parameters.env, ...pack?.env },
    step: progress.step,
    kept: state?.kept?.chains,
  }).catch((error: Error) => {
    const [read] = pack?.missing() ?? []
    throw read ? new Error(`the pack does not hold ${read}`, { cause: error }) : error
  })
  closers.push(async () => {
    await Promise.all(chains.map((chain) => chain.close()))
  })
  return { chains, state }
}

/** Runs the gateway and starts it again when it dies; what it says of itself stays in the manifest. */
async function superviseGateway(
  parameters: LabParameters,
  {
    launched,
    progress,
    chains,
    taken,
    secrets,
  }: Pick<LabStarting, 'launched' | 'progress'> & {
    chains: readonly LabChain[]
    taken: Readonly<Record<string, string>>
    secrets: Secrets
  },
) {
  const { files, env, print } = parameters
  let ports = taken
  const toManifest = (pid: number): LabManifest => ({
    version,
    mode: modeOf(chains),
    pid,
    services: toServices(ports),
    apiKey: secrets.apiKey,
    adminToken: secrets.adminToken,
    chains: Object.fromEntries(chains.map((chain) => [chain.chainId, chain.manifest])),
  })
  let firstQuoteMs: number | undefined
  const start = (launch: Launch) =>
    startGatewayProcess({
      files,
      env,
      launched: launch,
      settings: gatewaySettings(parameters, { chains, ports, secrets }),
      readyUrl: readyUrl({ services: toServices(ports) }),
      async onServing() {
        if (firstQuoteMs !== undefined) return
        await askForQuote(toManifest(process.pid), secrets.probeKey)
        firstQuoteMs = performance.now()
      },
      onDeath: () => progress.set('starting', 'the gateway died; starting it again'),
      onRestart: (pid) => {
        writeJson(files.manifest, toManifest(pid))
        progress.set('ready', 'ready')
      },
      onGiveUp: (error) => {
        print(`${error.message}\n`)
        progress.set('failed', error.message)
      },
    })
  const gateway = await start(launched).catch(async (error: Error) => {
    if (!error.message.includes('EADDRINUSE')) throw error
    // Somebody took one between our look and the gateway's start.
    ports = await takePorts(env)
    return start(launchGateway(parameters))
  })
  return { close: gateway.close, manifest: toManifest(gateway.pid), firstQuoteMs }
}

/** Chains, keys, gateway, first quote. */
export async function bringUpLab(parameters: LabParameters, starting: LabStarting): Promise<void> {
  const { files, env, print } = parameters
  const { launched, progress, closers } = starting
  const taken = await takePorts(env)
  const { chains, state } = await startChains(parameters, starting)
  progress.step('starting the gateway')
  const kept = state?.kept
  const pepper = kept?.pepper ?? randomBytes(32).toString('base64url')
  if (kept) copyFileSync(kept.databasePath, files.database)
  const { apiKey, probeKey } = await createLabKeys({
    keptKey: kept?.apiKey,
    databasePath: files.database,
    databaseUrl: env['LAB_DATABASE_URL'],
    pepper,
    isRandom: Boolean(env['LAB_RANDOM_KEY']),
  })
  if (!env['LAB_DATABASE_URL'])
    await handOverPools({
      chainIds: chains
        .filter(({ chainId, forked }) => !forked && !kept?.chains[chainId])
        .map(({ chainId }) => chainId),
      databasePath: files.database,
    })
  const adminToken = randomBytes(32).toString('base64url')
  const secrets = { pepper, adminToken, apiKey, probeKey }
  const gateway = await superviseGateway(parameters, {
    launched,
    chains,
    taken,
    secrets,
    progress,
  })
  const keeper =
    state &&
    keepEvery({ print }, () =>
      state.keep({ chains, databasePath: files.database, secrets: { pepper, apiKey } }),
    )
  // In this order: the gateway writes no more, what is now is kept, the chains end.
  if (keeper) closers.push(keeper.close)
  closers.push(gateway.close)
  const readyMs = performance.now()
  const manifest = await countPools(gateway.manifest)
  writeJson(files.manifest, manifest)
  // Who waits for the lab to be ready has been shown everything by then.
  print(banner(manifest, { readyMs, firstQuoteMs: gateway.firstQuoteMs }))
  progress.set('ready', 'ready')
}
