import { assert, suite } from '../fixtures/test.ts'
import type { Freshness } from './freshness.ts'
import { createRest } from './rest.ts'
import type { LiveGeneration } from './standingForks.ts'

const s = suite('a fork that nobody uses')
const restAfterMs = 10_000

/** A fork, how often it was made to follow its chain, and a clock. */
function create({ freshness }: { readonly freshness?: Freshness } = {}) {
  const clock = { ms: 0 }
  const chain = { isSilent: false }
  let [refreshes, confirmedAtMs] = [0, 0]
  let current: LiveGeneration | undefined = {} as LiveGeneration
  const forks = {
    current: () => current,
    confirmedAtMs: () => confirmedAtMs,
    async refresh() {
      refreshes += 1
      await Promise.resolve()
      if (!chain.isSilent) confirmedAtMs = clock.ms
    },
    dropCurrent() {
      current = undefined
    },
  }
  const rest = createRest(
    { forks, now: () => clock.ms },
    freshness ?? { mode: 'interval', everyMs: 1_000, restAfterMs },
  )
  /** What the poll does, for so many seconds. */
  async function poll(seconds: number) {
    const before = refreshes
    for (let tick = 0; tick < seconds; tick += 1) {
      clock.ms += 1_000
      await rest.follow()
    }
    return refreshes - before
  }
  return { rest, chain, clock, poll, forks, refreshes: () => refreshes }
}

s('is rolled while somebody has asked of late, and no more after that [sim/rest]', async () => {
  const { rest, poll } = create()
  assert.not(rest.isResting())
  assert.is(await poll(9), 9)
  assert.not(rest.isResting())
  assert.is(await poll(600), 0)
  assert.ok(rest.isResting())
})

s('is rolled once for all who then come, before they have it [sim/rest-wakes]', async () => {
  const { rest, poll, refreshes, forks } = create()
  await poll(60)
  const before = refreshes()
  await Promise.all([rest.wake(), rest.wake(), rest.wake(), rest.follow()])
  assert.is(refreshes() - before, 1)
  assert.not(rest.isResting())
  await rest.wake()
  assert.is(refreshes() - before, 1, 'who comes next waits for nothing')
  assert.ok(forks.current(), 'the chain has just confirmed it')
  assert.is(await poll(9), 9)
})

s('rests from the end of what was asked on [sim/rest-after]', async () => {
  const { rest, clock, poll } = create()
  await rest.wake()
  clock.ms += 60_000
  rest.leave()
  assert.is(await poll(9), 9)
})

s('answers nobody where no newer one can be had [sim/rest-silent]', async () => {
  const { rest, chain, poll, forks } = create()
  await poll(60)
  chain.isSilent = true
  await rest.wake()
  assert.is(forks.current(), undefined)
  assert.is(await poll(60), 60, 'a fork is tried for until one stands')
})

s('is rolled for ever where no time is set, and on a lab [sim/never-rests]', async () => {
  for (const freshness of [{ mode: 'head' }, { mode: 'interval', everyMs: 1_000 }] as const)
    assert.is(await create({ freshness }).poll(600), 600)
})
s.run()
