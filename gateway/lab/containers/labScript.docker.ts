import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { assert, suite } from '../../../fixtures/test.ts'
import { waitFor } from '../../../simulator/testing/waitFor.ts'
import { labPortNames, takePorts } from './testing/stack.ts'

/** `make docker-lab`: the script itself, as a person runs it. */
const s = suite('docker/lab.sh')
const script = join(import.meta.dirname, '../../../docker/lab.sh')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-lab-'))
const project = `forkyard-script-${process.pid}`
const env = { ...process.env, COMPOSE_PROJECT_NAME: project, FORKYARD_LAB_DIR: dir }
const manifest = join(dir, 'manifest.json')
s.after(() => rmSync(dir, { recursive: true }))

s(
  'writes the manifest when the lab is ready, and leaves nothing when it is told to end',
  async () => {
    const { env: ports } = await takePorts(labPortNames)
    const lab = spawn(script, { env: { ...env, ...ports }, stdio: 'ignore' })
    const ended = once(lab, 'exit')
    await waitFor('it is ready', () => existsSync(manifest), { deadlineMs: 400_000, everyMs: 250 })
    const { ok } = await fetch(`http://127.0.0.1:${ports['OPS_PORT']}/readyz`)
    assert.ok(ok)
    lab.kill('SIGTERM')
    assert.equal(await ended, [0, null])
    assert.equal(readdirSync(dir), [])
    const docker = new Docker()
    const filters = { label: [`com.docker.compose.project=${project}`] }
    assert.equal(await docker.listContainers({ all: true, filters }), [])
    assert.equal(await docker.listNetworks({ filters }), [])
    const { Volumes } = await docker.listVolumes({ filters: JSON.stringify(filters) })
    assert.equal(Volumes ?? [], [])
  },
)

s('leaves a lab of processes in the same folder alone', async () => {
  for (const name of ['status.json', 'manifest.json']) writeFileSync(join(dir, name), '{}')
  const refused = await promisify(execFile)(script, { env }).catch((error: Error) => error.message)
  assert.match(String(refused), 'stop it with make lab-down')
  assert.equal(readdirSync(dir).sort(), ['manifest.json', 'status.json'])
})
s.run()
