import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
s.after(async () => {
  guard.close()
  await chain.close()
  rmSync(dir, { recursive: true, force: true })
})

const asked = { chainId: 8453, upstreamUrl: chain.rpcUrl, blockNumber: 0n }

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
