import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endMarked, signal, waitUntil } from '../../simulator/processes.ts'
import type { Readiness } from '../ops/readiness.ts'
import { modulePath } from '../runtime/modulePath.ts'

export type GatewayProcess = { readonly pid: number; close(): Promise<void> }

type Parameters = {
  readonly env: Readonly<Record<string, string>>
  readonly logPath: string
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

type Launch = {
  readonly child: ChildProcess
  readonly pid: number
  /** Settled when the process is gone and its simulation forks with it. */
  readonly exited: Promise<void>
}

/** A machine with much else to do needs more than half a minute; who waits for the lab has a limit of his own. */
const readyTimeoutMs = 120_000
const restartDelayMs = 200
const mostFailures = 5

function launchGateway({ env, logPath }: Parameters): Launch {
  const run = randomUUID()
  const log = openSync(logPath, 'a', 0o600)
  const child = spawn(process.execPath, [modulePath(join(import.meta.dirname, '..'), 'main')], {
    // A group of its own: a terminal's Ctrl-C reaches the supervisor, which stops things in order.
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...env, LAB_RUN: run },
  })
  closeSync(log)
  // Simulation forks of a dead gateway carry its run's id and are nobody's any more.
  const exited = once(child, 'exit').then(async () => {
    await endMarked(`LAB_RUN=${run}`, { graceMs: 500 })
  })
  if (child.pid === undefined) throw new Error('the gateway process could not be started')
  return { child, pid: child.pid, exited }
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

/** Launches the gateway and resolves when it is ready; what does not become ready is killed. */
async function bringUp(parameters: Parameters): Promise<Launch> {
  const launch = launchGateway(parameters)
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
  throw new Error(`the gateway ${what}:\n${tail(parameters.logPath)}`)
}

/** Starts the gateway as a process of its own, waits until it is ready, and starts it again whenever it dies. */
export async function startGatewayProcess(parameters: Parameters): Promise<GatewayProcess> {
  let current = await bringUp(parameters)
  let stopping = false

  async function keepAlive() {
    let failures = 0
    for (;;) {
      await current.exited
      if (!stopping) parameters.onDeath()
      await delay(restartDelayMs * 2 ** failures)
      if (stopping) return
      try {
        current = await bringUp(parameters)
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
