import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endMarked, isRunning, signal, waitUntil } from '../../simulator/processes.ts'
import { modulePath } from '../runtime/modulePath.ts'
import { isReady } from './gatewayProcess.ts'
import {
  findSupervisor,
  givenOf,
  givenVariables,
  type LabFiles,
  readManifest,
  readStatus,
} from './labFiles.ts'
import { dropLabState } from './labState.ts'
import { readyUrl } from './manifest.ts'
import { type Lab, startLab } from './supervisor.ts'

type Parameters = {
  readonly files: LabFiles
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
}

/** `forkyard lab`: runs the lab in the foreground until SIGINT, SIGTERM or SIGHUP, or the end of its input. */
export async function runLab({
  untilInputEnds = false,
  ...parameters
}: Parameters & { readonly untilInputEnds?: boolean | undefined }) {
  const { files, print } = parameters
  const stopped = new Promise<'stopped'>((resolve) => {
    // A terminal's Ctrl-C arrives twice, from the terminal and from npm: the second changes nothing.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => resolve('stopped'))
    if (untilInputEnds) process.stdin.on('close', () => resolve('stopped')).resume()
  })
  // Every child inherits the mark, by which a later lab-up or lab-down finds what a kill -9 left.
  process.env['FORKYARD_LAB'] = files.dir
  const starting = startLab(parameters)
  const lab = await Promise.race([starting, stopped])
  if (lab === 'stopped') {
    await abandonStart(starting, files)
    return
  }
  await stopped
  print('stopping the lab\n')
  await lab.close()
}

/** Takes a start its processes away until it has given up: between two sweeps it may start another. */
async function abandonStart(starting: Promise<Lab>, files: LabFiles) {
  let settled = false
  const ended = starting
    .then(
      (lab) => lab.close(),
      () => undefined, // it fails because we end its processes
    )
    .finally(() => {
      settled = true
    })
  while (!settled) {
    await endMarked(files.marker)
    await Promise.race([ended, delay(50)])
  }
  await endMarked(files.marker)
  rmSync(files.dir, { recursive: true, force: true })
}

const upTimeoutMs = 60_000
/** One that keeps its state writes it meanwhile. */
const downTimeoutMs = 30_000

/** `forkyard lab-up`: starts the lab detached, or waits for the running one to be whole again. */
export async function labUp({
  files,
  env,
  print,
  timeoutMs = upTimeoutMs,
}: Parameters & { readonly timeoutMs?: number | undefined }) {
  let supervisor: ChildProcess | undefined
  if (!findSupervisor(files)) {
    await endMarked(files.marker)
    rmSync(files.dir, { recursive: true, force: true })
    supervisor = startDetached(files, env)
  }
  let printed = 0
  const follow = () => {
    const log = existsSync(files.supervisorLog) ? readFileSync(files.supervisorLog, 'utf8') : ''
    print(log.slice(printed))
    printed = log.length
    return readStatus(files)?.phase ?? 'starting'
  }
  const isSettled = async () => {
    const phase = follow()
    if (phase === 'failed' || typeof supervisor?.exitCode === 'number') return true
    return phase === 'ready' && (await isReady(readyUrl(readManifest(files))))
  }
  const settled = await waitUntil(isSettled, {
    timeoutMs,
    intervalMs: 50,
  })
  follow()
  const status = readStatus(files)
  if (settled && status?.phase === 'ready') return
  const reason = status?.message ?? 'the supervisor did not start'
  await labDown({ files, print: () => undefined })
  throw new Error(settled ? reason : `not ready after ${timeoutMs / 1000} s; last step: ${reason}`)
}

function startDetached(files: LabFiles, env: Parameters['env']) {
  mkdirSync(files.dir, { recursive: true, mode: 0o700 })
  const log = openSync(files.supervisorLog, 'w', 0o600)
  const supervisor = spawn(
    process.execPath,
    [modulePath(join(import.meta.dirname, '..'), 'cli'), 'lab', '--detached'],
    // Marked from its first moment, so that it is found before it has written who it is.
    { detached: true, stdio: ['ignore', log, log], env: { ...env, FORKYARD_LAB: files.dir } },
  )
  closeSync(log)
  supervisor.unref()
  return supervisor
}

/** `forkyard lab reset`: the same lab anew, with nothing of what it kept. */
export async function resetLab({ files, env, print }: Parameters): Promise<void> {
  const whole = { ...givenOf(env), ...readStatus(files)?.given }
  await labDown({ files, print })
  const state = whole[givenVariables.state]
  if (state) dropLabState(state)
  await labUp({ files, env: { ...env, ...whole }, print })
}

/** `forkyard lab-down`: stops the lab and whatever a killed supervisor left. */
export async function labDown({ files, print }: Pick<Parameters, 'files' | 'print'>) {
  const supervisor = findSupervisor(files)
  if (supervisor) {
    signal(supervisor.pid, 'SIGTERM')
    const stopped = await waitUntil(() => !isRunning(supervisor.pid), { timeoutMs: downTimeoutMs })
    if (!stopped) signal(supervisor.pid, 'SIGKILL')
  }
  const left = await endMarked(files.marker)
  const existed = existsSync(files.dir)
  rmSync(files.dir, { recursive: true, force: true })
  print(supervisor || left > 0 || existed ? 'the lab is stopped\n' : 'no lab is running here\n')
}
