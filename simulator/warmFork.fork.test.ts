import { assert, suite } from '../fixtures/test.ts'
import { createSimulator } from './simulator.ts'
import { startFaultProxy } from './testing/faultProxy.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { waitFor } from './testing/waitFor.ts'

const s = suite('warm forks')
const world = await startSwapWorld()
const proxy = await startFaultProxy({ target: world.chain.rpcUrl })
const freshness = { mode: 'interval', everyMs: 50 } as const
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: proxy.url, freshness }],
})
s.after(async () => {
  await simulator.close()
  await proxy.close()
  await world.chain.close()
})

const taker = simulator.simulatedTaker(8453)
async function simulate() {
  const candidates = [world.swapAForB({ to: taker }), world.swapAForB({ amountIn: 77n, to: taker })]
  const before = proxy.stateReads()
  const { results } = await simulator.simulateCandidates({ chainId: 8453, candidates })
  const amounts = results.map((result) => (result.status === 'ok' ? result.amountOut : 0n))
  return { amounts, reads: proxy.stateReads() - before }
}
async function roll() {
  const block = await world.swapForReal(10n ** 21n)
  await waitFor('the fork follows', () => simulator.status(8453).blockNumber === block)
}

s('a fork of the next block repeats few of the reads that the one before has made', async () => {
  const cold = await simulate()
  assert.ok(cold.reads > 10, `${cold.reads} reads`)
  for (let round = 0; round < 3; round += 1) {
    await roll()
    const warm = await simulate()
    // Not none: accounts that the warming had not reached yet are read when they are needed.
    assert.ok(warm.reads * 2 < cold.reads, `${warm.reads} of ${cold.reads}`)
    const quotes = await Promise.all([world.quoteAForB(10n ** 18n), world.quoteAForB(77n)])
    assert.equal(warm.amounts, quotes)
  }
})
s('a simulation that was made before needs none either', async () => {
  assert.is((await simulate()).reads, 0)
})
s.run()
