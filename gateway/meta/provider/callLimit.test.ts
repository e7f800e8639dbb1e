import { mock } from 'node:test'
import { makeRequest, router, usdc } from '../../../fixtures/meta/quotes.ts'
import { usdcToWeth } from '../../../fixtures/providers/bodies.ts'
import {
  answerRecorded,
  type ProviderAnswer,
  type ProviderCall,
  startRecordingServer,
} from '../../../fixtures/providers/recordingServer.ts'
import { assert, suite } from '../../../fixtures/test.ts'
import { defaultLimits, dispatchSource } from '../dispatch.ts'
import { type ProviderSetting, startProviders } from '../sources/providers.ts'
import { withExactOutput } from '../withExactOutput.ts'
import { createCallLimit } from './callLimit.ts'
import { createTicket } from './ticket.ts'

/** A provider's limits hold for each call over the wire, and a quote may take many. */
const s = suite('meta/provider/createCallLimit')
const server = await startRecordingServer()
s.after(() => server.close())
let nowMs = 1_000_000
const open: { close(): Promise<void> }[] = []
s.after.each(async () => {
  mock.timers.reset()
  server.calls.length = 0
  for (const http of open.splice(0)) await http.close()
})

function start(setting: Omit<ProviderSetting, 'baseUrl'>, now: () => number, timeoutMs = 30_000) {
  const baseUrl = `${server.url}/${setting.name}`
  const deps = { now, gasPriceWei: async () => 1n }
  const [one] = startProviders(deps, { settings: [{ ...setting, baseUrl }], allowPrivate: true })
  if (!one) throw new Error('no provider')
  open.push(one.http)
  const limits = { ...defaultLimits, timeoutMs }
  return dispatchSource({ now }, { source: withExactOutput(one.source), limits })
}
const signal = new AbortController().signal
const context = (caller: string) => ({ signal, onRetry: () => undefined, caller })
const sell = (amountIn: bigint) => makeRequest({ trade: { type: 'exactInput', amountIn } })
const buy = (targetOut: bigint) =>
  makeRequest({ trade: { type: 'exactOutput', targetOut, maxIn: 10n ** 18n } })

/** A constant-product pool: an exact output takes the reverse quote and several corrections. */
const pool = ({ query }: ProviderCall): ProviderAnswer => {
  const [x, y] = query['src'] === usdc ? [10n ** 9n, 10n ** 12n] : [10n ** 12n, 10n ** 9n]
  const paid = BigInt(query['amount'] ?? 0) * 997n
  const dstAmount = ((paid * y) / (x * 1_000n + paid)).toString()
  return { body: { dstAmount, tx: { to: router, data: '0x12345678aa', value: '0' } } }
}
const key = 'k'

s(
  'makes no call within a pause, whichever call of an exact output it was asked at [strangers/pause-per-call]',
  async () => {
    for (const refused of [1, 2, 3]) {
      let calls = 0
      server.answerWith((call) => {
        calls++
        return calls === refused
          ? { status: 429, headers: { 'retry-after': '60' }, body: '' }
          : pool(call)
      })
      const source = start({ name: '1inch', key }, () => nowMs)
      await source.quote(buy(10n ** 11n), context('a'))
      const first = calls
      for (const target of [2n, 3n, 4n]) {
        await source.quote(buy(target * 10n ** 10n), context('a'))
        await source.quote(sell(target), context('b'))
      }
      assert.is(first, refused)
      assert.is(calls, first, `refused at call ${refused}`)
      assert.is(source.state().retryAfterMs, 60_000)
      nowMs += 60_000
      await source.quote(sell(500_000_000n), context('a'))
      assert.ok(calls > first)
    }
  },
)

