import { concat, encodeFunctionData, erc20Abi } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import { revertTo } from '../gateway/testing/revertTo.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'
import { isRunning, waitFor } from './testing/waitFor.ts'

const s = suite('fork faults')
const world = await startSwapWorld()
const forks = await startTestForks()
const events: string[] = []
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
  forks,
  log: ({ event }) => events.push(event),
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

const forkPids = forks.pids
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
  assert.ok(elapsedMs < 8_000, `took ${elapsedMs} ms`)
  // A process that was killed takes a moment to be gone where others have the processors.
  await waitFor('the stopped forks are gone', () => !stopped.some(isRunning), { deadlineMs: 8_000 })
  assert.ok(events.includes('fork_wedged'))
})

/** Burns 4M gas, then makes the call that its calldata names: an address and what to say to it. */
const hungryCode = '0x620249f05b6001900380600457601436038060145f375f5f825f5f5f3560601c5af100'
const hungry: Candidate = {
  ...world.swapAForB(),
  target: '0x9000000000000000000000000000000000000009',
  data: concat([
    world.tokenB,
    encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transfer',
      args: [simulator.simulatedTaker(8453), 5n],
    }),
  ]),
}
const simulateHungry = async () => {
  const candidates = [hungry, world.swapAForB()]
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  return results.map((result) => (result.status === 'ok' ? result.gasUsed > 3_000_000n : result))
}
s(
  'runs a candidate that needs much gas on a fork of its own, dead or stopped meanwhile',
  async () => {
    await world.chain.request('anvil_setCode', [hungry.target, hungryCode])
    await world.chain.send({
      to: world.tokenB,
      abi: world.tokenAbi,
      functionName: 'transfer',
      args: [hungry.target, 1_000n],
    })
    await simulate()
    await waitFor('one fork stands', () => forkPids().length === 1, { deadlineMs: 20_000 })
    const [usual] = forkPids()
    assert.equal(await simulateHungry(), [true, false])
    const slowOnes = () => forkPids().filter((pid) => pid !== usual)
    assert.is(slowOnes().length, 1)
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      for (const pid of slowOnes()) process.kill(pid, signal)
      await waitFor('it goes on', async () => (await simulateHungry())[0] === true, {
        deadlineMs: 20_000,
      })
    }
    await waitFor('nobody asks for it any more', () => slowOnes().length === 0, {
      deadlineMs: 30_000,
    })
  },
)
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
  await revertTo(world.chain, snapshot)
  const { results } = await simulator.simulateCandidates({
    chainId: 8453,
    candidates: [world.swapAForB()],
  })
  assert.equal(results[0]?.status === 'ok' && results[0].amountOut, before)
})
s.run()
