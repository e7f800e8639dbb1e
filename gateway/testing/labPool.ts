import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { Hex } from 'viem'
import { processTable } from '../../simulator/processTable.ts'
import type { LabManifest } from '../lab/manifest.ts'
import { type LeaseLab, startLeaseLab } from './startLeaseLab.ts'

/** Labs that many processes share, one lease at a time each. */
export type LabPool = { readonly dir: string; close(): Promise<void> }

/** How processes of one test run find the pool. */
export const poolVariable = 'FORKYARD_LEASE_POOL'

/** Starts `size` labs; a lease of any process that has `FORKYARD_LEASE_POOL` then takes one of them. */
export async function startLabPool({
  size = 1,
  env,
}: {
  readonly size?: number | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
} = {}): Promise<LabPool> {
  const labs = await startAll(Array.from({ length: size }, () => startLeaseLab({ env })))
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-pool-'))
  writePool(
    dir,
    labs.map(({ manifest }) => manifest),
  )
  process.env[poolVariable] = dir
  return {
    dir,
    async close() {
      delete process.env[poolVariable]
      await Promise.all(labs.map((lab) => lab.close()))
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** All of them or none: those that did start are ended where one did not. */
async function startAll(starting: readonly Promise<LeaseLab>[]): Promise<readonly LeaseLab[]> {
  const started = await Promise.allSettled(starting)
  const labs = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failed = started.find((each) => each.status === 'rejected')
  if (!failed) return labs
  await Promise.all(labs.map((lab) => lab.close()))
  throw failed.reason
}

export type HeldLab = {
  readonly manifest: LabManifest
  /** To where the chains are put back by whoever comes next, should the holder die. */
  note(snapshots: Snapshots): void
  release(): void
}
type Snapshots = Readonly<Record<string, Hex>>
/** `pid` and `started_at` are null while nobody holds the lab. */
type LabRow = {
  readonly lab: number
  readonly manifest: string
  readonly pid: number | null
  readonly started_at: string | null
  /** JSON: to where the next holder puts the chains back. */
  readonly snapshots: string
}

const pollMs = 25
/** A pid alone may be somebody else's by now. */
const { readStart } = processTable

/** A database, because its locks end with the process that holds them, whenever that is killed. */
function openPool(dir: string): Database.Database {
  const db = new Database(join(dir, 'pool.sqlite'), { timeout: 10_000 })
  // It outlives processes, not the machine.
  db.pragma('synchronous = OFF')
  return db
}

/** Writes down the labs of a new pool; `dir` is its owner's alone. */
export function writePool(dir: string, manifests: readonly LabManifest[]): void {
  const db = openPool(dir)
  db.exec(
    `CREATE TABLE labs (lab INTEGER PRIMARY KEY, manifest TEXT NOT NULL, pid INTEGER,
       started_at TEXT, snapshots TEXT NOT NULL DEFAULT '{}') STRICT`,
  )
  const insert = db.prepare('INSERT INTO labs (manifest) VALUES (?)')
  for (const manifest of manifests) insert.run(JSON.stringify(manifest))
  db.close()
}

/** Waits for a lab of the pool that nobody holds. `putBack` is told what a dead holder left behind. */
export async function holdLab(
  dir: string,
  {
    timeoutMs = 120_000,
    putBack,
  }: {
    readonly timeoutMs?: number | undefined
    readonly putBack: (manifest: LabManifest, snapshots: Snapshots) => Promise<void>
  },
): Promise<HeldLab> {
  const startedAt = performance.now()
  const db = openPool(dir)
  try {
    for (;;) {
      const row = takeLab(db)
      if (row) return await open(dir, row, putBack)
      if (performance.now() - startedAt > timeoutMs)
        throw new Error(`no lab of the pool was free within ${timeoutMs} ms`)
      await delay(pollMs)
    }
  } finally {
    db.close()
  }
}

async function open(
  dir: string,
  { lab, manifest: text, snapshots: left }: LabRow,
  putBack: (manifest: LabManifest, snapshots: Snapshots) => Promise<void>,
): Promise<HeldLab> {
  // Written by `writePool` and `note`.
  const manifest = JSON.parse(text) as LabManifest
  const write = (pid: number | null, snapshots: string) => {
    const db = openPool(dir)
    const startedAt = pid === null ? null : readStart(pid)
    db.prepare('UPDATE labs SET pid = ?, started_at = ?, snapshots = ? WHERE lab = ?').run(
      pid,
      startedAt,
      snapshots,
      lab,
    )
    db.close()
  }
  try {
    await putBack(manifest, JSON.parse(left) as Snapshots)
  } catch (error) {
    write(null, left)
    throw error
  }
  write(process.pid, '{}')
  let isHeld = true
  return {
    manifest,
    note(snapshots) {
      if (isHeld) write(process.pid, JSON.stringify(snapshots))
    },
    /** Given back once: afterwards the lab may be somebody else's. */
    release() {
      if (isHeld) write(null, '{}')
      isHeld = false
    },
  }
}

/** A lab that is ours from now on, as its last holder left it. */
function takeLab(db: Database.Database): LabRow | undefined {
  const readFree = () =>
    (db.prepare('SELECT * FROM labs').all() as LabRow[]).find((row) => !isHeldBySomebody(row))
  // Most looks find none, and need not wait for each other.
  if (!readFree()) return undefined
  const take = db.transaction(() => {
    const row = readFree()
    if (row)
      db.prepare('UPDATE labs SET pid = ?, started_at = ? WHERE lab = ?').run(
        process.pid,
        readStart(process.pid),
        row.lab,
      )
    return row
  })
  return take.immediate()
}

const isHeldBySomebody = ({ pid, started_at }: LabRow) =>
  pid !== null && readStart(pid) === started_at
