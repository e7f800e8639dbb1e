import { assert, suite } from '../../fixtures/test.ts'
import type { StreamEvent } from '../client/streamQuotes.ts'
import type { Quote } from '../client/wire/meta.ts'
import { createWarnings } from '../ops/readiness.ts'
import { readChainStatus } from '../routing/registry.ts'
import { adviceFor } from './page/state/advice.ts'
import { countFailures, leaderOf, runOn, startRace } from './page/state/race.ts'
import { addRecent, readRecent } from './page/state/recent.ts'
import { goBack, keep, noSnapshots } from './page/state/snapshots.ts'
import { rangesOf, rangesOfBins } from './page/state/ticks.ts'

/** What pages keep of what they are told. */
const s = suite('console/pageStates')

function quoteOf(provider: string, amountOut: string, rest: Partial<Quote> = {}): Quote {
  return {
    provider,
    amountIn: '1',
    amountOut,
    minAmountOut: amountOut,
    target: '0x',
    approveTarget: null,
    calldata: '0x',
    value: '0',
    gasEstimate: 1,
    taxInBps: 0,
    taxOutBps: 0,
    telemetry: { elapsedMs: 7, attempts: 2, receivedAtMs: 0 },
    simulation: { status: 'pending' },
    ...rest,
  }
}
/** What of an event the page does not read is left out. */
const told = (event: string, data: object) => ({ event, id: '1', data }) as unknown as StreamEvent

s('a race knows who leads from when on, by what is delivered less gas [console/race-told]', () => {
  const failed = { provider: 'c', elapsedMs: 9, attempts: 3, reason: 'timeout: 9 ms' }
  const events = [
    told('initial', { quotes: [quoteOf('a', '100')], responses: [failed] }),
    told('quote', { quote: quoteOf('b', '130', { gasCost: '40' }) }),
    told('quote', { quote: quoteOf('d', '120') }),
    told('sim_update', { provider: 'd', simulation: { status: 'reverted', error: 'no' } }),
    told('keep_alive', {}),
  ]
  const race = events.reduce((so, event, at) => runOn(so, event, at), startRace(['a', 'b', 'c']))
  assert.equal(
    race.leads.map(({ atMs, provider }) => `${atMs} ${provider}`),
    ['0 a', '2 d', '3 a'],
  )
  assert.is(leaderOf(race.lanes)?.provider, 'a')
  assert.equal(countFailures(race.lanes), [['timeout', 1]])
  assert.equal([race.keptAlive, race.end], [1, undefined])
  const over = [told('refresh', { cycle: 1 }), told('done', { elapsedMs: 50, reason: 'stopping' })]
  const { lanes, refreshes, end } = over.reduce((so, event) => runOn(so, event, 9), race)
  assert.is(lanes.filter(({ tookMs }) => tookMs === undefined).length, 4)
  assert.equal([refreshes, end], [1, { elapsedMs: 50, reason: 'stopping' }])
})

s('each warning of a gateway comes with what to do about it [console/advice]', () => {
  const head = { number: 1n, timestampSecs: 0n }
  const stale = { current: () => ({ head }), lagMs: () => 60_000 }
  const chainOf = (sync: object, other?: number) => ({
    chainId: 1,
    chainClient: { chain: { name: 'Base' }, otherChain: () => other, standsStill: () => 'chain' },
    sync,
  })
  const chains = [chainOf(stale, 10), chainOf({ ...stale, current: () => undefined })]
  const status = readChainStatus({
    chains: new Map(chains.map((chain, id) => [id, chain])),
    simulator: { status: () => ({ ready: false }) },
    maxLagMs: 10_000,
  } as never)
  const disconnected = { isConnected: () => false } as never
  const { observeCharge, warnings } = createWarnings({ buckets: disconnected })
  observeCharge('refused')
  const said = [...new Set([...status.flatMap(({ troubles }) => troubles), ...warnings()])]
  assert.equal(
    said.map((warning) => [warning.replace(/^Base: /, ''), adviceFor(warning).split(/[.;]/)[0]]),
    [
      ['an RPC endpoint serves chain 10 instead', 'Correct that URL in the settings'],
      [
        'its pools are over 10 s old',
        'Look at the chain’s node: compare its head with another one’s',
      ],
      ['no simulation fork is ready', 'Dry runs wait'],
      ['its pools are not loaded', 'Quotes of this chain wait for their first read'],
      [
        'the shared rate limits do not answer: each gateway limits by itself',
        'Look at the Redis that REDIS_URL names',
      ],
      ['the database has refused the last charge', 'Look at the database’s disk and log'],
    ],
  )
  assert.is(adviceFor('something else'), 'The log has the details.')
})

