import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('forkyard')
const cli = join(import.meta.dirname, '..', 'cli.ts')

function start(args: readonly string[], own: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...own }
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.error += chunk
  })
  return { child, said, ended: once(child, 'close') }
}

s('ends quietly when nobody reads on [cli/quiet]', async () => {
  const { child, said, ended } = start(['config'])
  child.stdout.destroy()
  assert.equal(await ended, [0, null])
  assert.is(said.error, '')
})
s('ends a gateway whose log nobody takes as one that failed [24/deaf-log]', async () => {
  const ports = { ROUTING_PORT: '0', META_PORT: '0', RELAY_PORT: '0', OPS_PORT: '0' }
  const offline = { FORKYARD_MODE: 'offline', DATABASE_PATH: ':memory:', DATABASE_URL: '' }
  const needed = { KEY_PEPPER: 'p'.repeat(32), BASE_RPC_URL: 'http://127.0.0.1:9' }
  const { child, said, ended } = start(['start'], { ...ports, ...offline, ...needed })
  child.stdout.destroy()
  assert.equal(await ended, [1, null])
  assert.is(said.error, '', 'it was refused')
})
s('says why a fetch failed', async () => {
  // A port that fetch refuses, so that nobody is asked.
  const { said, ended } = start(['status', '--url', 'http://127.0.0.1:10080'])
  assert.equal(await ended, [1, null])
  assert.is(said.error, 'forkyard: fetch failed: bad port\n')
})
s('shows people what is for people [cli/hidden]', async () => {
  const { said, ended } = start(['--help'])
  assert.equal(await ended, [0, null])
  assert.match(said.out, /^ {2}lab-up /m)
  assert.not.match(said.out, /lab-chain|lab-gateway/)
})
s.run()
