import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { endMarked } from '../../simulator/processes.ts'
import { processTable } from '../../simulator/processTable.ts'
import { chains } from '../chain/chains.ts'
import { settingName } from '../chain/settingName.ts'
import { version } from '../config/version.ts'
import { banner } from './banner.ts'
import { startLabChains } from './chains.ts'
import { countPools } from './countPools.ts'
import { startGatewayProcess } from './gatewayProcess.ts'
import { keepEvery } from './keepEvery.ts'
import { createLabKeys } from './keys.ts'
import type { LabChain } from './labChain.ts'
import { labDefaults } from './labDefaults.ts'
import {
  findSupervisor,
  givenOf,
  givenVariables,
  type LabFiles,
  type LabStatus,
  makeLabFolder,
  writeJson,
} from './labFiles.ts'
import { openLabState } from './labState.ts'
import { type LabManifest, type LabServices, readyUrl } from './manifest.ts'
import { openLabPack } from './packs/labPack.ts'
import { takePort } from './ports.ts'

type Parameters = {
  readonly files: LabFiles
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
}

const listeners = [
  { service: 'routing', name: 'ROUTING_PORT', port: 8080 },
  { service: 'meta', name: 'META_PORT', port: 8081 },
  { service: 'relay', name: 'RELAY_PORT', port: 8082 },
  { service: 'ops', name: 'OPS_PORT', port: 8090 },
] as const

async function takePorts(env: Parameters['env']) {
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

function gatewayEnvironment(
  { files, env }: Parameters,
  {
    chains,
    ports,
    pepper,
    adminToken,
    databaseUrl,
  }: {
    chains: readonly LabChain[]
    ports: Readonly<Record<string, string>>
    pepper: string
    adminToken: string
    databaseUrl: string | undefined
  },
) {
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return {
    ...Object.fromEntries(inherited),
    ...labDefaults(env),
    ...ports,
    ...Object.assign({}, ...chains.map((chain) => chain.env)),
    FORKYARD_MODE: modeOf(chains),
    FORKYARD_LAB: files.dir,
    DATABASE_PATH: files.database,
    // Not the person's own: a lab's chains have the numbers of real ones.
    DATABASE_URL: databaseUrl ?? '',
    KEY_PEPPER: pepper,
    LAB_MANIFEST: files.manifest,
    LAB_TOKEN: adminToken,
  }
}

function openState({ env, files }: Parameters) {
  const dir = env[givenVariables.state]
  if (!dir) return undefined
  if (!relative(files.dir, resolve(dir)).startsWith('..'))
    throw new Error(`${files.dir} goes when the lab stops: keep its state elsewhere`)
  if (env['LAB_DATABASE_URL'])
    throw new Error("--state keeps the lab's own database: leave LAB_DATABASE_URL out")
  return openLabState(dir)
}

/** With a pack no chain is asked but those in it. */
async function openPack({ env, print }: Parameters) {
  const path = env[givenVariables.pack]
  if (!path) return undefined
  const named = chains.map((chain) => settingName(chain, 'RPC_URL')).find((name) => env[name])
  if (named) throw new Error(`a pack takes the place of ${named}: give one or the other`)
  return openLabPack({ path, print, onMissing: (read) => print(`not in the pack: ${read}\n`) })
}

const modeOf = (chains: readonly LabChain[]) =>
  chains.some((chain) => chain.forked) ? 'forked' : 'offline'

/** Time to the first answered quote, asked as a client would: over HTTP, with a key. */
async function askFirstQuote(manifest: LabManifest, apiKey: string) {
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
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok)
    throw new Error(`the first quote was refused: ${response.status} ${await response.text()}`)
  await response.body?.cancel()
}

export type Lab = { close(): Promise<void> }

/**
 * Starts the whole lab in this process's care: chains, then the gateway as a process of its own.
 * Leaves no process and no file behind when it fails or is closed.
 */
