import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import {
  answerQuote,
  bareChain,
  listRouter,
  makeRequest,
  scriptSource,
} from '../../../fixtures/meta/quotes.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import type { Source, SourceOutcome } from '../provider/source.ts'
import type { DryRun } from '../simulateQuotes.ts'
import { type Pause, type StreamDeps, type StreamParameters, streamQuotes } from './stream.ts'

/** Streams to a sink and by pauses of the test's own; `stream.test.ts` reads them over HTTP. */
const s = suite('meta/stream, step by step')
type Given = Partial<Pick<StreamParameters, 'options' | 'spend'>> & {
  readonly policy?: StreamParameters['request']['policy']
  readonly sources?: readonly Source[]
  readonly dryRun?: DryRun
  readonly priceGas?: StreamDeps['priceGas']
  /** By the clock of the machine. */
  readonly isReal?: boolean
}
const quoteOf = (provider: string) => answerQuote({ provider })
const runs: DryRun = async ({ candidates }) => ({
  blockNumber: 9n,
  blockHash: '0x09',
  results: candidates.map(() => ({ status: 'ok', amountOut: 990n, gasUsed: 5n })),
})

function open({ options, spend, dryRun, priceGas, isReal = false, ...given }: Given = {}) {
  const { sources = [scriptSource({ name: 'a', answer: quoteOf('a') })] } = given
  const events: (readonly [event: string, data: Record<string, unknown>])[] = []
  const faults: string[] = []
  const pauses: { readonly ms: number; readonly end: () => void }[] = []
  /** Where a client does not read: resolves when it does. */
  let reads: Promise<void> | undefined
  const leaving = new AbortController()
  const send = (event: string, data: unknown) => {
    events.push([event, data as Record<string, unknown>])
    return reads === undefined
  }
  const pause: Pause = (ms, signal) =>
    new Promise((resolve) => {
      pauses.push({ ms, end: resolve })
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  const ended = streamQuotes(
    {
      now: () => 0,
      onFault: ({ provider }) => void faults.push(provider),
      sourcesFor: () => sources,
      targets: listRouter(sources),
      ...bareChain,
      deadlineMs: 2_000,
      patienceMs: 1_000,
      priceGas: priceGas ?? (async () => undefined),
      findProxy: async () => undefined,
      dryRunOf: () => dryRun,
      ...(!isReal && { pause }),
    },
    {
      request: {
        source: makeRequest(),
        policy: given.policy ?? 'standard',
        dryRun: dryRun !== undefined,
        proxy: undefined,
      },
      options: options ?? { firstN: 1, mustInclude: [] },
      tracking: { dryRun: false, clientId: null, requestId: 'r' },
      sink: { send, done: (event, data) => void send(event, data), drained: async () => reads },
      spend,
      signal: leaving.signal,
    },
  )
  const names = () => events.map(([event]) => event)
  return {
    ended,
    events,
    names,
    faults,
    pauses,
    signal: leaving.signal,
    leave: () => leaving.abort(new Error('left')),
    holdReads() {
      const { promise, resolve } = Promise.withResolvers<void>()
      reads = promise
      return () => {
        reads = undefined
        resolve()
      }
    },
    /** Resolves when so many such events were sent. */
    async until(event: string, count = 1) {
      for (let left = 2_000; left > 0; left -= 1) {
        if (names().filter((name) => name === event).length >= count) return
        await turn()
      }
      throw new Error(`no ${event}: ${names()}`)
    },
    async rest() {
      for (let left = 20; left > 0; left -= 1) await turn()
    },
  }
}

s('says nothing more to who has left, whatever comes of what is under way', async () => {
  const late = Promise.withResolvers<SourceOutcome>()
  const waiting = open({ sources: [scriptSource({ name: 'a', answer: () => late.promise })] })
  waiting.leave()
  late.resolve(quoteOf('a'))
  await waiting.ended
  assert.equal(waiting.names(), [])

  const gate = Promise.withResolvers<void>()
  const running = open({
    dryRun: async (asked) => {
      await gate.promise
      return runs(asked)
    },
  })
  await running.until('initial')
  await running.rest()
  running.leave()
  gate.resolve()
  await running.ended
  assert.equal([running.names(), running.faults], [['initial'], []])

  const [begun, proof] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const proving = open({
    policy: 'strict',
    dryRun: async (asked) => {
      begun.resolve()
      await proof.promise
      return runs(asked)
    },
  })
  await begun.promise
  proving.leave()
  proof.resolve()
  await proving.ended
  assert.equal([proving.names(), proving.faults], [[], []])
})
s('repeats as long as there is something to spend, and says what there is not', async () => {
  const answers = [undefined, undefined, 'payment_required']
  let asked = 0
  const stream = open({
    options: { firstN: 1, mustInclude: [], refreshIntervalMs: 1_000 },
    async spend() {
      asked += 1
      return answers[asked - 1]
    },
  })
  for (const cycle of [1, 2, 3]) {
    for (let left = 2_000; left > 0 && stream.pauses.length < cycle; left -= 1) await turn()
    // The first cycle was paid for.
    assert.is(asked, cycle - 1)
    stream.pauses[cycle - 1]?.end()
  }
  await stream.ended
  const cycle = ['refresh', 'quote']
  assert.equal(stream.names(), ['initial', ...cycle, ...cycle, 'done'])
  assert.equal(
    stream.events.filter(([event]) => event === 'refresh').map(([, data]) => data['cycle']),
    [1, 2],
  )
  const [, done] = stream.events.at(-1) ?? []
  assert.equal(
    [done?.['reason'], done?.['quoteType'], asked],
    ['payment_required', 'exactInput', 3],
  )
})
s(
  'shows that it lives at its own pace, with how often it has repeated, until it ends',
  async () => {
    const stream = open({
      options: { firstN: 1, mustInclude: [], keepAliveMs: 7, refreshIntervalMs: 1_000 },
    })
    await stream.until('initial')
    await stream.rest()
    const beat = () => stream.pauses.findLast(({ ms }) => ms === 7)?.end()
    const told = () =>
      stream.events.flatMap(([event, data]) =>
        event === 'keep_alive' ? [data['refreshesDone']] : [],
      )
    beat()
    await stream.until('keep_alive')
    assert.equal(told(), [0])
    stream.pauses.find(({ ms }) => ms > 7)?.end()
    await stream.until('quote')
    await stream.rest()
    beat()
    await stream.until('keep_alive', 2)
    assert.equal(told(), [0, 1])
    const count = stream.pauses.length
    stream.leave()
    await stream.ended
    await stream.rest()
    assert.equal([told().length, stream.pauses.length], [2, count])
  },
)
s('has a client that does not read have no newer quotes until it does', async () => {
  const stream = open({ options: { firstN: 1, mustInclude: [], refreshIntervalMs: 1_000 } })
  const read = stream.holdReads()
  await stream.until('initial')
  await stream.rest()
  stream.pauses[0]?.end()
  await stream.rest()
  assert.equal(stream.names(), ['initial'])
  read()
  await stream.until('refresh')
  stream.leave()
  await stream.ended
})
s('ends all the same after a fault of its own in a dry run behind a quote', async () => {
  const priceGas = () => Promise.reject(new Error('a bug'))
  const stream = open({ dryRun: runs, priceGas })
  await stream.ended
  assert.equal([stream.names(), stream.faults], [['initial', 'done'], ['stream']])
})
s('dry-runs nothing behind an answer without a quote', async () => {
  let asked = 0
  const stream = open({
    sources: [scriptSource({ name: 'a', answer: { status: 'failure', reason: 'no_route' } })],
    dryRun: async (given) => {
      asked += 1
      return runs(given)
    },
    priceGas: async () => {
      asked += 1
      return undefined
    },
  })
  await stream.ended
  assert.equal([stream.names(), asked, stream.faults], [['initial', 'done'], 0, []])
})
s('leaves no timer and nobody who listens behind, whoever ends it', async () => {
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = countTimers()
  const options = { firstN: 1, mustInclude: [], keepAliveMs: 60_000, refreshIntervalMs: 60_000 }
  const left = open({ isReal: true, options })
  await left.until('initial')
  await left.rest()
  assert.is(countTimers(), before + 2)
  left.leave()
  await left.ended
  assert.is(countTimers(), before)
  const spent = open({
    isReal: true,
    options: { ...options, refreshIntervalMs: 5 },
    spend: async () => 'payment_required',
  })
  await spent.ended
  assert.equal(spent.names(), ['initial', 'done'])
  assert.equal([countTimers(), getEventListeners(spent.signal, 'abort').length], [before, 0])
})
s('tells how long it took by its own clock, in whole milliseconds', async () => {
  const stream = open()
  const startedAtMs = performance.now()
  await stream.ended
  for (const [, data] of stream.events) {
    const elapsedMs = Number(data['elapsedMs'])
    assert.ok(Number.isSafeInteger(elapsedMs))
    assert.ok(elapsedMs >= 0 && elapsedMs <= Math.ceil(performance.now() - startedAtMs) + 1)
  }
})
s.run()
