import { getAddress, numberToHex } from 'viem'
import { assert, suite } from '../../../fixtures/test.ts'
import { timeProcessor } from '../../bench/timeProcessor.ts'
import { base } from '../../chain/base.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createPoolBounds } from './bounds/poolBounds.ts'
import { advanceState, createSyncedState } from './syncedState.ts'

const s = suite('a new pool')
const usdc = base.usdc.address.toLowerCase()
const weth = base.wrappedNative.toLowerCase()
const dex = base.dexes.find(({ protocol }) => protocol === 'uniswap_v2')
if (!dex) throw new Error('Base has a Uniswap v2')
const address = (n: number) => numberToHex(n, { size: 20 })
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 0n } as const

/** A pair of a token of its own with so many dollars. */
const against = (
  n: number,
  dollars: number,
  token: string = address(0xfa0000 + n),
): PoolRecord => ({
  id: address(n),
  address: getAddress(address(n)),
  dex: dex.name,
  protocol: 'uniswap_v2',
  tokens: [token, usdc],
  feePips: 3_000,
  changedBlock: 1n,
  isFresh: [false, false],
  swapsSeen: 0,
  reserve0: 10n ** 21n,
  reserve1: BigInt(dollars) * 10n ** 6n,
})

/** Notes whose numbers are looked at: to measure it, or to price it. */
function watch(records: readonly PoolRecord[]) {
  const touched = new Set<string>()
  const watched = records.map((record) => {
    const get = (target: PoolRecord, key: string) => {
      if (key.startsWith('reserve')) touched.add(target.id)
      return Reflect.get(target, key)
    }
    return new Proxy(record, { get } as ProxyHandler<PoolRecord>)
  })
  return { touched, watched }
}

/** Ids of the pools that one more has measured or priced anew, itself left out. */
function join(count: number, { isFull }: { isFull: boolean }): readonly string[] {
  const market = Array.from({ length: count }, (_, n) => against(n + 2, 1_000 + n))
  const { touched, watched } = watch([against(1, 3_000_000, weth), ...market])
  const mostPools = isFull ? watched.length : 2 * watched.length
  const bounds = createPoolBounds({
    assets: base,
    limits: { floorUsd: 100, mostPools, mostTokens: 100_000 },
    dexes: () => [dex as NonNullable<typeof dex>],
    now: () => 0,
  })
  const deps = { taxOf: () => 0 }
  const state = createSyncedState(deps, { head, records: bounds.begin(watched) })
  assert.is(state.pools.size, count + 1)
  touched.clear()
  const news = [against(count + 2, 5_000)]
  const { taken, gone } = bounds.admit({ pools: state.pools, news })
  const next = advanceState(deps, { state, head, changed: taken, gone })
  assert.ok(next.pools.has(address(count + 2)))
  assert.is(next.pools.size, isFull ? count + 1 : count + 2)
  return [...touched]
}

s('has no other pool measured or priced, however many there are [bounds/work]', () => {
  for (const count of [100, 3_000]) assert.equal(join(count, { isFull: false }), [])
})

s('has the one that makes room for it looked at, where a market is full [bounds/work-full]', () => {
  for (const count of [100, 3_000]) assert.equal(join(count, { isFull: true }), [address(2)])
})
s(
  'costs the loop no more than a few copies of 10,000 pools, with the one that goes for it [bounds/cost]',
  () => {
    const count = 10_000
    const market = Array.from({ length: count }, (_, n) => against(n + 2, 1_000 + n))
    const bounds = createPoolBounds({
      assets: base,
      limits: { floorUsd: 100, mostPools: count + 1, mostTokens: 100_000 },
      dexes: () => [dex as NonNullable<typeof dex>],
      now: () => 0,
    })
    const deps = { taxOf: () => 0 }
    const records = bounds.begin([against(1, 3_000_000, weth), ...market])
    let state = createSyncedState(deps, { head, records })
    // Turn by turn, so that whatever else the machine does falls on both.
    const spent = { floor: 0, cost: 0 }
    const spend = (on: keyof typeof spent, work: () => void) => {
      spent[on] += timeProcessor(work)
    }
    for (let round = 0; round < 40; round += 1) {
      spend('floor', () => new Map([...state.pools].map(([id, pool]) => [id, pool])))
      spend('cost', () => {
        const news = [against(count + 2 + round, 200_000)]
        const { taken, gone } = bounds.admit({ pools: state.pools, news })
        state = advanceState(deps, { state, head, changed: taken, gone })
        assert.equal([taken.length, gone.size], [1, 1])
      })
    }
    // A half or so, twice that where others fill the processors' caches; a market made anew takes fifty.
    const copies = spent.cost / spent.floor
    assert.ok(copies < 5, `${copies} copies, ${spent.cost / 40} ms`)
  },
)
s.run()
