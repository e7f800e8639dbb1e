import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { LabManifest } from '../../../gateway/lab/manifest.ts'
import { isRunning } from '../waitFor.ts'
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
  for (const [index, { manifest }] of labs.entries())
    writeFileSync(join(dir, `${index}.json`), JSON.stringify(manifest), { mode: 0o600 })
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
  note(snapshots: Readonly<Record<string, Hex>>): void
  release(): void
}
type Holder = { readonly pid: number; readonly snapshots: Readonly<Record<string, Hex>> }

const pollMs = 25

/** Waits for a lab of the pool that nobody holds. `putBack` is told what a dead holder left behind. */
export async function holdLab(
  dir: string,
  {
    timeoutMs = 120_000,
    putBack,
  }: {
    readonly timeoutMs?: number | undefined
    readonly putBack: (
      manifest: LabManifest,
      snapshots: Readonly<Record<string, Hex>>,
    ) => Promise<void>
  },
): Promise<HeldLab> {
  const startedAt = performance.now()
  for (;;) {
    for (const file of readdirSync(dir).filter((name) => /^\d+\.json$/.test(name))) {
      const path = join(dir, file)
      const lock = path.replace('.json', '.lock')
      const left = takeLock(lock)
      if (!left) continue
      // Written by `startLabPool`.
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as LabManifest
      await putBack(manifest, left.snapshots)
      writeHolder(lock, {})
      return { manifest, ...holdLock(lock) }
    }
    if (performance.now() - startedAt > timeoutMs)
      throw new Error(`no lab of the pool was free within ${timeoutMs} ms`)
    await delay(pollMs)
  }
}

/** Given back once: afterwards the lock may be somebody else's. */
function holdLock(lock: string): Pick<HeldLab, 'note' | 'release'> {
  let isHeld = true
  return {
    note(snapshots) {
      if (isHeld) writeHolder(lock, snapshots)
    },
    release() {
      if (isHeld) rmSync(lock, { force: true })
      isHeld = false
    },
  }
}

/** What the last holder left, once the lock is ours. */
function takeLock(lock: string): Holder | undefined {
  const own: Holder = { pid: process.pid, snapshots: {} }
  return create(lock, JSON.stringify(own)) ? own : stealFromDead(lock)
}

/** Of several who see the dead one, only he who makes the turn's file looks again and takes over. */
function stealFromDead(lock: string): Holder | undefined {
  const turn = `${lock}.turn`
  if (!isDead(readHolder(lock)) || !create(turn, '')) return undefined
  try {
    const holder = readHolder(lock)
    if (!holder || !isDead(holder)) return undefined
    // With what is to be put back, should we die before that is done.
    writeHolder(lock, holder.snapshots)
    return holder
  } finally {
    rmSync(turn)
  }
}

const isDead = (holder: Holder | undefined) => holder !== undefined && !isRunning(holder.pid)

/** Whether the file was not there before. */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function readHolder(lock: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder
  } catch {
    // Given back, or written, in this moment.
    return undefined
  }
}

function writeHolder(lock: string, snapshots: Readonly<Record<string, Hex>>) {
  const aside = `${lock}.new`
  const own: Holder = { pid: process.pid, snapshots }
  writeFileSync(aside, JSON.stringify(own), { mode: 0o600 })
  renameSync(aside, lock)
}