s('the ranges of a pool are the nearest to its price, as parts of the greatest', () => {
  const nets = ['5', '5', '-4', '10', '-16']
  const ticks = nets.map((liquidity_net, at) => ({
    index: at * 10,
    liquidity_gross: '0',
    liquidity_net,
  }))
  const shown = rangesOf(ticks, { current: 12, most: 3 })
  assert.equal(
    shown.map(({ from, to, liquidity }) => `${from} ${to} ${liquidity}`),
    ['0 10 5', '10 20 10', '20 30 6'],
  )
  assert.equal(
    shown.map(({ part, isCurrent }) => [part, isCurrent]),
    [
      [500, false],
      [1_000, true],
      [600, false],
    ],
  )
  assert.is(rangesOf(ticks, { current: -900, most: 9 }).length, 4)
  assert.equal(rangesOf([], { current: 0, most: 3 }), [])
})

s('the bins of a pool are drawn like ticks, the active one apart [console/bins]', () => {
  const held = ['9', '20', '40', '10'].map((liquidity, at) => ({
    id: 100 + at,
    reserve0: '0',
    reserve1: liquidity,
    liquidity,
  }))
  const shown = rangesOfBins(held, { current: 102, most: 3 })
  assert.equal(
    shown.map(({ from, part, isCurrent }) => [from, part, isCurrent]),
    [
      [101, 500, false],
      [102, 1_000, true],
      [103, 250, false],
    ],
  )
})

s('a chain that goes back forgets what it was told to keep since [console/snapshots]', () => {
  const ids = ['0x1', '0x2', '0x3']
  const three = ids.reduce((so, id) => keep(so, { chainId: 1, id }), noSnapshots)
  const other = keep(three, { chainId: 2, id: '0x9' })
  const second = other.kept[1]
  assert.ok(second)
  const back = goBack(other, second, '0x4')
  assert.equal(
    back.kept.map(({ id, parent, isGone }) => [id, parent, isGone]),
    [
      ['0x1', undefined, false],
      ['0x4', 1, false],
      ['0x3', 2, true],
      ['0x9', undefined, false],
    ],
  )
  assert.equal(back.current, { 1: 2, 2: 4 })
  assert.is(keep(back, { chainId: 1, id: '0x5' }).kept.at(-1)?.parent, 2)
})

s(
  'an order of late stands once, the newest first, and whatever a browser keeps is read [console/recent]',
  () => {
    const order = { chain: '8453', sell: 'WETH', amount: '1', buy: 'USDC' }
    const others = ['2', '3', '4', '5', '6'].map((amount) => ({ ...order, amount }))
    const kept = [order, ...others].reduce(addRecent, [] as ReturnType<typeof readRecent>)
    assert.equal(
      kept.map(({ amount }) => amount),
      ['6', '5', '4', '3', '2'],
    )
    assert.equal(
      addRecent(kept, { ...order, amount: '4', sell: 'weth' }).map(({ amount }) => amount),
      ['4', '6', '5', '3', '2'],
    )
    assert.equal(readRecent(JSON.stringify([order, 7, null, {}, { chain: 1 }])), [order])
    for (const text of [null, '', '{', '7', '{"a":1}']) assert.equal(readRecent(text), [])
  },
)

s('a race that goes on for long tells of its last leads', () => {
  const leads = Array.from({ length: 200 }, (_, at) =>
    told('quote', { quote: quoteOf(at % 2 ? 'a' : 'b', String(100 + at)) }),
  )
  const race = leads.reduce((so, event, at) => runOn(so, event, at), startRace([]))
  assert.equal([race.leads.length, race.leads.at(-1)?.atMs], [50, 199])
})

s.run()