s(
  'starts no more calls in any second than it may, and leaves nobody out [meta/call-rate]',
  async () => {
    server.answerWith(pool)
    const begunMs = performance.now()
    const source = start({ name: '1inch', key, perSecond: 4 }, () => performance.now())
    const asked = [
      source.quote(sell(500_000_000n), context('a')),
      source.quote(buy(10n ** 11n), context('a')),
      source.quote(buy(3n * 10n ** 11n), context('b')),
    ]
    const outcomes = await Promise.all(asked)
    assert.equal(
      outcomes.map(({ status }) => status),
      ['quote', 'quote', 'quote'],
    )
    const times = server.calls.map(({ atMs }) => atMs - begunMs).sort((a, b) => a - b)
    assert.ok(times.length >= 6, `${times.length}`)
    // A busy machine has calls arrive late, and none before it was started.
    for (const [index, arrivedMs] of times.entries())
      assert.ok(arrivedMs >= Math.floor(index / 4) * 1_000 - 1, `${times}`)
  },
)

s('has no more starts in a second than it may, wherever it begins [meta/call-window]', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let atMs = 0
  const limit = createCallLimit({ perSecond: 4, now: () => atMs })
  const starts: number[] = []
  const ask = (caller: string) =>
    limit.run({ caller, ticket: createTicket({ caller }), signal }, async () => {
      starts.push(atMs)
      return { status: 'ok', body: {}, text: '{}' }
    })
  const runUntil = async (endMs: number) => {
    while (atMs < endMs) {
      atMs += 1
      mock.timers.tick(1)
      await new Promise(setImmediate)
    }
  }
  const asked = [ask('a')]
  await runUntil(900)
  for (let n = 0; n < 9; n += 1) asked.push(ask(n % 2 === 0 ? 'a' : 'b'))
  await runUntil(2_900)
  await Promise.all(asked)
  assert.equal(starts, [0, 900, 900, 900, 1_000, 1_900, 1_900, 1_900, 2_000, 2_900])
})

s('lets an honest caller through while four others ask without end', async () => {
  const velora = usdcToWeth()['velora'] ?? {}
  server.answerWith(answerRecorded({ velora }))
  const source = start({ name: 'velora', perSecond: 10 }, () => performance.now())
  const leaving = new AbortController()
  const flood = Array.from({ length: 500 }, (_, at) =>
    source
      .quote(sell(BigInt(at + 1)), {
        ...context(`flood ${at % 4}`),
        signal: leaving.signal,
      })
      .catch(() => undefined),
  )
  const outcome = await source.quote(sell(500_000_000n), context('honest'))
  assert.is(outcome.status, 'quote')
  leaving.abort(new Error('left'))
  await Promise.all(flood)
})

s(
  'has whoever joins a question take its turn in his own name [strangers/joined-rate]',
  async () => {
    server.answerWith(pool)
    const source = start({ name: '1inch', key, perSecond: 2 }, () => performance.now())
    const leaving = new AbortController()
    const flood = Array.from({ length: 8 }, (_, at) =>
      source
        .quote(sell(BigInt(at + 1) * 1_000_000n), { ...context('flood'), signal: leaving.signal })
        .catch(() => undefined),
    )
    const outcome = await source.quote(sell(8_000_000n), context('honest'))
    assert.is(outcome.status, 'quote')
    // Calls of the test before may arrive late.
    const amounts = server.calls.flatMap(({ provider, query }) =>
      provider === '1inch' ? [query['amount']] : [],
    )
    // Two at once, and after a second one of the crowd's and one of his.
    assert.ok(amounts.indexOf('8000000') < 4, `${amounts}`)
    assert.is(amounts.filter((amount) => amount === '8000000').length, 1)
    leaving.abort(new Error('left'))
    await Promise.all(flood)
  },
)

s("does not take the wait in our own line for a provider's time [meta/turn-time]", async () => {
  server.answerWith(pool)
  const source = start({ name: '1inch', key, perSecond: 1 }, () => performance.now(), 1_900)
  const outcomes = await Promise.all(
    [1n, 2n, 3n].map((times) => source.quote(sell(times * 1_000_000n), context('a'))),
  )
  assert.equal(
    outcomes.map(({ status }) => status),
    ['quote', 'quote', 'quote'],
  )
})

s.run()
