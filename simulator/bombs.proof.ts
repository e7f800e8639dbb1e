import { byLength, reportFigures } from '../fixtures/proof.ts'
import { assert, suite } from '../fixtures/test.ts'
import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { bombAddress, bombs } from './testing/bombs.ts'
import { startSwapWorld } from './testing/swapWorld.ts'

/**
 * How much slower an honest request becomes while somebody else keeps sending bombs, kind by kind,
 * compared with somebody else who keeps sending honest candidates: at most twice as slow in the median.
 *
 * Usage: `node simulator/bombs.proof.ts [samples per kind]`.
 */
const samplesPerKind = Number(process.argv[2] ?? byLength({ short: 20, long: 60 }))
const samplesAtOnce = 5
const mostSlowdown = 2
/** Few samples of three milliseconds each on a machine that does other things. */
const noiseMs = byLength({ short: 10, long: 0 })

const world = await startSwapWorld()
for (const [index, code] of Object.values(bombs).entries())
  await world.chain.request('anvil_setCode', [bombAddress(index), code])
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
})
const honest = world.swapAForB()
const simulate = (candidates: readonly Candidate[]) =>
  simulator.simulateCandidates({ chainId: 8453, candidates })

const medianOf = (samples: readonly number[]) =>
  samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN

async function timeHonest(count: number): Promise<readonly number[]> {
  const samples: number[] = []
  for (let round = 0; round < count; round += 1) {
    const startedAt = performance.now()
    const { results } = await simulate([honest])
    if (results[0]?.status !== 'ok') throw new Error('an honest candidate failed')
    samples.push(performance.now() - startedAt)
  }
  return samples
}

async function bombard(target: Candidate, isOver: () => boolean) {
  while (!isOver()) await simulate([target])
}

async function timeBeside(target: Candidate): Promise<readonly number[]> {
  let isOver = false
  const neighbour = bombard(target, () => isOver)
  const samples = await timeHonest(samplesAtOnce)
  isOver = true
  await neighbour
  return samples
}

/** By turns, so that whatever else the machine does falls on both alike. */
async function compare(target: Candidate) {
  const usual: number[] = []
  const beside: number[] = []
  while (usual.length < samplesPerKind) {
    usual.push(...(await timeBeside(honest)))
    beside.push(...(await timeBeside(target)))
  }
  return { usual: medianOf(usual), beside: medianOf(beside) }
}

const s = suite('bombs')
const slowdowns: Record<string, string> = {}
await timeHonest(samplesPerKind)
for (const [index, name] of Object.keys(bombs).entries())
  s(`${name}: an honest request is at most ${mostSlowdown} times as slow beside it`, async () => {
    const { usual, beside } = await compare({ ...honest, target: bombAddress(index) })
    const figures = `${usual.toFixed(1)} ms beside an honest neighbour, ${beside.toFixed(1)} ms beside this`
    slowdowns[name] = `${(beside / usual).toFixed(2)}x`
    process.stdout.write(`${name}: ${figures}, ${slowdowns[name]}\n`)
    assert.ok(beside <= usual * mostSlowdown + noiseMs, figures)
  })
s.after(async () => {
  await simulator.close()
  await world.chain.close()
  reportFigures(
    `median of an honest request beside bombs, ${samplesPerKind} samples each`,
    slowdowns,
  )
})
s.run()
