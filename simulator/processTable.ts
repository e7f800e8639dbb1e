import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What the system tells of its processes: the one place that knows which system it is. */
export type ProcessTable = {
  /**
   * When it started, in the system's own words: together with the pid, one process and no other. Undefined
   * once it has ended; a zombie, which nobody has waited for yet, has.
   */
  readonly readStart: (pid: number) => string | undefined
  /** Who was started with this entry (`NAME=value`) in its environment; without zombies and ourselves. */
  readonly findWithEntry: (entry: string) => readonly number[]
  /** To give each its priority; the process itself where a priority is the whole process's. */
  readonly listThreads: (pid: number) => readonly number[]
  /** What of it stands in memory; undefined once it has ended. */
  readonly readMemoryBytes: (pid: number) => number | undefined
  /** How its threads have shared the processors so far; undefined where the system does not tell. */
  readonly readTurns: (pid: number) => Turns | undefined
}

/** Of all threads together: how long they ran, and how long they were ready to and stood in line. */
export type Turns = { readonly ranMs: number; readonly waitedMs: number }

const goneCodes: readonly unknown[] = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM']

function readOrGone<value>(read: () => value): value | undefined {
  try {
    return read()
  } catch (error) {
    if (goneCodes.includes((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}

/** Linux: files of `/proc`, some microseconds each. */
export const procTable: ProcessTable = {
  readStart(pid) {
    const stat = readOrGone(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // After the name, which may hold anything: state, then field 22 of the whole, in ticks since boot.
    const [state = 'X', ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
    return 'ZX'.includes(state) ? undefined : fields[18]
  },
  findWithEntry(entry) {
    const hasEntry = (pid: number) =>
      readOrGone(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))
        ?.split('\0')
        .includes(entry) === true
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && hasEntry(pid) && procTable.readStart(pid))
  },
  listThreads: (pid) => readOrGone(() => readdirSync(`/proc/${pid}/task`).map(Number)) ?? [],
  readMemoryBytes(pid) {
    const status = readOrGone(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? ''
    return toBytes(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  },
  readTurns(pid) {
    // Of each thread nanoseconds on a processor and in its line, and how often.
    const lines = procTable
      .listThreads(pid)
      .flatMap(
        (thread) =>
          readOrGone(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')) ?? [],
      )
    if (lines.length === 0) return undefined
    const sum = (at: number) =>
      lines.reduce((all, line) => all + Number(line.split(' ')[at]), 0) / 1e6
    return { ranMs: sum(0), waitedMs: sum(1) }
  },
}

/**
 * Elsewhere, macOS above all: `ps`, some milliseconds each. Only columns and options that procps and
 * macOS share, so that the tests can run it on Linux too.
 */
export const psTable: ProcessTable = {
  readStart(pid) {
    const [line = ''] = readPs(['-o', 'stat=,lstart=', '-p', String(pid)])
    const [, state = 'Z', start] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(line) ?? []
    return /^[ZX]/.test(state) ? undefined : start
  },
  findWithEntry(entry) {
    // ps writes the environment behind the command, with spaces between.
    const own = readPs(['axeww', '-o', 'pid=,stat=,command='])
      .filter((line) => `${line} `.includes(` ${entry} `))
      .map((line) => /^\s*(\d+)\s+(\S+)/.exec(line) ?? [])
    return own
      .filter(([, , state = 'Z']) => !/^[ZX]/.test(state))
      .map(([, pid]) => Number(pid))
      .filter((pid) => pid !== process.pid)
  },
  listThreads: (pid) => [pid],
  readMemoryBytes: (pid) => toBytes(readPs(['-o', 'rss=', '-p', String(pid)])[0]),
  readTurns: () => undefined,
}

const toBytes = (kib: string | undefined) => (kib === undefined ? undefined : Number(kib) * 1_024)

function readPs(args: readonly string[]): readonly string[] {
  // In one language and without colours, whatever the user's shell says; an end by 1 means nobody was found.
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  const { stdout, error } = spawnSync('ps', args, { encoding: 'utf8', maxBuffer: 2 ** 28, env })
  if (error) throw new Error(`cannot run ps: ${error.message}`)
  return stdout.split('\n').filter((line) => line !== '')
}

export const processTable: ProcessTable = process.platform === 'linux' ? procTable : psTable
