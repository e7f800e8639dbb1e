import { mock } from 'node:test'
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

/** By a clock that is set here; each ping is answered, or missed, when it is told to. */
function watch({ readTurns }: { readonly readTurns?: () => Turns | undefined } = {}) {
  let nowMs = 0
  mock.timers.enable({ apis: ['setTimeout'] })
  mock.method(performance, 'now', () => nowMs)
  const pings: PromiseWithResolvers<never[]>[] = []
  const limits: object[] = []
  const told: string[] = []
  const pass = async (ms: number) => {
    nowMs += ms
    mock.timers.tick(ms)
    for (let n = 0; n < 3; n += 1) await new Promise(setImmediate)
  }
  const stop = watchFork(
    {
      rpc: {
        batch(calls, given) {
          assert.equal(calls, [{ method: 'eth_chainId', params: [] }])
          limits.push(given)
          const ping = Promise.withResolvers<never[]>()
          pings.push(ping)
          return ping.promise
        },
      },
      readTurns,
    },
    { onMiss: () => void told.push('miss'), onWedged: () => void told.push('wedged') },
  )
  return {
    told,
    limits,
    stop,
    pass,
    count: () => pings.length,
    async answer() {
      pings.at(-1)?.resolve([])
      await pass(0)
    },
    /** After so long. */
    async miss(ms = 650) {
      await pass(ms)
      pings.at(-1)?.reject(new Error('no answer'))
      await pass(0)
      // The next one is due at once.
      await pass(1)
    },
  }
}
s.after.each(() => {
  mock.timers.reset()
  mock.restoreAll()
})

s('pings so often as long as it is answered [teeth/pings]', async () => {
  const { pass, answer, count, limits, told } = watch()
  await pass(299)
  assert.is(count(), 0)
  await pass(1)
  assert.equal([count(), limits], [1, [{ timeoutMs: 650 }]])
  // Not before the last one is answered.
  await pass(600)
  assert.is(count(), 1)
  await answer()
  await pass(299)
  assert.is(count(), 1)
  await pass(1)
  assert.equal([count(), told], [2, []])
})
s(
  'tells of one miss, asks again at once, and gives it up at the second [teeth/pings]',
  async () => {
    const { pass, miss, answer, count, told } = watch()
    await pass(300)
    await miss()
    assert.equal([told, count()], [['miss'], 2])
    await answer()
    await pass(300)
    await miss()
    // Misses that are not in a row are forgiven.
    assert.equal([told, count()], [['miss', 'miss'], 4])
    await miss()
    assert.equal(told, ['miss', 'miss', 'wedged'])
    await pass(10_000)
    assert.is(count(), 4)
  },
)
s('puts down to our own loop what came far too late [teeth/pings]', async () => {
  const { pass, miss, told } = watch()
  await pass(300)
  await miss(976)
  assert.equal(told, [])
  await miss(975)
  assert.equal(told, ['miss'])
})
s('neither pings nor tells of anything once it is stopped [teeth/pings]', async () => {
  const idle = watch()
  idle.stop()
  await idle.pass(1_000)
  assert.is(idle.count(), 0)
  mock.restoreAll()
  mock.timers.reset()
  const { pass, miss, stop, told, count } = watch()
  await pass(300)
  stop()
  await miss()
  await pass(1_000)
  assert.equal([told, count()], [[], 1])
})
s(
  'excuses three misses for which it got no processor, by more than half [teeth/pings]',
  async () => {
    /** How many misses are told of in five, by what its threads did of each millisecond. */
    const toldBy = async (ran: number, waited: number) => {
      let atMs = 0
      const { pass, miss, told } = watch({
        readTurns: () => ({ ranMs: ran * atMs, waitedMs: waited * atMs }),
      })
      await pass(300)
      for (let n = 0; n < 4; n += 1) {
        await pass(150)
        atMs += 500
        await miss(500)
      }
      mock.restoreAll()
      mock.timers.reset()
      return told.length
    }
    assert.equal([await toldBy(0, 1), await toldBy(0.49, 0.51)], [1, 1])
    assert.equal([await toldBy(0, 0.5), await toldBy(0.5, 1)], [2, 2])
  },
)
s('looks at its threads where an answer is late, and not before [teeth/pings]', async () => {
  let looks = 0
  const { pass, answer } = watch({
    readTurns() {
      looks += 1
      return undefined
    },
  })
  await pass(300)
  await pass(149)
  await answer()
  await pass(300)
  assert.is(looks, 0)
  await pass(150)
  assert.is(looks, 1)
})
s.run()
