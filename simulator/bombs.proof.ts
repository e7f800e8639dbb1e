import type { Candidate } from './buildBundle.ts'
import { createSimulator } from './simulator.ts'
import { bombAddress, bombs } from './testing/bombs.ts'
import { startSwapWorld } from './testing/swapWorld.ts'

/**
 * How much slower an honest request becomes while somebody else keeps sending bombs, kind by kind,
 * compared with somebody else who keeps sending honest candidates.
 * Prints the medians and exits 1 when one is more than twice that beside an honest neighbour.
 *
 * Usage: `node simulator/bombs.proof.ts [samples per kind]`.
 */
const samplesPerKind = Number(process.argv[2] ?? 60)
const mostSlowdown = 2

const world = await startSwapWorld()
for (const [index, code] of Object.values(bombs).entries())
  await world.chain.request('anvil_setCode', [bombAddress(index), code])
const simulator = await createSimulator({
  chains: [{ chainId: 8453, upstreamUrl: world.chain.rpcUrl }],
})
const honest = world.swapAForB()
const simulate = (candidates: readonly Candidate[]) =>
  simulator.simulateCandidates({ chainId: 8453, candidates })

async function medianOfHonest(): Promise<number> {
  const samples: number[] = []
  for (let round = 0; round < samplesPerKind; round += 1) {
    const startedAt = performance.now()
    const { results } = await simulate([honest])
    if (results[0]?.status !== 'ok') throw new Error('an honest candidate failed')
    samples.push(performance.now() - startedAt)
  }
  return samples.toSorted((a, b) => a - b)[samplesPerKind / 2] ?? Number.NaN
}

async function bombard(target: Candidate, isOver: () => boolean) {
  while (!isOver()) await simulate([target])
}

async function medianBeside(target: Candidate): Promise<number> {
  let isOver = false
  const neighbour = bombard(target, () => isOver)
  const median = await medianOfHonest()
  isOver = true
  await neighbour
  return median
}

await medianOfHonest()
let worst = 0
for (const [index, name] of Object.keys(bombs).entries()) {
  const usual = await medianBeside(honest)
  const beside = await medianBeside({ ...honest, target: bombAddress(index) })
  worst = Math.max(worst, beside / usual)
  const figures = `${usual.toFixed(1)} ms beside an honest neighbour, ${beside.toFixed(1)} ms beside this`
  process.stdout.write(`${name}: ${figures}, ${(beside / usual).toFixed(2)}x\n`)
}
await simulator.close()
await world.chain.close()
process.exitCode = worst > mostSlowdown ? 1 : 0
