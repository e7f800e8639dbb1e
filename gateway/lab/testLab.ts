import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LabManifest } from './manifest.ts'

const run = promisify(execFile)
const cli = join(import.meta.dirname, '..', 'cli.ts')

/** A lab of its own folder and free ports, started and stopped by the very commands a person uses. */
export async function startTestLab(env: Readonly<Record<string, string>> = {}) {
  const parent = mkdtempSync(join(tmpdir(), 'forkyard-lab-'))
  const dir = join(parent, 'lab')
  const environment = {
    ...process.env,
    FORKYARD_LAB_DIR: dir,
    ROUTING_PORT: '0',
    META_PORT: '0',
    RELAY_PORT: '0',
    OPS_PORT: '0',
    ...env,
  }
  const command = (name: string) => run(process.execPath, [cli, name], { env: environment })
  const { stdout } = await command('lab-up')
  return {
    dir,
    /** What lab-up printed. */
    printed: stdout,
    // Written by the lab that has just started.
    manifest: () => JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as LabManifest,
    up: () => command('lab-up'),
    async down() {
      const { stdout: farewell } = await command('lab-down')
      rmSync(parent, { recursive: true, force: true })
      return farewell
    },
  }
}
