import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  const start = (mode: string) =>
    new Promise<string>((resolve) => {
      const env = {
        PATH: process.env['PATH'],
        FORKYARD_MODE: mode,
        KEY_PEPPER: 'p'.repeat(32),
        DATABASE_PATH: join(dir, `${mode}.sqlite`),
        BASE_RPC_URL: 'http://127.0.0.1:9',
        DOCKER_HOST: 'unix:///var/run/docker.sock',
      }
      const main = join(import.meta.dirname, 'main.ts')
      execFile(process.execPath, [main], { env }, (_, __, stderr) => resolve(stderr))
    })
  const [live, lab] = await Promise.all([start('live'), start('offline')])
  assert.match(live, 'DOCKER_HOST gives this process command of a Docker engine')
  assert.not.match(lab, 'Docker')
})
s.run()
