import { inspect } from 'node:util'
import type { Hex } from 'viem'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { type CandidateResult, createSimulator } from './simulator.ts'
import { bombAddress, bombs } from './testing/bombs.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'
import { waitFor } from './testing/waitFor.ts'

const s = suite('bombs')
const world = await startSwapWorld()
for (const [index, code] of Object.values(bombs).entries())
  await world.chain.request('anvil_setCode', [bombAddress(index), code])
const forks = await startTestForks()
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
  forks,
})
s.after(async () => {
  await simulator.close()
  await world.chain.close()
})

const honest = world.swapAForB()
const names = Object.keys(bombs)
const bombCandidates = names.map(
  (_, index): Candidate => ({ ...honest, target: bombAddress(index) }),
)
const simulate = async (candidates: readonly Candidate[]) =>
  (await simulator.simulateCandidates({ chainId: 8453, candidates })).results

s('every bomb is told from an honest candidate, which it does not spoil', async () => {
  const candidates = bombCandidates.flatMap((bomb) => [bomb, honest])
  const startedAt = performance.now()
  const results = await simulate(candidates)
  const elapsedMs = performance.now() - startedAt
  const amountOut = await world.quoteAForB(10n ** 18n)
  const verdicts = results.filter((_, index) => index % 2 === 0)
  const others = results.filter((_, index) => index % 2 === 1)
  assert.ok(others.every((result) => result.status === 'ok' && result.amountOut === amountOut))
  assert.not(
    verdicts.some(({ status }) => status === 'ok'),
    JSON.stringify(names.map((name, index) => [name, verdicts[index]])),
  )
  assert.ok(elapsedMs < 15_000, `took ${elapsedMs} ms`)
})
/** What a dear candidate hears where its fork is slow, or not up yet. */
const unavailable = [
  'the chain did not answer in time',
  'the fork for dear candidates is not ready',
  'simulation timed out',
]
const isUnavailable = (result: CandidateResult | undefined) =>
  result?.status === 'simulation_unavailable' && unavailable.includes(result.reason)
s('calldata of 128 kB and calls into precompiles are ordinary candidates', async () => {
  const [big, dear] = ['00', 'ff'].map((byte): Hex => `${honest.data}${byte.repeat(128 * 1024)}`)
  const precompiles = Array.from({ length: 10 }, (_, index): Candidate => {
    const target: Hex = `0x${(index + 1).toString(16).padStart(40, '0')}`
    return { ...honest, target, data: `0x${'ff'.repeat(4096)}` }
  })
  const [sale, dearSale, ...calls] = await simulate([
    { ...honest, data: big ?? '0x' },
    // The calldata alone costs more than ordinary candidates may use.
    { ...honest, data: dear ?? '0x' },
    ...precompiles,
  ])
  assert.is(sale?.status, 'ok')
  assert.ok(dearSale?.status === 'ok' || isUnavailable(dearSale), inspect(dearSale))
  // What burns all its gas may run out of time first where the machine is slow.
  for (const call of calls)
    assert.ok(call.status === 'simulation_failed' || isUnavailable(call), inspect(call))
})
s('leaves one healthy fork behind', async () => {
  await waitFor('old forks are gone', () => forks.pids().length === 1, {
    deadlineMs: 30_000,
  })
  assert.is((await simulate([honest]))[0]?.status, 'ok')
})
s.run()
