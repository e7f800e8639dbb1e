import { assert, suite } from '../fixtures/test.ts'
import { createSimulator } from './simulator.ts'
import { startFaultProxy } from './testing/faultProxy.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'
import { waitFor } from './testing/waitFor.ts'

const s = suite('warm forks')
const world = await startSwapWorld()
const proxy = await startFaultProxy({ target: world.chain.rpcUrl })
const forks = await startTestForks()
const freshness = { mode: 'interval', everyMs: 50 } as const
const knownTokens = [world.tokenA]
const chains = [{ chainId: 8453, upstreamUrl: proxy.url, freshness, knownTokens }]
/** A pair reads more once a second has passed since its last trade: always, that is. */
const now = () => Date.now() + 60_000
const simulator = await createSimulator({ chains, forks, now })
s.after(async () => {
  await simulator.close()
  await proxy.close()
  await world.chain.close()
})

const taker = simulator.simulatedTaker(8453)
/** Two swaps, and what was read of the chain meanwhile. */
async function simulate() {
  const candidates = [world.swapAForB({ to: taker }), world.swapAForB({ amountIn: 77n, to: taker })]
  const before = proxy.stateReads().length
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  const amounts = results.map((result) => (result.status === 'ok' ? result.amountOut : 0n))
  return { amounts, reads: proxy.stateReads().slice(before) }
}
async function roll() {
  const block = await world.swapForReal(10n ** 21n)
  await waitFor('the fork follows', () => simulator.status(8453).blockNumber === block, {
    deadlineMs: 20_000,
  })
}

s('a fork of the next block needs no read for what the one before has simulated', async () => {
  const cold = await simulate()
  assert.ok(cold.reads.length > 10, `${cold.reads.length} reads`)
  for (let round = 0; round < 3; round += 1) {
    await roll()
    const warm = await simulate()
    assert.equal(warm.reads, [])
    const quotes = await Promise.all([world.quoteAForB(10n ** 18n), world.quoteAForB(77n)])
    assert.equal(warm.amounts, quotes)
  }
})
s('the same with a chain that reads accounts the old way only', async () => {
  proxy.set({ unknownMethods: ['eth_getAccountInfo'] })
  const other = await createSimulator({ chains, forks: await startTestForks(), now })
  const candidates = [world.swapAForB({ to: taker })]
  const run = async () => {
    const before = proxy.stateReads().length
    const { results } = await other.simulateCandidates({ chainId: 8453, candidates })
    assert.is(results[0]?.status, 'ok')
    return proxy.stateReads().slice(before)
  }
  assert.ok((await run()).length > 10)
  const block = await world.swapForReal(10n ** 21n)
  await waitFor('it follows', () => other.status(8453).blockNumber === block, {
    deadlineMs: 20_000,
  })
  await waitFor('both have', () => simulator.status(8453).blockNumber === block)
  assert.equal(await run(), [])
  proxy.set({ unknownMethods: [] })
  await other.close()
})
s('one that takes the place of a killed fork reads nothing again', async () => {
  await roll()
  const before = proxy.stateReads().length
  for (const pid of forks.pids()) process.kill(pid, 'SIGKILL')
  await waitFor('another one stands', async () => (await simulate()).amounts[0] !== 0n)
  assert.equal(proxy.stateReads().slice(before), [])
})
s('a simulation that was made before needs none either', async () => {
  assert.equal((await simulate()).reads, [])
})
s.run()