export async function startLab(parameters: Parameters): Promise<Lab> {
  const { files, env, print } = parameters
  const running = findSupervisor(files)
  if (running)
    throw new Error(
      `a lab is already running here (process ${running.pid}); stop it with make lab-down`,
    )
  const closers: (() => Promise<void>)[] = []
  const startedAt = processTable.readStart(process.pid)
  const given = givenOf(env)
  const setStatus = (phase: LabStatus['phase'], message: string) =>
    writeJson(files.status, {
      pid: process.pid,
      startedAt,
      phase,
      message,
      given,
    } satisfies LabStatus)
  const step = (message: string) => {
    setStatus('starting', message)
    // performance.now() counts from the start of this process: loading its code is part of the wait.
    print(`${(performance.now() / 1000).toFixed(1).padStart(5)} s  ${message}\n`)
  }
  const close = async () => {
    for (const closer of closers.toReversed()) await closer()
    closers.length = 0
    await endMarked(files.marker)
  }

  await endMarked(files.marker) // what a killed supervisor left
  makeLabFolder(files)
  try {
    let ports = await takePorts(env)
    const pack = await openPack(parameters)
    if (pack) closers.push(pack.close)
    const state = openState(parameters)
    if (state) closers.push(async () => state.close())
    const kept = state?.kept
    const chains = await startLabChains({
      env: { ...env, ...pack?.env },
      step,
      kept: kept?.chains,
    }).catch((error: Error) => {
      const [read] = pack?.missing() ?? []
      throw read ? new Error(`the pack does not hold ${read}`, { cause: error }) : error
    })
    closers.push(async () => {
      await Promise.all(chains.map((chain) => chain.close()))
    })
    step('starting the gateway')
    const pepper = kept?.pepper ?? randomBytes(32).toString('base64url')
    const adminToken = randomBytes(32).toString('base64url')
    const databaseUrl = env['LAB_DATABASE_URL']
    if (kept) copyFileSync(kept.databasePath, files.database)
    const keys = await createLabKeys({
      keptKey: kept?.apiKey,
      databasePath: files.database,
      databaseUrl,
      pepper,
      isRandom: Boolean(env['LAB_RANDOM_KEY']),
    })
    const toManifest = (pid: number): LabManifest => ({
      version,
      mode: modeOf(chains),
      pid,
      services: toServices(ports),
      apiKey: keys.apiKey,
      adminToken,
      chains: Object.fromEntries(chains.map((chain) => [chain.chainId, chain.manifest])),
    })
    const startGateway = () =>
      startGatewayProcess({
        env: gatewayEnvironment(parameters, { chains, ports, pepper, adminToken, databaseUrl }),
        logPath: files.gatewayLog,
        readyUrl: readyUrl({ services: toServices(ports) }),
        onDeath: () => setStatus('starting', 'the gateway died; starting it again'),
        onRestart: (pid) => {
          writeJson(files.manifest, toManifest(pid))
          setStatus('ready', 'ready')
        },
        onGiveUp: (error) => {
          print(`${error.message}\n`)
          setStatus('failed', error.message)
        },
      })
    const gateway = await startGateway().catch(async (error: Error) => {
      if (!error.message.includes('EADDRINUSE')) throw error
      // Somebody took one between our look and the gateway's start.
      ports = await takePorts(env)
      return startGateway()
    })
    const keeper =
      state &&
      keepEvery({ print }, () =>
        state.keep({
          chains,
          databasePath: files.database,
          secrets: { pepper, apiKey: keys.apiKey },
        }),
      )
    // In this order: the gateway writes no more, what is now is kept, the chains end.
    if (keeper) closers.push(keeper.close)
    closers.push(gateway.close)
    const readyMs = performance.now()
    const manifest = await countPools(toManifest(gateway.pid))
    writeJson(files.manifest, manifest)
    await askFirstQuote(manifest, keys.probeKey)
    const firstQuoteMs = performance.now()
    setStatus('ready', 'ready')
    print(banner(manifest, { readyMs, firstQuoteMs }))
    return {
      async close() {
        await close()
        rmSync(files.dir, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await close()
    setStatus('failed', error instanceof Error ? error.message : String(error))
    throw error
  }
}
