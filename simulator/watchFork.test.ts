import { assert, suite } from '../fixtures/test.ts'
import type { Turns } from './processTable.ts'
import { watchFork } from './watchFork.ts'

const s = suite('simulator/watchFork')

/** How many pings a fork that answers none gets until it counts as wedged, by what it does meanwhile. */
async function countPings(perPing: Turns | undefined): Promise<number> {
  let pings = 0
  let turns: Turns = { ranMs: 0, waitedMs: 0 }
  let looked = Promise.withResolvers<void>()
  const wedged = Promise.withResolvers<void>()
  const stop = watchFork(
    {
      rpc: {
        async batch() {
          pings += 1
          looked = Promise.withResolvers()
          await looked.promise
          const { ranMs, waitedMs } = perPing ?? turns
          turns = { ranMs: turns.ranMs + ranMs, waitedMs: turns.waitedMs + waitedMs }
          throw new Error('no answer')
        },
      },
      readTurns() {
        looked.resolve()
        return perPing && turns
      },
    },
    { onWedged: wedged.resolve },
  )
  const guard = setTimeout(() => wedged.reject(new Error(`${pings} pings`)), 20_000)
  await wedged.promise.finally(() => clearTimeout(guard))
  stop()
  return pings
}
/** Longer than any ping takes. */
const longMs = 1e9
/** Two that are missed behind three that are excused; where our own loop stands still, one counts for nothing. */
const excused = 5

s('takes a fork for wedged that does not want to run [sim/wedged-still]', async () => {
  assert.ok((await countPings({ ranMs: 0, waitedMs: 0 })) < excused)
})
s('takes a fork for wedged that runs all the time [sim/wedged-busy]', async () => {
  assert.ok((await countPings({ ranMs: longMs, waitedMs: longMs })) < excused)
})
s('takes it for wedged where nobody tells [sim/wedged-unknown]', async () => {
  assert.ok((await countPings(undefined)) < excused)
})
s('puts up for a while with one that gets no processor [sim/starved]', async () => {
  assert.ok((await countPings({ ranMs: 0, waitedMs: longMs })) >= excused)
})

s.run()
