import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { assert, suite } from '../fixtures/test.ts'
import { createStartFork } from './fork.ts'
import { createForkGuard } from './forkGuard.ts'
import { processTable } from './processTable.ts'
import { answeringAnvil, fakeAnvil } from './testing/fakeAnvil.ts'
import { isRunning } from './testing/waitFor.ts'

/** With scripts in place of anvil; `fork.fork.test.ts` starts real ones. */
const s = suite('simulator/fork')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const forkDir = join(dir, 'forks')
const guard = createForkGuard({ forkDir })
const unheard: unknown[] = []
const note = (reason: unknown) => unheard.push(reason)
process.on('unhandledRejection', note)
s.after(() => {
  process.off('unhandledRejection', note)
  guard.close()
  rmSync(dir, { recursive: true, force: true })
})
const asked = { chainId: 8453, upstreamUrl: 'http://127.0.0.1:9/se-cret', blockNumber: 17n }
const answering = fakeAnvil(dir, 'answers', answeringAnvil)
// What is left of a deadline would hold this process back from ending.
const start = createStartFork({ guard, binary: answering, startTimeoutMs: 60_000 })
const records = () => (existsSync(forkDir) ? readdirSync(forkDir) : [])

s('starts a process that listens where nobody looks for it, and ends it', async () => {
  const fork = await start({ ...asked, settings: { hardfork: 'isthmus' } })
  const { hostname, port } = new URL(fork.url)
  const args = readFileSync(`${answering}.args`, 'utf8')
  assert.match(args, `--host ${hostname} --port 0 `)
  for (const flag of [
    '--chain-id 8453',
    `--fork-url ${asked.upstreamUrl}`,
    '--fork-block-number 17',
    '--hardfork isthmus',
  ])
    assert.match(args, flag)
  assert.ok(Number(port) > 0)
  assert.equal([fork.isAlive(), isRunning(fork.pid)], [true, true])
  assert.equal(records(), [`${fork.pid}.json`])
  assert.is(typeof fork.readTurns?.(), typeof processTable.readTurns(fork.pid))
  const calls = [{ method: 'anvil_setLoggingEnabled', params: [false] }]
  assert.equal(await fork.rpc.batch(calls, { timeoutMs: 10_000 }), [{ ok: true, result: null }])
  await fork.kill()
  assert.equal([fork.isAlive(), isRunning(fork.pid), records()], [false, false, []])
  await fork.exited
  await fork.kill()
})
s('tells of an end that was none of its own, and leaves its record to who kills it', async () => {
  const fork = await start(asked)
  process.kill(fork.pid, 'SIGKILL')
  await fork.exited
  assert.equal([fork.isAlive(), records()], [false, [`${fork.pid}.json`]])
  await fork.kill()
  assert.equal(records(), [])
})
s('lets everybody else come first by as much as it is told, where it may', async () => {
  const given: (readonly number[])[] = []
  let isForbidden = false
  const lower = mock.method(os, 'setPriority', (...args: readonly number[]) => {
    if (isForbidden) throw new Error('EPERM')
    given.push(args)
  })
  syncBuiltinESMExports()
  try {
    await (await start(asked)).kill()
    assert.equal(given, [])
    const { pid, kill } = await start({ ...asked, niceness: 1 })
    await kill()
    assert.ok(given.some(([thread]) => thread === pid))
    assert.ok(given.every(([, niceness]) => niceness === 1))
    isForbidden = true
    await (await start({ ...asked, niceness: 1 })).kill()
  } finally {
    lower.mock.restore()
    syncBuiltinESMExports()
  }
})
for (const [name, script] of [
  ['hangs', 'exec sleep 60'],
  ['hangs after it spoke to stderr', 'echo oops >&2; exec sleep 60'],
  ['ends at once', 'exit 1'],
  ['says that it listens where nobody does', 'echo Listening on 127.0.0.1:9; exec sleep 60'],
  ['is not there', undefined],
] as const)
  s(`an anvil that ${name} is one refusal, and leaves nothing behind`, async () => {
    const binary = script ? fakeAnvil(dir, name.replaceAll(' ', '-'), script) : join(dir, 'none')
    const starting = createStartFork({ guard, binary, startTimeoutMs: 400 })(asked)
    const refusal = await starting.then(
      () => 'started',
      (error: Error) => error.message,
    )
    assert.is(refusal, 'the fork did not start')
    assert.equal(records(), [])
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(unheard, [])
  })
s.run()
