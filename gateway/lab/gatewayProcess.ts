import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endMarked, signal, waitUntil } from '../../simulator/processes.ts'
import type { Readiness } from '../ops/readiness.ts'
import { compileCacheDir } from '../runtime/compileCacheDir.ts'
import { modulePath } from '../runtime/modulePath.ts'
import type { LabParameters } from './labFiles.ts'
import { writeJson } from './labFiles.ts'

export type GatewayProcess = { readonly pid: number; close(): Promise<void> }

type Settings = Readonly<Record<string, string>>

type Parameters = Pick<LabParameters, 'files' | 'env'> & {
  /** The first one, which has been loading; later ones are launched when they are needed. */
  readonly launched: Launch
  readonly settings: Settings
  readonly readyUrl: string
  /** Called when it answers quotes, before all of it is there. */
  readonly onServing: () => Promise<void>
  /** Called when the gateway has died and is about to be started again. */
  readonly onDeath: () => void
  /** Called with the new process id when it is up again. */
  readonly onRestart: (pid: number) => void
  /** Called when the gateway can't be brought up again. */
  readonly onGiveUp: (error: Error) => void
}

export type Launch = {
  readonly child: ChildProcess
  readonly pid: number
  /** Settled when the process is gone and its simulation forks with it. */
  readonly exited: Promise<void>
  readonly serve: (settings: Settings) => void
}

/** A machine with much else to do needs more than half a minute; who waits for the lab has a limit of his own. */
const readyTimeoutMs = 120_000
const restartDelayMs = 200
const mostFailures = 5

/** A gateway that loads its modules and then waits for its settings: its chains may start meanwhile. */
export function launchGateway({ files, env }: Pick<LabParameters, 'files' | 'env'>): Launch {
  const run = randomUUID()
  const compiled = compileCacheDir()
  const log = openSync(files.gatewayLog, 'a', 0o600)
  const program = modulePath(join(import.meta.dirname, '..'), 'waitingMain')
  const child = spawn(process.execPath, [program], {
    // A group of its own: a terminal's Ctrl-C reaches the supervisor, which stops things in order.
    detached: true,
    stdio: ['pipe', log, log],
    env: {
      // Compiled modules of the last start: a third of what it takes.
      ...(compiled && { NODE_COMPILE_CACHE: compiled }),
      ...env,
      FORKYARD_LAB: files.dir,
      LAB_RUN: run,
      LAB_SETTINGS: files.settings,
    },
  })
  closeSync(log)
  // One that has died already is noticed by its exit.
  child.stdin?.on('error', () => undefined)
  // Simulation forks of a dead gateway carry its run's id and are nobody's any more.
  const exited = once(child, 'exit').then(async () => {
    await endMarked(`LAB_RUN=${run}`, { graceMs: 500 })
  })
  if (child.pid === undefined) throw new Error('the gateway process could not be started')
  return {
    child,
    pid: child.pid,
    exited,
    serve(settings) {
      writeJson(files.settings, settings)
      child.stdin?.end()
    },
  }
}

const hasExited = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

/** What the gateway's readiness endpoint says of it; undefined where it does not answer. */
async function readReadiness(url: string): Promise<Readiness | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
    return (await response.json()) as Readiness
  } catch {
    return undefined // not listening yet
  }
}

/** Whether the gateway answers quotes: its forks may still be on their way. */
async function isServing(url: string): Promise<boolean> {
  return (await readReadiness(url))?.ready === true
}

/** Whether the gateway's readiness endpoint has nothing to say against it: in a lab every part works. */
export async function isReady(url: string): Promise<boolean> {
  const readiness = await readReadiness(url)
  return readiness?.ready === true && readiness.warnings.length === 0
}

const tail = (path: string) =>
  readFileSync(path, 'utf8').trimEnd().split('\n').slice(-15).join('\n')

/** Has the gateway serve and resolves when it is ready; what does not become ready is killed. */
async function bringUp(launch: Launch, parameters: Parameters): Promise<Launch> {
  launch.serve(parameters.settings)
  const isUp = async (condition: (url: string) => Promise<boolean>) => {
    const settled = await waitUntil(
      async () => hasExited(launch.child) || (await condition(parameters.readyUrl)),
      { timeoutMs: readyTimeoutMs },
    )
    return settled && !hasExited(launch.child)
  }
  if (await isUp(isServing)) {
    const [isWhole] = await Promise.all([isUp(isReady), parameters.onServing()])
    if (isWhole) return launch
  }
  const what = hasExited(launch.child)
    ? 'stopped while starting'
    : `was not ready after ${readyTimeoutMs / 1000} s`
  signal(launch.pid, 'SIGKILL')
  await launch.exited
  throw new Error(`the gateway ${what}:\n${tail(parameters.files.gatewayLog)}`)
}

/** Has a gateway serve in a process of its own, waits until it is ready, and starts it again whenever it dies. */
export async function startGatewayProcess(parameters: Parameters): Promise<GatewayProcess> {
  let current = await bringUp(parameters.launched, parameters)
  let stopping = false

  async function keepAlive() {
    let failures = 0
    for (;;) {
      await current.exited
      if (!stopping) parameters.onDeath()
      await delay(restartDelayMs * 2 ** failures)
      if (stopping) return
      try {
        current = await bringUp(launchGateway(parameters), parameters)
        failures = 0
        parameters.onRestart(current.pid)
      } catch (error) {
        failures += 1
        if (failures >= mostFailures) throw error
      }
    }
  }
  const alive = keepAlive().catch(parameters.onGiveUp)

  return {
    get pid() {
      return current.pid
    },
    async close() {
      stopping = true
      signal(current.pid, 'SIGTERM')
      const gone = await waitUntil(() => hasExited(current.child), { timeoutMs: 5_000 })
      if (!gone) signal(current.pid, 'SIGKILL')
      await alive
    },
  }
}
