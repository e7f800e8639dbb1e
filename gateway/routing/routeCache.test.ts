import { assert, suite } from '../../fixtures/test.ts'
import { createRouteCache, type RouteFacts } from './routeCache.ts'
import {
  createAskers,
  createSearchQueue,
  findShared,
  mostWaiting,
  SearchRefused,
} from './searchQueue.ts'
import { createSyncedState, type SyncedState } from './sync/syncedState.ts'

const s = suite('routing/routeCache')
const read = () => createSyncedState({ taxOf: () => 0 }, { head, records: [] })
const route = { amountIn: 1n, amountOut: 1n, gas: 0, steps: [] }
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 1n } as const
const facts: RouteFacts = {
  routePath: '',
  gasEstimate: 0n,
  priceImpactBps: 0,
  steps: [],
  hops: [],
  impactsBps: [],
  encodedSteps: '',
}

s('does not grow with what is measured while a route stands [strangers/facts]', () => {
  const cache = createRouteCache()
  let computed = 0
  const ask = (measured: number) => {
    for (const ends of ['false false', 'false true', 'true false', 'true true'])
      cache.facts(route.steps, `${ends} ${measured}`, () => {
        computed += 1
        return facts
      })
  }
  for (let measured = 0; measured < 100; measured++) for (let n = 0; n < 3; n++) ask(measured)
  assert.is(computed, 400, 'each is computed once')
  ask(0)
  assert.is(computed, 404, 'the first ones are forgotten')
})

s('refuses at once all whose places a shared search had [attack/joined-refused]', async () => {
  const cache = createRouteCache()
  const state = createSyncedState({ taxOf: () => 0 }, { head, records: [] })
  const searches = createSearchQueue()
  const gate = Promise.withResolvers<void>()
  const chainId = 1
  const others = Array.from({ length: mostWaiting + 1 }, (_, n) =>
    searches(() => gate.promise, { chainId, caller: `other ${n}` }),
  )
  let runs = 0
  const crowd = Array.from({ length: 50 }, (_, n) => {
    const asker = { caller: `key ${n}`, network: 'crowd' }
    const search: Parameters<typeof cache.find>[2]['search'] = async (others) => {
      runs += 1
      await Promise.resolve()
      return searches(async () => undefined, { ...asker, chainId, others })
    }
    return findShared(() => cache.find(state, 'asked', { search, asker }), asker)
  })
  const outcomes = await Promise.allSettled(crowd)
  assert.ok(
    outcomes.every((one) => one.status === 'rejected' && one.reason instanceof SearchRefused),
  )
  assert.is(runs, 1)
  gate.resolve()
  await Promise.all(others)
})

s('who shares a search takes no more room than who asks alone [attack/joined-room]', async () => {
  const searches = createSearchQueue()
  const gate = Promise.withResolvers<void>()
  const network = 'office'
  const ask = (from: { readonly caller: string; readonly network: string }) =>
    searches(() => gate.promise, { chainId: 1, ...from })
  const running = ask({ caller: 'running', network: 'other' })
  const others = createAskers()
  const shared = searches(() => gate.promise, { chainId: 1, caller: 'key 0', network, others })
  for (let n = 1; n < 100; n += 1) others.join({ caller: `key ${n}`, network })
  const alone = ask({ caller: 'key 1', network })
  const crowd = Array.from({ length: mostWaiting }, (_, n) =>
    ask({ caller: `crowd ${n}`, network: `network ${n % 8}` }),
  )
  gate.resolve()
  const refused = (await Promise.allSettled(crowd)).filter(({ status }) => status === 'rejected')
  assert.is(refused.length, 2)
  await Promise.all([running, shared, alone])
})

/** Questions of a cache, and how many of them were searched. */
function createBook() {
  const cache = createRouteCache()
  let searched = 0
  const search = async () => {
    searched += 1
    return route
  }
  return {
    cache,
    find: (state: SyncedState, key: string) => cache.find(state, key, { search }),
    searched: () => searched,
  }
}
s(
  'searches a question once for the pools of a state, unless that failed [teeth/cached]',
  async () => {
    const { cache, find, searched } = createBook()
    const state = read()
    await find(state, 'a')
    assert.is(find(state, 'a'), route)
    assert.is(find({ ...state, head: { ...head, number: 2n } }, 'a'), route, 'a block without news')
    await find(state, 'b')
    await find(read(), 'a')
    assert.is(searched(), 3)
    const fault = new Error('not now')
    const fell = cache.find(state, 'c', { search: () => Promise.reject(fault) })
    assert.is(await Promise.resolve(fell).catch((error: unknown) => error), fault)
    await find(state, 'c')
    assert.is(searched(), 4)
    // That there is none is an answer.
    await cache.find(state, 'd', { search: async () => undefined })
    assert.is(find(state, 'd'), undefined)
    assert.is(searched(), 4)
  },
)
s('counts what is searched ahead, and who asked for it [teeth/cached]', async () => {
  const { cache, find, searched } = createBook()
  const state = read()
  const ahead = (key: string) =>
    cache.ahead(state, key, async (_, worked) => {
      worked(500)
      worked(250)
      return route
    })
  assert.is(await ahead('a'), route)
  assert.is(ahead('a'), undefined)
  assert.equal(cache.aheadTally(), { searched: 1, secs: 0.75, asked: 0 })
  for (let n = 0; n < 2; n += 1) assert.is(find(state, 'a'), route)
  await find(state, 'b')
  assert.is(ahead('b'), undefined)
  assert.equal(cache.aheadTally(), { searched: 1, secs: 0.75, asked: 1 })
  assert.is(searched(), 1)
})
s('forgets the questions of a state beyond 4,096 of them [teeth/cached]', async () => {
  const { cache, find, searched } = createBook()
  const state = read()
  await cache.ahead(state, 'ahead', async () => route)
  for (let n = 1; n < 4_096; n += 1) await find(state, `${n}`)
  assert.is(find(state, '1'), route)
  await find(state, 'one more')
  assert.is(searched(), 4_096)
  await find(state, 'ahead')
  await find(state, '1')
  assert.is(find(state, 'one more'), route)
  assert.is(searched(), 4_098)
  assert.is(cache.aheadTally().asked, 0, 'what was forgotten was asked for by nobody')
})

s.run()
