import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert, suite } from '../../../fixtures/test.ts'

/**
 * `docker compose up` again replaces the containers of services whose hash has changed, and no others. It needs
 * Compose alone: no engine is asked.
 */
const s = suite('changed settings of a stack')
const docker = join(import.meta.dirname, '../../../docker')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-settings-'))
s.after(() => rmSync(dir, { recursive: true }))

async function hash(file: string, env: Readonly<Record<string, string>> = {}) {
  const command = ['compose', '-f', join(docker, file), 'config', '--hash', '*']
  const options = { env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)('docker', command, options)
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )
}
async function findReplaced(file: string, env: Readonly<Record<string, string>>) {
  const [before, after] = [await hash(file), await hash(file, env)]
  return [...before.keys()].filter((service) => before.get(service) !== after.get(service)).sort()
}

for (const [file, ofRelease] of [
  ['compose.production.yaml', ['backups', 'gateway', 'proxy', 'simulatord']],
  ['compose.scale.yaml', ['backups', 'gateway', 'proxy', 'simulatord']],
] as const)
  s(`${file}: replace what they are about, and nothing else [24/changed-settings]`, async () => {
    const path = join(dir, 'settings.env')
    writeFileSync(path, 'FREE_QUOTA=5\n')
    assert.equal(await findReplaced(file, { SETTINGS_FILE: path }), ['gateway'])
    assert.equal(await findReplaced(file, { DOMAIN: 'example.org' }), ['gateway'])
    assert.equal(await findReplaced(file, { MAX_FORKS: '8' }), ['simulatord'])
    assert.equal(await findReplaced(file, { HTTPS_PORT: '8443' }), ['proxy'])
    // A release, and the way back to the one before: the database stays.
    assert.equal(await findReplaced(file, { TAG: '0.2.0' }), ofRelease)
  })
s.run()
