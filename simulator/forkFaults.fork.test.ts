import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, suite } from '../fixtures/test.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { isRunning, waitFor } from './testing/waitFor.ts'

const s = suite('fork faults')
const world = await startSwapWorld()
const forkDir = mkdtempSync(join(tmpdir(), 'forkyard-test-'))
const events: string[] = []
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
  forkDir,
  log: ({ event }) => events.push(event),
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
  rmSync(forkDir, { recursive: true, force: true })
})

const forkPids = () => readdirSync(forkDir).map((name) => Number.parseInt(name, 10))
const simulate = async () => {
  const candidates = [world.swapAForB(), world.swapAForB({ amountIn: 7n })]
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  return results.map(({ status }) => status)
}

s('answers the next request after kill -9 of the fork, again and again', async () => {
  for (let round = 0; round < 3; round += 1) {
    for (const pid of forkPids()) process.kill(pid, 'SIGKILL')
    assert.equal(await simulate(), ['ok', 'ok'])
  }
})
s('answers requests that were under way when the fork was killed', async () => {
  const running = Array.from({ length: 8 }, simulate)
  for (const pid of forkPids()) process.kill(pid, 'SIGKILL')
  assert.equal(await Promise.all(running), Array(8).fill(['ok', 'ok']))
})
s('kills and replaces a stopped fork within two seconds and answers from the new one', async () => {
  const stopped = forkPids()
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  const startedAt = performance.now()
  assert.equal(await simulate(), ['ok', 'ok'])
  const elapsedMs = performance.now() - startedAt
  assert.ok(elapsedMs < 3_000, `took ${elapsedMs} ms`)
  assert.not(stopped.some(isRunning))
  assert.ok(events.includes('fork_wedged'))
})
s('keeps one fork standing after many blocks', async () => {
  for (let round = 0; round < 5; round += 1) {
    await world.swapForReal(1000n)
    await simulate()
  }
  await waitFor('old forks are drained', () => forkPids().length === 1)
})
s('notices that the chain was reorganised to a lower head', async () => {
  const snapshot = await world.chain.request('evm_snapshot')
  const before = await world.quoteAForB(10n ** 18n)
  await world.swapForReal(10n ** 23n)
  await simulate()
  await world.chain.request('evm_revert', [snapshot])
  const { results } = await simulator.simulateCandidates({
    chainId: 8453,
    candidates: [world.swapAForB()],
  })
  assert.equal(results[0]?.status === 'ok' && results[0].amountOut, before)
})
s.run()
