import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../../fixtures/test.ts'
import { startWorldChain } from '../../fixtures/world.ts'
import { readPack } from '../../simulator/pack/packFile.ts'
import { anyPorts } from './ports.ts'
import { cliPath } from './testing/testLab.ts'

/** The story, recorded on a fork of a "real" Base, and told again from the pack when that Base is gone. */
const s = suite('story from a pack')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const path = join(dir, 'story.pack')
const story = join(import.meta.dirname, 'story.fork.test.ts')
const real = await startWorldChain({ chainId: 8453 })
s.after(async () => {
  await real.close()
  rmSync(dir, { recursive: true, force: true })
})

async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

s('forkyard pack record writes what the story needed [pack/story-size]', async () => {
  const args = [
    cliPath,
    'pack',
    'record',
    '--freeze-time',
    '--out',
    path,
    '--',
    process.execPath,
    story,
  ]
  const { code, output } = await run(args, { BASE_RPC_URL: real.rpcUrl })
  assert.is(code, 0, output)
  const [chain] = await readPack(path)
  assert.is(chain?.chainId, 8453)
  assert.ok((chain?.answers.size ?? 0) > 100, output)
  assert.ok(statSync(path).size < 2_000_000, `${statSync(path).size} bytes`)
})
s('the whole story passes on it with the real chain cut off [pack/frozen-story]', async () => {
  await real.close()
  const { code, output } = await run([story], { FORKYARD_PACK: path })
  assert.is(code, 0, output)
  assert.match(output, /Passed:\s+2/)
})
s('says what is missing, and what can not be', async () => {
  const at = { FORKYARD_LAB_DIR: join(dir, 'lab'), ...anyPorts }
  const both = await run([cliPath, 'lab-up', '--pack', path], { ...at, BASE_RPC_URL: 'http://x' })
  assert.match(both.output, 'a pack takes the place of BASE_RPC_URL')
  const none = await run([cliPath, 'lab-up', '--pack', story], at)
  assert.match(none.output, 'is no usable pack: it is no compressed text')
  assert.equal([both.code, none.code], [1, 1])
})
s.run()
