import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { processTable } from './processTable.ts'

/**
 * Sees to it that no fork outlives its gateway.
 *
 * Three nets, since each has holes: an `exit` hook (misses kill -9), a small shell that kills its list
 * when our end of its pipe closes (misses being killed itself), and one file per fork which
 * {@link sweepForks} reads at the next start.
 */
export type ForkGuard = {
  readonly adopt: (pid: number) => void
  readonly release: (pid: number) => void
  readonly close: () => void
}

type ForkRecord = {
  readonly pid: number
  readonly startedAt: string
  readonly ownerPid: number
  readonly ownerStartedAt: string
}

const defaultForkDir = join(tmpdir(), `forkyard-forks-${userInfo().uid}`)

const reaperScript = `trap '' INT TERM HUP
pids=
while read -r op pid; do
  kept=
  for p in $pids; do [ "$p" = "$pid" ] || kept="$kept $p"; done
  pids=$kept
  [ "$op" = + ] && pids="$pids $pid"
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
`

export function createForkGuard({
  forkDir = defaultForkDir,
}: {
  forkDir?: string
} = {}): ForkGuard {
  mkdirSync(forkDir, { recursive: true, mode: 0o700 })
  const pids = new Set<number>()
  const reaper = startReaper()
  const ownerStartedAt = readStartTime(process.pid)
  const killAll = () => {
    for (const pid of pids) killFork(pid)
  }
  process.on('exit', killAll)
  return {
    adopt(pid) {
      pids.add(pid)
      reaper.stdin?.write(`+ ${pid}\n`)
      const record: ForkRecord = {
        pid,
        startedAt: readStartTime(pid),
        ownerPid: process.pid,
        ownerStartedAt,
      }
      // Another gateway's sweep may just have removed the empty folder.
      mkdirSync(forkDir, { recursive: true, mode: 0o700 })
      writeFileSync(join(forkDir, `${pid}.json`), JSON.stringify(record), { mode: 0o600 })
    },
    release(pid) {
      pids.delete(pid)
      reaper.stdin?.write(`- ${pid}\n`)
      rmSync(join(forkDir, `${pid}.json`), { force: true })
    },
    close() {
      killAll()
      process.off('exit', killAll)
      reaper.stdin?.end()
      removeIfEmpty(forkDir)
    },
  }
}

/** Kills the forks whose gateway is gone, and forgets the records of those that are gone themselves. Returns the killed pids. */
export function sweepForks({ forkDir = defaultForkDir }: { forkDir?: string } = {}): number[] {
  const killed: number[] = []
  for (const { file, record } of readRecords(forkDir)) {
    if (record && isRunning(record.ownerPid, record.ownerStartedAt)) continue
    if (record && isRunning(record.pid, record.startedAt)) {
      killFork(record.pid)
      killed.push(record.pid)
    }
    rmSync(file, { force: true })
  }
  removeIfEmpty(forkDir)
  return killed
}

export function killFork(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function startReaper(): ChildProcess {
  const reaper = spawn('/bin/sh', ['-c', reaperScript], { stdio: ['pipe', 'ignore', 'ignore'] })
  // Without a shell the sweep still holds; a broken pipe must not end the gateway.
  reaper.on('error', () => reaper.stdin?.destroy())
  reaper.stdin?.on('error', () => reaper.stdin?.destroy())
  reaper.unref()
  const stdin = reaper.stdin as (NodeJS.WritableStream & { unref?: () => void }) | null
  stdin?.unref?.()
  return reaper
}

function readRecords(forkDir: string): { file: string; record: ForkRecord | undefined }[] {
  return listFiles(forkDir).map((name) => {
    const file = join(forkDir, name)
    try {
      return { file, record: JSON.parse(readFileSync(file, 'utf8')) as ForkRecord }
    } catch {
      // Cut short by a crash, or swept by someone else in this moment: either way of no more use.
      return { file, record: undefined }
    }
  })
}

function listFiles(forkDir: string): string[] {
  try {
    return readdirSync(forkDir).filter((name) => name.endsWith('.json'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Pid and start time together: a pid alone may by now belong to someone else. */
const isRunning = (pid: number, startedAt: string): boolean =>
  startedAt !== '' && readStartTime(pid) === startedAt

const readStartTime = (pid: number): string => processTable.readStart(pid) ?? ''

function removeIfEmpty(forkDir: string) {
  try {
    rmdirSync(forkDir)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST') throw error
  }
}
