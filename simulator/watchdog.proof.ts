import { byLength, reportFigures } from '../fixtures/proof.ts'
import { assert, suite } from '../fixtures/test.ts'
import { createSimulator } from './simulator.ts'
import { startSwapWorld } from './testing/swapWorld.ts'
import { startTestForks } from './testing/testForks.ts'
import { isRunning, waitFor } from './testing/waitFor.ts'

/**
 * How soon a stopped or killed fork is gone and replaced, what a request that comes at that moment waits,
 * and what one to the other chain waits meanwhile: the fork is gone and replaced within 2 s each time.
 *
 * Usage: `node simulator/watchdog.proof.ts [rounds]`.
 */
const rounds = Number(process.argv[2] ?? byLength({ short: 5, long: 25 }))
const mostMs = 2_000

const worlds = { 8453: await startSwapWorld(), 42161: await startSwapWorld({ chainId: 42161 }) }
const stands = await Promise.all(
  Object.values(worlds).map(async (world) => {
    const { chainId, rpcUrl } = world.chain
    const forks = await startTestForks()
    const made = { count: 0 }
    const simulator = await createSimulator({
      chains: [{ chainId, upstreamUrl: rpcUrl }],
      forks,
      log({ event }) {
        if (event === 'fork_ready') made.count += 1
      },
    })
    const simulate = async () => {
      const startedAt = performance.now()
      const { results } = await simulator.simulateCandidates({
        chainId,
        candidates: [world.swapAForB()],
      })
      if (results[0]?.status !== 'ok') throw new Error('an honest candidate failed')
      return performance.now() - startedAt
    }
    return { forks, made, simulator, simulate, world }
  }),
)
const [struck, other] = stands
if (!struck || !other) throw new Error('two chains are needed')

type Figures = Record<'replaced' | 'gone' | 'asked' | 'elsewhere', number[]>

async function strike(
  { simulate, forks, made }: (typeof stands)[number],
  { signal, into }: { signal: 'SIGSTOP' | 'SIGKILL'; into: Figures },
) {
  await simulate()
  await waitFor('one fork stands', () => forks.pids().length === 1, { deadlineMs: 20_000 })
  const [pid = 0] = forks.pids()
  const madeBefore = made.count
  let isOver = false
  const elsewhere = (async () => {
    while (!isOver) into.elsewhere.push((await other?.simulate()) ?? Number.NaN)
  })()
  process.kill(pid, signal)
  const deadlineMs = 20_000
  const [asked, gone, replaced] = await Promise.all([
    simulate(),
    waitFor('the fork is gone', () => !isRunning(pid), { deadlineMs }),
    waitFor('another may be used', () => made.count > madeBefore, { deadlineMs }),
  ])
  isOver = true
  await elsewhere
  into.asked.push(asked)
  into.gone.push(gone)
  into.replaced.push(replaced)
}

/** The middle and the worst of each, and how many there were. */
const summarize = (figures: Figures) =>
  Object.fromEntries(
    Object.entries(figures).map(([what, samples]) => {
      const sorted = samples.toSorted((a, b) => a - b)
      const p50 = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
      const worst = sorted.at(-1) ?? Number.NaN
      return [what, `p50 ${p50.toFixed(1)} ms, worst ${worst.toFixed(1)} ms of ${sorted.length}`]
    }),
  )

const s = suite('watchdog')
for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
  s(`a fork is gone and replaced within ${mostMs} ms of each of ${rounds} ${signal}`, async () => {
    const into: Figures = { replaced: [], gone: [], asked: [], elsewhere: [] }
    for (let round = 0; round < rounds; round += 1) await strike(struck, { signal, into })
    reportFigures(`a fork under ${signal}`, summarize(into))
    assert.ok(Math.max(...into.replaced, ...into.gone) < mostMs)
  })
s.after(async () => {
  for (const { simulator, world } of stands) {
    await simulator.close()
    await world.chain.close()
  }
})
s.run()
