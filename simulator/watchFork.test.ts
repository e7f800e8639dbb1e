import { assert, suite } from '../fixtures/test.ts'
import type { Turns } from './processTable.ts'
import { watchFork } from './watchFork.ts'

const s = suite('simulator/watchFork')

/** How many pings a fork that answers none gets until it counts as wedged, by what it does meanwhile. */
async function countPings(perPing: Turns | undefined): Promise<number> {
  let pings = 0
  let turns: Turns = { ranMs: 0, waitedMs: 0 }
  const wedged = Promise.withResolvers<void>()
  const stop = watchFork(
    {
      rpc: {
        async batch() {
          pings += 1
          const { ranMs, waitedMs } = perPing ?? turns
          turns = { ranMs: turns.ranMs + ranMs, waitedMs: turns.waitedMs + waitedMs }
          throw new Error('no answer')
        },
      },
      readTurns: () => perPing && turns,
    },
    { onWedged: wedged.resolve },
  )
  const guard = setTimeout(() => wedged.reject(new Error(`${pings} pings`)), 20_000)
  await wedged.promise.finally(() => clearTimeout(guard))
  stop()
  return pings
}
/** Longer than a ping that fails at once can take. */
const longMs = 1e9

s('takes a fork for wedged that does not want to run [sim/wedged-still]', async () => {
  assert.is(await countPings({ ranMs: 0, waitedMs: 0 }), 2)
})
s('takes a fork for wedged that runs all the time [sim/wedged-busy]', async () => {
  assert.is(await countPings({ ranMs: longMs, waitedMs: longMs }), 2)
})
s('takes it for wedged where nobody tells [sim/wedged-unknown]', async () => {
  assert.is(await countPings(undefined), 2)
})
s('puts up for a while with one that gets no processor [sim/starved]', async () => {
  assert.is(await countPings({ ranMs: 0, waitedMs: longMs }), 5)
})

s.run()
