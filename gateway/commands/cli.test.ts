import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'

const s = suite('forkyard')
const cli = join(import.meta.dirname, '..', 'cli.ts')

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
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
  const { child, said, ended } = start('config')
  child.stdout.destroy()
  assert.equal(await ended, [0, null])
  assert.is(said.error, '')
})
s('shows people what is for people [cli/hidden]', async () => {
  const { said, ended } = start('--help')
  assert.equal(await ended, [0, null])
  assert.match(said.out, /^ {2}lab-up /m)
  assert.not.match(said.out, /lab-chain|lab-gateway/)
})
s.run()
