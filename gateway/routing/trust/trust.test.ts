import { pad } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { poolOf } from '../engine/market.ts'
import type { PairRecord } from '../protocols/pair/uniswapV2Chain.ts'
import type { Part } from '../reads/readParts.ts'
import { createSyncedState } from '../sync/syncedState.ts'
import { fakeAddress } from '../testing/viewNode.ts'
import { createRests } from './rests.ts'
import { createTrust } from './trust.ts'

const s = suite('whose pools are believed')
const minute = 60_000
const hour = 60 * minute

function createStand() {
  const clock = { ms: 0 }
  const rests = createRests({ now: () => clock.ms })
  /** Minutes that it rests from now on, to the millisecond. */
  const restOf = (id: string) => {
    const from = clock.ms
    rests.add([id])
    let minutes = 0
    for (; rests.ids().includes(id); minutes += 1) {
      clock.ms = from + (minutes + 1) * minute - 1
      assert.ok(rests.ids().includes(id), `${minutes} minutes, but for a millisecond`)
      clock.ms += 1
    }
    return minutes
  }
  return { clock, rests, restOf }
}

s('who fell rests four times as long each time, and six hours at most [teeth/rests]', () => {
  const { restOf } = createStand()
  assert.equal(
    [1, 2, 3, 4, 5, 6, 7].map(() => restOf('p')),
    [1, 4, 16, 64, 256, 360, 360],
  )
  assert.is(restOf('q'), 1, 'each for itself')
})
s('who was quiet for a day begins anew [teeth/rests]', () => {
  const { clock, restOf } = createStand()
  restOf('p')
  clock.ms += 24 * hour - 1
  assert.is(restOf('p'), 4)
  clock.ms += 24 * hour
  assert.is(restOf('p'), 1)
})
s('each change has another number, and no look has [teeth/rests]', () => {
  const { clock, rests } = createStand()
  const first = rests.version()
  rests.add([])
  assert.is(rests.version(), first, 'nobody came')
  rests.add(['p', 'q'])
  const resting = rests.version()
  assert.ok(resting !== first)
  assert.equal([rests.ids(), rests.ids(), rests.version()], [['p', 'q'], ['p', 'q'], resting])
  clock.ms = minute
  assert.ok(rests.version() !== resting, 'they are back')
  assert.equal(rests.ids(), [])
})
s(
  'of ten thousand and more those are forgotten that rest no more, or else all [teeth/rests]',
  () => {
    const { clock, rests } = createStand()
    const many = (from: number, count: number) =>
      Array.from({ length: count }, (_, k) => `${from + k}`)
    rests.add(many(0, 9_999))
    clock.ms = minute
    rests.add(many(10_000, 2))
    assert.is(rests.ids().length, 2)
    rests.add(many(20_000, 9_998))
    assert.is(rests.ids().length, 10_000)
    rests.add(['one more'])
    assert.equal(rests.ids(), ['one more'])
  },
)

const [known, unknown] = [fakeAddress(1), fakeAddress(2)]
const hash = pad('0x77')
const token = (n: number) => fakeAddress(100 + n)
function pool(n: number, parts?: readonly Part[]): PairRecord {
  const address = fakeAddress(1_000 + n)
  return {
    id: address,
    address,
    dex: 'd',
    protocol: 'uniswap_v2',
    tokens: [token(1), token(2)],
    feePips: 3_000,
    changedBlock: 1n,
    swapsSeen: 0,
    isFresh: [false, false],
    reserve0: 10n ** 20n,
    reserve1: 10n ** 20n,
    ...(parts && { parts }),
  }
}
const records = [
  pool(0),
  pool(1, [{ address: known }]),
  pool(2, [{ address: unknown, codeHash: hash }]),
  pool(3, [{ address: known }, { address: unknown }]),
]
const ids = records.map(({ id }) => id)
const head = { number: 1n, hash: '0x1', parentHash: '0x0', timestampSecs: 1n } as const
const state = createSyncedState({ taxOf: () => 0 }, { head, records })
const create = (parts: readonly `0x${string}`[], clock = { ms: 0 }) =>
  createTrust({ chainId: 8453, parts, now: () => clock.ms })
/** Pools that a market goes through, by their places. */
const openIn = (market: typeof state.market) =>
  [...ids.keys()].filter((place) => poolOf(market, ids[place] ?? '')?.curve(0, 1) !== undefined)

s('a pool is known where all that has a say in it is, by address or by code [teeth/trust]', () => {
  const isKnown = (parts: readonly `0x${string}`[]) => records.map(create(parts).isKnown)
  assert.equal(isKnown([]), [true, false, false, false])
  assert.equal(isKnown([known]), [true, true, false, false])
  assert.equal(isKnown([known, hash]), [true, true, true, false])
  assert.equal(isKnown([known, unknown]), [true, true, true, true])
  // Whatever case they are written in.
  assert.is(
    create([`0x${known.slice(2).toUpperCase()}`]).isKnown(pool(1, [{ address: known }])),
    true,
  )
  const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
  assert.ok(create([]).isKnown(pool(5, [{ address: usdc }])), 'a seed token is')
})
s('a search may use all, the known, or all but some [teeth/trust]', () => {
  const trust = create([known])
  assert.equal(openIn(trust.choose(state, { kind: 'all' })), [0, 1, 2, 3])
  assert.equal(openIn(trust.choose(state, { kind: 'known' })), [0, 1])
  const without = trust.choose(state, { kind: 'without', ids: [ids[0] ?? '', 'nobody'] })
  assert.equal(openIn(without), [1, 2, 3])
  assert.is(trust.choose(state, { kind: 'all' }), state.market)
  assert.is(trust.choose(state, { kind: 'known' }), trust.ofKnown(state, state.market), 'made once')
  const steps = [ids[0], ids[2], ids[3], ids[2], 'gone'].map((poolId) => ({ poolId }))
  const route = { amountIn: 1n, amountOut: 1n, gas: 1, steps } as never
  assert.equal(trust.listDoubtful(state, route), [ids[2], ids[3]])
})
s('who fell for anybody rests if it is unknown, whatever is chosen [teeth/trust]', () => {
  const clock = { ms: 0 }
  const trust = create([known], clock)
  const before = trust.nameChoice({ kind: 'all' })
  trust.rest(state, [ids[1] ?? '', ids[2] ?? ''])
  assert.equal(openIn(trust.choose(state, { kind: 'all' })), [0, 1, 3])
  assert.is(trust.choose(state, { kind: 'all' }), trust.choose(state, { kind: 'all' }), 'made once')
  const without = trust.choose(state, { kind: 'without', ids: [ids[0] ?? ''] })
  assert.equal(openIn(without), [1, 3])
  const names = [
    trust.nameChoice({ kind: 'all' }),
    trust.nameChoice({ kind: 'known' }),
    trust.nameChoice({ kind: 'without', ids: ['x'] }),
    trust.nameChoice({ kind: 'without', ids: ['x', 'y'] }),
    before,
  ]
  assert.is(new Set(names).size, names.length, names.join())
  clock.ms = minute
  assert.equal(openIn(trust.choose(state, { kind: 'all' })), [0, 1, 2, 3])
  trust.rest(state, [ids[3] ?? ''])
  assert.equal(openIn(trust.choose(state, { kind: 'all' })), [0, 1, 2])
})
s.run()
