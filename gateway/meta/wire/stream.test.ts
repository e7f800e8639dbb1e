import { readEvents, type StreamEvent } from '../../../fixtures/meta/events.ts'
import {
  answerQuote,
  bareChain,
  router,
  type ScriptedSource,
  scriptSource,
  taker,
  usdc,
  weth,
} from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { createService } from '../../http/service.ts'
import { checkShape } from '../../http/validate.ts'
import { fail } from '../provider/source.ts'
import type { DryRun } from '../simulateQuotes.ts'
import { metaRoutes } from './routes.ts'
import { streamEvents } from './streamEvents.ts'

const s = suite('meta/stream')
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const proxy = '0x4444444444444444444444444444444444444444'

let sources: readonly ScriptedSource[] = []
let dryRun: DryRun | undefined
let priceGas: () => Promise<undefined>
const faults: string[] = []
const names = ['a', 'b', 'c']
const targets = names.map((provider) => ({
  provider,
  chainId: 8453,
  targets: [router],
  spenders: [router],
}))
const deps: Parameters<typeof metaRoutes>[0] = {
  now: Date.now,
  onFault: ({ provider }) => void faults.push(provider),
  sourcesFor: () => sources,
  targets,
  ...bareChain,
  deadlineMs: 2_000,
  patienceMs: 1_000,
  priceGas: () => priceGas(),
  findProxy: async () => undefined,
  dryRunOf: () => dryRun,
  chainIds: [8453],
  sourceNames: names,
  sourceStates: () => [],
  leftOut: [],
}
const start = (given: Partial<typeof deps> = {}) =>
  createService({
    name: 'meta',
    endpoints: metaRoutes({ ...deps, ...given }),
    requestIdField: 'requestId',
    log,
  }).listen()
const server = await start()
s.after(() => server.close())
s.before.each(() => {
  dryRun = undefined
  priceGas = async () => undefined
  faults.length = 0
  sources = [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a', amountOut: 1_000n }) }),
    scriptSource({
      name: 'b',
      delayMs: 40,
      answer: answerQuote({ provider: 'b', amountOut: 1_100n }),
    }),
    scriptSource({ name: 'c', delayMs: 20, answer: fail('no_route') }),
  ]
})

