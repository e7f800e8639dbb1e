import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { LabManifest } from '../lab/manifest.ts'
import { anyPorts } from '../lab/ports.ts'
import { modulePath } from '../runtime/modulePath.ts'

export type LeaseLab = { readonly manifest: LabManifest; close(): Promise<void> }

const cli = modulePath(join(import.meta.dirname, '..'), 'cli')
const pollMs = 50

/** A whole lab of its own, that ends when this process does, however it does. */
export async function startLeaseLab({
  env = {},
  timeoutMs = 180_000,
}: {
  /** Settings of the lab, e.g. `FORKYARD_PACK`. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
} = {}): Promise<LeaseLab> {
  const parent = mkdtempSync(join(tmpdir(), 'forkyard-lease-'))
  const dir = join(parent, 'lab')
  const child = spawn(process.execPath, [cli, 'lab', '--attached'], {
    // Of its own group, lest a terminal's Ctrl-C ends it before its lease is given back.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...anyPorts, ...env, FORKYARD_LAB_DIR: dir },
  })
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-2_000)
  })
  letProcessEnd(child)
  const close = async () => {
    const gone = hasExited(child) || new Promise((resolve) => child.once('exit', resolve))
    child.ref()
    child.stdin?.end()
    await gone
    rmSync(parent, { recursive: true, force: true })
  }
  const startedAt = performance.now()
  while (!isReady(dir)) {
    if (hasExited(child)) {
      rmSync(parent, { recursive: true, force: true })
      throw new Error(`the lab did not start: ${complaint}`)
    }
    if (performance.now() - startedAt > timeoutMs) {
      await close()
      throw new Error(`the lab was not ready after ${timeoutMs} ms: ${complaint}`)
    }
    await delay(pollMs)
  }
  // Written by the lab that has just started.
  const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as LabManifest
  return { manifest, close }
}

/** A lease that nobody gives back holds no process open; the end of our pipe ends the lab. */
function letProcessEnd(child: ChildProcess) {
  child.unref()
  for (const stream of [child.stdin, child.stderr])
    (stream as { unref?: () => void } | null)?.unref?.()
}

const hasExited = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null

function isReady(dir: string): boolean {
  const path = join(dir, 'status.json')
  if (!existsSync(path)) return false
  return (JSON.parse(readFileSync(path, 'utf8')) as { phase: string }).phase === 'ready'
}
