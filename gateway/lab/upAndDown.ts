import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endMarked, isRunning, signal, waitUntil } from '../../simulator/processes.ts'
import { compileCacheDir } from '../runtime/compileCacheDir.ts'
import { modulePath } from '../runtime/modulePath.ts'
import { followLog } from './followLog.ts'
import { isReady } from './gatewayProcess.ts'
import {
  findSupervisor,
  type LabFiles,
  type LabParameters,
  readManifest,
  readStatus,
} from './labFiles.ts'
import { readyUrl } from './manifest.ts'

const upTimeoutMs = 60_000
/** One that keeps its state writes it meanwhile. */
const downTimeoutMs = 30_000

/** `forkyard lab-up`: starts the lab detached, or waits for the running one to be whole again. */
export async function labUp({
  files,
  env,
  print,
  timeoutMs = upTimeoutMs,
}: LabParameters & { readonly timeoutMs?: number | undefined }) {
  let supervisor: ChildProcess | undefined
  if (!findSupervisor(files)) {
    await endMarked(files.marker)
    rmSync(files.dir, { recursive: true, force: true })
    supervisor = startDetached(files, env)
  }
  const readLog = followLog(files.supervisorLog)
  const follow = () => {
    print(readLog())
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

function startDetached(files: LabFiles, env: LabParameters['env']) {
  mkdirSync(files.dir, { recursive: true, mode: 0o700 })
  const compiled = compileCacheDir()
  const log = openSync(files.supervisorLog, 'w', 0o600)
  const supervisor = spawn(
    process.execPath,
    [modulePath(join(import.meta.dirname, '..'), 'cli'), 'lab', '--detached'],
    {
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ...(compiled && { NODE_COMPILE_CACHE: compiled }),
        ...env,
        // Marked from its first moment, so that it is found before it has written who it is.
        FORKYARD_LAB: files.dir,
      },
    },
  )
  closeSync(log)
  supervisor.unref()
  return supervisor
}

/** `forkyard lab-down`: stops the lab and whatever a killed supervisor left. */
export async function labDown({ files, print }: Pick<LabParameters, 'files' | 'print'>) {
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