const body = { chainId: 8453, tokenIn: usdc, tokenOut: weth, amountIn: '1000000', taker }
const open = (change: Record<string, unknown> = {}, init: RequestInit = {}, { url } = server) =>
  fetch(`${url}/quote/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'r1' },
    body: JSON.stringify({ ...body, ...change }),
    ...init,
  })
async function readAll(change: Record<string, unknown> = {}): Promise<StreamEvent[]> {
  const res = await open(change)
  const events: StreamEvent[] = []
  for await (const event of readEvents(res.body)) events.push(event)
  for (const { event, data } of events) {
    const problem = checkShape(streamEvents[event as keyof typeof streamEvents], data)
    assert.is(problem, undefined, `${event}: ${problem}`)
  }
  return events
}
function dataOf<data>(event: StreamEvent | undefined): data {
  if (!event) throw new Error('there is no such event')
  return event.data as data
}
const namesOf = (events: readonly StreamEvent[]) => events.map(({ event }) => event)
type Initial = {
  best: { provider: string } | null
  quotes: { provider: string; simulation: { status: string } }[]
  failures: { provider: string }[]
  dispatched: number
  simulation: {
    winnerProviderId?: string
    simulated: number
    elapsedMs: number
    blockNumber: number | null
  }
}
type Late = {
  quote: { provider: string; simulation: { status: string } }
  proxyTx?: { minOut: string }
}

s(
  'sends initial with the first quote, late quotes after, then done [meta/stream-once]',
  async () => {
    const events = await readAll()
    assert.equal(namesOf(events), ['initial', 'quote', 'done'])
    assert.equal(
      events.map(({ id }) => id),
      ['r1:1', 'r1:2', 'r1:done'],
    )
    const initial = events[0]?.data as Initial
    assert.is(initial.best?.provider, 'a')
    assert.is(initial.quotes.length, 1)
    assert.is(initial.dispatched, 3)
    assert.is(dataOf<Late>(events[1]).quote.provider, 'b')
    assert.equal(Object.keys(dataOf<object>(events[2])), ['elapsedMs', 'quoteType', 'tracking'])
  },
)

s('waits with initial for firstN quotes, or until all have answered [meta/first-n]', async () => {
  assert.equal(namesOf(await readAll({ firstN: 2 })), ['initial', 'done'])
  const events = await readAll({ firstN: 32 })
  assert.equal(namesOf(events), ['initial', 'done'])
  assert.is(dataOf<Initial>(events[0]).best?.provider, 'b')
  assert.equal(dataOf<Initial>(events[0]).failures, [{ provider: 'c', reason: 'no_route' }])
})

s(
  'waits with initial for the sources of mustInclude, also when they fail [meta/must-include]',
  async () => {
    const events = await readAll({ mustInclude: ['c'] })
    assert.equal(namesOf(events), ['initial', 'quote', 'done'])
    assert.equal(
      dataOf<Initial>(events[0]).failures.map(({ provider }) => provider),
      ['c'],
    )
    assert.equal(namesOf(await readAll({ mustInclude: ['b'] })), ['initial', 'done'])
  },
)

s('ends with initial and done when every source fails [meta/stream-all-fail]', async () => {
  sources = [scriptSource({ name: 'a', answer: fail('no_route') })]
  const events = await readAll()
  assert.equal(namesOf(events), ['initial', 'done'])
  assert.is(dataOf<Initial>(events[0]).best, null)
})

s('sends pending quotes at once and a sim_update for each [meta/pending]', async () => {
  dryRun = async ({ candidates }) => ({
    blockNumber: 9n,
    blockHash: '0x09',
    results: candidates.map(() => ({ status: 'ok', amountOut: 990n, gasUsed: 5n })),
  })
  const events = await readAll({ dryRun: true })
  const [initial] = events
  assert.is(dataOf<Initial>(initial).quotes[0]?.simulation.status, 'pending')
  const late = events.find(({ event }) => event === 'quote')
  assert.is(dataOf<Late>(late).quote.simulation.status, 'pending')
  const updates = events.filter(({ event }) => event === 'sim_update')
  assert.equal(
    updates.map(({ data }) => data),
    ['a', 'b'].map((provider) => ({
      provider,
      simulation: {
        status: 'success',
        actualOutput: '990',
        accuracyBps: provider === 'a' ? 9_900 : 9_000,
        gasUsed: 5,
        blockNumber: 9,
      },
      tracking: { dryRun: true, clientId: null, requestId: 'r1' },
    })),
  )
  assert.is(events.at(-1)?.event, 'done')
})

s(
  'is done when the last dry run is, however long after the last quote [teeth/stream-done]',
  async () => {
    const gate = Promise.withResolvers<void>()
    dryRun = async ({ candidates }) => {
      await gate.promise
      const results = candidates.map(
        () => ({ status: 'ok', amountOut: 990n, gasUsed: 5n }) as const,
      )
      return { blockNumber: 9n, blockHash: '0x09', results }
    }
    const seen: string[] = []
    for await (const { event } of readEvents((await open({ dryRun: true })).body)) {
      seen.push(event)
      // Of three sources the one with the late quote is the last.
      if (event === 'quote') gate.resolve()
    }
    assert.equal(seen, ['initial', 'quote', 'sim_update', 'sim_update', 'done'])
  },
)

s(
  'has its place again for who comes after it, and none meanwhile [teeth/stream-place]',
  async () => {
    const own = await start({ streamCaps: { total: 1, perAddress: 1 } })
    const [answer, release] = [answerQuote({ provider: 'a' }), Promise.withResolvers<void>()]
    sources = [
      scriptSource({
        name: 'a',
        answer: async () => {
          await release.promise
          return answer
        },
      }),
    ]
    const first = await open({}, {}, own)
    const second = await open({}, {}, own)
    assert.equal([second.status, second.headers.get('retry-after')], [429, '5'])
    release.resolve()
    await first.text()
    const third = await open({}, {}, own)
    await third.text()
    assert.equal([first.status, third.status], [200, 200])
    await own.close()
  },
)

s('shows nothing unproved under the strict policy [meta/strict-stream]', async () => {
  dryRun = async ({ candidates }) => ({
    blockNumber: 9n,
    blockHash: '0x09',
    results: candidates.map(() => ({ status: 'ok', amountOut: 1_050n, gasUsed: 5n })),
  })
  const events = await readAll({ calldataPolicy: 'strict' })
  assert.equal(namesOf(events), ['initial', 'done'])
  assert.is(dataOf<Initial>(events[0]).quotes[0]?.simulation.status, 'success')
})

s('says in a strict initial what was simulated for it [meta/strict-initial]', async () => {
  const open = Promise.withResolvers<void>()
  let runs = 0
  dryRun = async () => {
    const run = ++runs
    // Both are under way before either ends, the first on an older block.
    if (run === 2) open.resolve()
    await open.promise
    const amountOut = run === 1 ? 990n : 1_095n
    return {
      blockNumber: BigInt(8 + run),
      blockHash: '0x09',
      results: [{ status: 'ok', amountOut, gasUsed: 5n }],
    }
  }
  const names = (simulation: object) => Object.keys(simulation).sort()
  const [strict] = await readAll({ calldataPolicy: 'strict', firstN: 32 })
  const { best, simulation } = dataOf<Initial>(strict)
  assert.is(best?.provider, 'b')
  assert.is(simulation.winnerProviderId, 'b')
  assert.is(simulation.simulated, 2)
  assert.is(simulation.blockNumber, 10)
  assert.ok(simulation.elapsedMs > 0)
  const fields = ['blockNumber', 'elapsedMs', 'ranking', 'simulated', 'winnerProviderId']
  assert.equal(names(simulation), fields)
  // Nothing has run yet when a quote goes out at once.
  const [standard] = await readAll({ firstN: 32 })
  const nothing = { simulated: 0, elapsedMs: 0, blockNumber: null, ranking: 'gross' }
  assert.equal(dataOf<Initial>(standard).simulation, nothing)
})

s(
  'counts in a strict initial the dry run of what it refused [meta/strict-initial-refused]',
  async () => {
    dryRun = async () => ({
      blockNumber: 9n,
      blockHash: '0x09',
      results: [{ status: 'simulation_failed', reason: 'no' }],
    })
    const [initial] = await readAll({ calldataPolicy: 'strict' })
    const { best, simulation } = dataOf<Initial>(initial)
    assert.is(best, null)
    assert.is(simulation.winnerProviderId, undefined)
    assert.is(simulation.simulated, 2)
    assert.is(simulation.blockNumber, 9)
  },
)

s('adds proxyTx beside each late quote [meta/stream-proxy]', async () => {
  const events = await readAll({ proxyAddress: proxy })
  assert.is(dataOf<Late>(events[1]).proxyTx?.minOut, '1094')
})

s('counts a number that no contract knows as a failure of its source', async () => {
  const amountOut = 10n ** 78n - 1n
  sources = [
    scriptSource({ name: 'a', answer: answerQuote({ provider: 'a', amountOut }) }),
    scriptSource({ name: 'b', delayMs: 40, answer: answerQuote({ provider: 'b' }) }),
  ]
  const events = await readAll({ proxyAddress: proxy })
  assert.equal(namesOf(events), ['initial', 'done'])
  const { best, failures } = dataOf<Initial>(events[0])
  assert.is(best?.provider, 'b')
  assert.equal(
    failures.map(({ provider }) => provider),
    ['a'],
  )
})

s('survives a fault of its own while a slow source is still awaited', async () => {
  priceGas = () => Promise.reject(new Error('a bug'))
  const events = await readAll({ calldataPolicy: 'strict' })
  assert.equal(namesOf(events), ['initial', 'done'])
  assert.equal(faults, ['a', 'b'])
})

s(
  'repeats with refresh and keep_alive until the client leaves, then aborts its sources [meta/repeats]',
  async () => {
    const leaving = new AbortController()
    const hung = scriptSource({ name: 'c', delayMs: 60_000, answer: fail('no_route') })
    const res = await open(
      { keepAliveMs: 1_000, refreshIntervalMs: 1_000 },
      { signal: leaving.signal },
    )
    const seen: StreamEvent[] = []
    try {
      for await (const event of readEvents(res.body)) {
        seen.push(event)
        if (event.event === 'refresh') sources = [...sources.slice(0, 2), hung]
        if (namesOf(seen).filter((name) => name === 'refresh').length === 2) leaving.abort()
      }
    } catch (error) {
      assert.is((error as Error).name, 'AbortError')
    }
    const keepAlive = seen.find(({ event }) => event === 'keep_alive')
    assert.equal(Object.keys(keepAlive?.data as object), ['elapsedMs', 'refreshesDone'])
    const refresh = seen.find(({ event }) => event === 'refresh')
    assert.is(dataOf<{ cycle: number }>(refresh).cycle, 1)
    assert.equal(Object.keys(refresh?.data as object), ['cycle', 'elapsedMs', 'tracking'])
    // After a refresh every source is heard again, the first of the first cycle included.
    const later = seen.slice(seen.findIndex(({ event }) => event === 'refresh'))
    assert.ok(
      later.some(({ event, data }) => event === 'quote' && (data as Late).quote.provider === 'a'),
    )
    const started = performance.now()
    while (!hung.signals.every((signal) => signal.aborted)) {
      if (performance.now() - started > 20_000) throw new Error('a source was never aborted')
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  },
)

s('answers 204 to a client that comes back after done [meta/stream-204]', async () => {
  const headers = { 'content-type': 'application/json', 'last-event-id': 'r1:done' }
  assert.is((await open({}, { headers })).status, 204)
})

const bad: [name: string, change: Record<string, unknown>, sentence: RegExp][] = [
  [
    'exactOutput',
    { quoteType: 'exactOutput', targetOut: '1', maxIn: '2' },
    /^quoteType must be exactInput/,
  ],
  ['no amountIn', { amountIn: undefined }, /^amountIn is required$/],
  ['keepAliveMs below a second', { keepAliveMs: 999 }, /^keepAliveMs must be >= 1000$/],
  ['refreshIntervalMs above a minute', { refreshIntervalMs: 60_001 }, /^refreshIntervalMs must be/],
  ['firstN of zero', { firstN: 0 }, /^firstN must be >= 1$/],
  ['firstN of 33', { firstN: 33 }, /^firstN must be <= 32$/],
  ['an unknown source', { mustInclude: ['nobody'] }, /^mustInclude\[0\] must be one of/],
  ['a string for mustInclude', { mustInclude: 'a' }, /^mustInclude must be an array$/],
]
for (const [name, change, sentence] of bad)
  s(`refuses ${name} with 400 before the stream opens [meta/malformed-stream]`, async () => {
    const res = await open(change)
    assert.is(res.status, 400)
    assert.match(res.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(((await res.json()) as { error: string }).error, sentence)
  })

s.run()
