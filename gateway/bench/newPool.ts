import { getAddress, numberToHex } from 'viem'
import { randomMarket } from '../../fixtures/chains/market.ts'
import { base } from '../chain/base.ts'
import { printTable } from '../observe/printTable.ts'
import { createMarket, updateMarket } from '../routing/engine/market.ts'
import type { PoolRecord } from '../routing/protocols/poolRecord.ts'
import { createPoolBounds } from '../routing/sync/bounds/poolBounds.ts'
import { advanceState, createSyncedState } from '../routing/sync/syncedState.ts'
import { collectGarbage } from './collectGarbage.ts'
import { timeProcessor as time } from './timeProcessor.ts'

/**
 * What a new pool, and one that goes, cost the event loop among many others. Fails above 5 ms (p95).
 * What it leaves to collect is collected between the rounds, and told for itself.
 * A full market's bounds let one in and another go; the state after it is both at once.
 *
 * Usage: `node gateway/bench/newPool.ts [pools, default 10000]`.
 */
const count = Number(process.argv[2] ?? 10_000)
/** The first ones run code that is still being compiled. */
const [warmUps, rounds] = [60, 60]
const mostMs = 5

const tokens = Array.from({ length: 2_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
const pools = randomMarket(1, count + warmUps + rounds, tokens)
let market = createMarket([])
const builtMs = time(() => {
  market = createMarket(pools.slice(0, count))
})
const came: number[] = []
const went: number[] = []
const collected: number[] = []
const collect = (round: number) => round % 10 === 0 && collected.push(time(collectGarbage) / 10)
for (const [round, pool] of pools.slice(count).entries()) {
  collect(round)
  came.push(
    time(() => {
      market = updateMarket(market, [pool])
    }),
  )
  went.push(
    time(() => {
      market = updateMarket(market, [], [pool.id])
    }),
  )
}

/** A pair of a token of its own with so many dollars. */
function against(n: number, dollars: number, token?: string): PoolRecord {
  const id = numberToHex(n, { size: 20 })
  return {
    id,
    address: getAddress(id),
    dex: 'uniswap-v2',
    protocol: 'uniswap_v2',
    tokens: [token ?? numberToHex(0xfa0000 + n, { size: 20 }), base.usdc.address.toLowerCase()],
    feePips: 3_000,
    changedBlock: 1n,
    isFresh: [false, false],
    swapsSeen: 0,
    reserve0: 10n ** 21n,
    reserve1: BigInt(dollars) * 10n ** 6n,
  }
}
const records = Array.from({ length: count }, (_, n) =>
  n === 0
    ? against(1, 3_000_000, base.wrappedNative.toLowerCase())
    : against(n + 1, 1_000 + ((n * 7_919) % 100_003)),
)
const bounds = createPoolBounds({
  assets: base,
  limits: { floorUsd: 100, mostPools: count, mostTokens: count + 1 },
  dexes: () => base.dexes,
  now: () => 0,
})
const deps = { taxOf: () => 0 }
const head = { number: 1n, hash: '0x01', parentHash: '0x00', timestampSecs: 0n } as const
let state = createSyncedState(deps, { head, records: bounds.begin(records) })
const admitted: number[] = []
const advanced: number[] = []
for (let round = 1; round <= warmUps + rounds; round += 1) {
  collect(round)
  const news = [against(count + round, 200_000)]
  let admission: ReturnType<typeof bounds.admit> = { taken: [], gone: new Set() }
  admitted.push(
    time(() => {
      admission = bounds.admit({ pools: state.pools, news })
    }),
  )
  const { taken, gone } = admission
  if (taken.length !== 1 || gone.size !== 1) throw new Error('the market is not full')
  advanced.push(
    time(() => {
      state = advanceState(deps, { state, head, changed: taken, gone })
    }),
  )
}
const both = admitted.map((ms, round) => ms + (advanced[round] ?? 0))
const at = (list: number[], part: number) =>
  list.slice(-rounds).toSorted((one, other) => one - other)[Math.floor(part * (rounds - 1))] ?? 0
const row = (name: string, list: number[]) => [
  name,
  ...[0.5, 0.95, 1].map((part) => at(list, part).toFixed(1)),
]
printTable((text) => void process.stdout.write(text), {
  head: [`${count} pools, ms`, 'p50', 'p95', 'max'],
  rows: [
    ['whole build', builtMs.toFixed(0), '', ''],
    row('one comes', came),
    row('one goes', went),
    row('full: admitted', admitted),
    row('full: state', advanced),
    row('full: both', both),
    [
      'collected, each',
      (collected.reduce((sum, ms) => sum + ms, 0) / collected.length).toFixed(1),
      '',
      '',
    ],
  ],
})
process.exitCode = [came, went, both].every((list) => at(list, 0.95) < mostMs) ? 0 : 1
