import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../fixtures/test.ts'
import { createStartFork } from './fork.ts'
import { createForkGuard } from './forkGuard.ts'
import { startTestChain } from './testing/testChain.ts'
import { isRunning, waitFor } from './testing/waitFor.ts'

const s = suite('starting a fork')
const dir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const forkDir = join(dir, 'forks')
const guard = createForkGuard({ forkDir })
const chain = await startTestChain()
const unheard: unknown[] = []
const note = (reason: unknown) => unheard.push(reason)
process.on('unhandledRejection', note)
s.after(async () => {
  process.off('unhandledRejection', note)
  guard.close()
  await chain.close()
  rmSync(dir, { recursive: true, force: true })
})

/** A stand-in for anvil that tells its process id and then does as the script says. */
function fakeAnvil(name: string, script: string) {
  const binary = join(dir, name)
  writeFileSync(binary, `#!/bin/sh\necho $$ > ${binary}.pid\n${script}\n`)
  chmodSync(binary, 0o755)
  return binary
}
const asked = { chainId: 8453, upstreamUrl: chain.rpcUrl, blockNumber: 0n }

for (const [name, script] of [
  ['hangs', 'exec sleep 60'],
  ['hangs after it spoke to stderr', 'echo oops >&2; exec sleep 60'],
  ['ends at once', 'exit 1'],
  ['says that it listens where nobody does', 'echo Listening on 127.0.0.1:9; exec sleep 60'],
] as const)
  s(`an anvil that ${name} is one refusal, and leaves nothing behind`, async () => {
    const binary = fakeAnvil(name.replaceAll(' ', '-'), script)
    const start = createStartFork({ guard, binary, startTimeoutMs: 400 })
    const refusal = await start(asked).then(
      () => 'started',
      (error: Error) => error.message,
    )
    assert.is(refusal, 'the fork did not start')
    assert.equal(existsSync(forkDir) ? readdirSync(forkDir) : [], [])
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(unheard, [])
  })
s('starts although its folder of records was swept away meanwhile', async () => {
  rmSync(forkDir, { recursive: true, force: true })
  const fork = await createStartFork({ guard })(asked)
  assert.equal(readdirSync(forkDir), [`${fork.pid}.json`])
  await fork.kill()
  await waitFor('it is gone', () => !isRunning(fork.pid))
})
for (const [chainId, hardFork] of [
  [8453, 'Jovian'],
  [42161, 'Prague'],
] as const)
  s(`runs chain ${chainId} by the rules of ${hardFork}`, async () => {
    const fork = await createStartFork({ guard })({ ...asked, chainId })
    const [outcome] = await fork.rpc.batch([{ method: 'anvil_nodeInfo', params: [] }], {
      timeoutMs: 10_000,
    })
    assert.is(outcome?.ok && Object(outcome.result).hardFork, hardFork)
    await fork.kill()
  })
s.run()
