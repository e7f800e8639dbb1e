import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Marker } from '../../simulator/processes.ts'
import { processTable } from '../../simulator/processTable.ts'
import type { LabManifest } from './manifest.ts'

export type LabStatus = {
  /** Process id of the supervisor. */
  readonly pid: number
  /** When that process started: its pid alone may be somebody else's by now. */
  readonly startedAt?: string | undefined
  readonly phase: 'starting' | 'ready' | 'failed'
  /** What is being done, or why it failed. */
  readonly message: string
  /** What `lab` was told by its options: `lab reset` starts with the same. */
  readonly given?: Readonly<Record<string, string>> | undefined
}

/** Variables that say what the options of `lab` say. */
export const givenVariables = { pack: 'FORKYARD_PACK', state: 'FORKYARD_STATE' } as const

/** As absolute paths: a later command may be given in another folder. */
export function givenOf(env: Readonly<Record<string, string | undefined>>) {
  const given = Object.values(givenVariables).flatMap((name) => {
    const path = env[name]
    return path ? [[name, resolve(path)] as const] : []
  })
  return Object.fromEntries(given)
}

/** Files of one lab; all stand in one folder that goes when the lab stops. */
export function labFiles(env: Readonly<Record<string, string | undefined>> = process.env) {
  const dir = resolve(env['FORKYARD_LAB_DIR'] || '.lab')
  return {
    dir,
    marker: `FORKYARD_LAB=${dir}` satisfies Marker,
    manifest: join(dir, 'manifest.json'),
    status: join(dir, 'status.json'),
    /** Of the gateway, secrets among them. */
    settings: join(dir, 'settings.json'),
    gatewayLog: join(dir, 'gateway.log'),
    supervisorLog: join(dir, 'supervisor.log'),
    database: join(dir, 'data', 'forkyard.sqlite'),
  } as const
}

export type LabFiles = ReturnType<typeof labFiles>

export type LabParameters = {
  readonly files: LabFiles
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (text: string) => void
}

/** A reader never sees half a file: written aside, then renamed. */
export function writeJson(path: string, value: unknown) {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export function readStatus(files: LabFiles): LabStatus | undefined {
  if (!existsSync(files.status)) return undefined
  // Written by writeJson above, so whole and of our shape.
  return JSON.parse(readFileSync(files.status, 'utf8')) as LabStatus
}

/** The manifest of a lab that is ready. */
export function readManifest(files: LabFiles) {
  // Written by writeJson above, so whole and of our shape.
  return JSON.parse(readFileSync(files.manifest, 'utf8')) as LabManifest
}

/** The supervisor that owns this folder, when it is alive. */
export function findSupervisor(files: LabFiles) {
  const status = readStatus(files)
  const startedAt = status && processTable.readStart(status.pid)
  return startedAt !== undefined && startedAt === status?.startedAt ? status : undefined
}

/** Makes the folder and drops what an earlier lab left in it; the supervisor's own log stays. */
export function makeLabFolder(files: LabFiles) {
  for (const path of [files.manifest, files.settings, files.gatewayLog, dirname(files.database)])
    rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(files.database), { recursive: true, mode: 0o700 })
}
