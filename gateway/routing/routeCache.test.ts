import { assert, suite } from '../../fixtures/test.ts'
import { createRouteCache, type RouteFacts } from './routeCache.ts'
import {
  createAskers,
  createSearchQueue,
  findShared,
  mostWaiting,
  SearchRefused,
} from './searchQueue.ts'
import { createSyncedState } from './sync/syncedState.ts'

const s = suite('routing/routeCache')
const route = { amountIn: 1n, amountOut: 1n, gas: 0, steps: [] }
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 1n } as const
const facts: RouteFacts = {
  routePath: '',
  gasEstimate: 0n,
  priceImpactBps: 0,
  marketImpactBps: undefined,
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
      cache.facts(route, `${ends} ${measured}`, () => {
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

s.run()
