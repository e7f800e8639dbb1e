import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnvironment } from '../fixtures/bareEnvironment.ts'
import { assert, suite } from '../fixtures/test.ts'
import { findDockerAccess } from './dockerSocket.ts'

const s = suite('docker socket')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
s.after(() => rmSync(dir, { recursive: true }))

s('is found where this process may open it, or is told of it', () => {
  const there = join(dir, 'docker.sock')
  writeFileSync(there, '')
  const missing = join(dir, 'missing.sock')
  assert.is(findDockerAccess({}, [missing, there]), there)
  assert.is(findDockerAccess({}, [missing]), undefined)
  assert.is(findDockerAccess({ DOCKER_HOST: 'tcp://engine:2375' }, [missing]), 'DOCKER_HOST')
})

s('keeps a live gateway from starting, and no lab', async () => {
  /** What it says until it serves or gives up. */
  const start = async (mode: string) => {
    const env = {
      ...bareEnvironment(),
      FORKYARD_MODE: mode,
      KEY_PEPPER: 'p'.repeat(32),
      DATABASE_PATH: join(dir, `${mode}.sqlite`),
      BASE_RPC_URL: 'http://127.0.0.1:9',
      DOCKER_HOST: 'unix:///var/run/docker.sock',
      ROUTING_PORT: '0',
      META_PORT: '0',
      RELAY_PORT: '0',
      OPS_PORT: '0',
    }
    const gateway = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { env })
    let said = ''
    for (const stream of [gateway.stdout, gateway.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk
        if (said.includes('"serving"')) gateway.kill()
      })
    await once(gateway, 'close')
    return said
  }
  const [live, lab] = await Promise.all([start('live'), start('offline')])
  assert.match(live, 'DOCKER_HOST gives this process command of a Docker engine')
  assert.not.match(live, 'serving')
  assert.match(lab, 'serving')
})
s.run()
