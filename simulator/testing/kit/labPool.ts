import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { LabManifest } from '../../../gateway/lab/manifest.ts'
import { isRunning } from '../waitFor.ts'
import { startLeaseLab } from './startLeaseLab.ts'

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
  const dir = mkdtempSync(join(tmpdir(), 'forkyard-pool-'))
  const labs = await Promise.all(Array.from({ length: size }, () => startLeaseLab({ env })))
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
      return {
        manifest,
        note: (snapshots) => writeHolder(lock, snapshots),
        release: () => rmSync(lock, { force: true }),
      }
    }
    if (performance.now() - startedAt > timeoutMs)
      throw new Error(`no lab of the pool was free within ${timeoutMs} ms`)
    await delay(pollMs)
  }
}

/** What the last holder left, once the lock is ours. */
function takeLock(lock: string): Holder | undefined {
  const own = JSON.stringify({ pid: process.pid, snapshots: {} } satisfies Holder)
  try {
    writeFileSync(lock, own, { flag: 'wx', mode: 0o600 })
    return { pid: process.pid, snapshots: {} }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return stealFromDead(lock, own)
}

function stealFromDead(lock: string, own: string): Holder | undefined {
  const holder = readHolder(lock)
  if (!holder || isRunning(holder.pid)) return undefined
  // Of several who see the dead one, only he who can move this very file away may go on.
  const aside = `${lock}.${holder.pid}.dead`
  try {
    if (existsSync(aside)) return undefined
    renameSync(lock, aside)
    writeFileSync(lock, own, { flag: 'wx', mode: 0o600 })
  } catch {
    return undefined
  }
  rmSync(aside, { force: true })
  return holder
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
  writeFileSync(aside, JSON.stringify({ pid: process.pid, snapshots } satisfies Holder))
  renameSync(aside, lock)
}
