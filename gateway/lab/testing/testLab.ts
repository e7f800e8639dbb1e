import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { guardExit } from '../../../fixtures/runner/guardExit.ts'
import type { LabManifest } from '../manifest.ts'
import { anyPorts } from '../ports.ts'

const run = promisify(execFile)
export const cliPath = join(import.meta.dirname, '..', '..', 'cli.ts')

/** Environment of a lab with a folder of its own and free ports. */
export function testLabEnvironment(env: Readonly<Record<string, string>> = {}) {
  const parent = mkdtempSync(join(tmpdir(), 'forkyard-lab-'))
  const dir = join(parent, 'lab')
  return {
    dir,
    env: { ...process.env, FORKYARD_LAB_DIR: dir, ...anyPorts, ...env },
    remove: () => rmSync(parent, { recursive: true, force: true }),
  }
}

/** A lab started and stopped by the very commands a person uses. */
export async function startTestLab(env: Readonly<Record<string, string>> = {}) {
  const { dir, env: environment, remove } = testLabEnvironment(env)
  const command = (name: string) => run(process.execPath, [cliPath, name], { env: environment })
  // It goes on without whoever started it.
  const release = guardExit(() => {
    starting.child.kill('SIGKILL')
    spawnSync(process.execPath, [cliPath, 'lab-down'], { env: environment })
    remove()
  })
  const starting = command('lab-up')
  const { stdout } = await starting.catch((error: unknown) => {
    release()
    remove()
    throw error
  })
  return {
    dir,
    /** What lab-up printed. */
    printed: stdout,
    // Written by the lab that has just started.
    manifest: () => JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as LabManifest,
    up: () => command('lab-up'),
    async down() {
      await command('lab-down')
      release()
      remove()
    },
  }
}

/** The running lab whose operators' listener FORKYARD_TEST_LAB names, or a new one. */
export async function findTestLab(): Promise<{ manifest(): LabManifest; down(): Promise<void> }> {
  const opsUrl = process.env['FORKYARD_TEST_LAB']
  if (!opsUrl) return startTestLab()
  const response = await fetch(`${opsUrl}/lab/manifest`)
  // Written by the lab that is running there.
  const manifest = (await response.json()) as LabManifest
  return { manifest: () => manifest, down: async () => undefined }
}
