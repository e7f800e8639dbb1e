import { deserialize, serialize } from 'node:v8'
import { createClient, custom, zeroAddress } from 'viem'
import { base as chain } from 'viem/chains'
import { createMainnet } from '../../fixtures/nodes/mainnet/createMainnet.ts'
import type { BookedPool } from '../../fixtures/nodes/mainnet/pools/createPoolBook.ts'
import { paces } from '../../fixtures/nodes/mainnet/shares.ts'
import { base } from '../chain/base.ts'
import { printTable } from '../observe/printTable.ts'
import type { PoolRecord } from '../routing/protocols/poolRecord.ts'
import type { PoolLog } from '../routing/reads/poolLog.ts'
import type { PoolRef } from '../routing/reads/poolRef.ts'
import { applyLogs } from '../routing/sync/applyLogs.ts'
import { createPoolBounds } from '../routing/sync/bounds/poolBounds.ts'
import { loadPools } from '../routing/sync/loadPools.ts'
import { advanceState, createSyncedState } from '../routing/sync/syncedState.ts'
import { collectGarbage } from './collectGarbage.ts'
import { timeThread as time } from './timeProcessor.ts'

/**
 * A generated Base of 20,000 pools as a gateway holds it: its memory, a block of 300 swaps folded, a pool
 * that comes. The processor's time, since the machine may do other things: of all threads, by which it is judged,
 * and how long the loop is held at most. Fails where p95 misses a goal.
 *
 * Usage: `node gateway/bench/largeMarket.ts [pools, default 20000]`.
 */
const count = Number(process.argv[2] ?? 20_000)
const [blocks, comers, swaps] = [40, 120, 300]
const [mostBytes, mostFoldMs, mostNewMs] = [2 ** 30, 10, 2]
const usual = paces[base.chainId]
if (!usual) throw new Error('Base has a pace')
const pace = {
  ...usual,
  swaps: [swaps, swaps] as const,
  crowdedSwaps: swaps,
  positions: 0,
  creationShare: 0,
}

function aliveBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const toRef = ({ dex, address, id, token0, token1, feePips, tickSpacing }: BookedPool): PoolRef => {
  const key = {
    currency0: token0,
    currency1: token1,
    fee: feePips,
    tickSpacing,
    hooks: zeroAddress,
  }
  return { dex, address, ...(id && { id, key }) }
}

/** The pools of a generated chain, in bytes, and what its blocks tell: collections are to look at the market alone. */
async function generate() {
  const mainnet = createMainnet({ chainId: base.chainId, pools: count + comers, pace })
  const transport = custom({
    async request({ method, params }) {
      const [answer] = await mainnet.ask([{ method, params }])
      if (!answer || 'error' in answer) throw new Error(`${method} was not answered`)
      return answer.result
    },
  })
  const client = createClient({ chain, transport })
  const blockNumber = BigInt(mainnet.head().number)
  const loaded = await loadPools({ client }, { pools: mainnet.pools.map(toRef), blockNumber })
  const mined = Array.from({ length: blocks }, () => {
    mainnet.mine()
    const { number, logs } = mainnet.head()
    return logs.map(
      (log, logIndex): PoolLog => ({
        ...log,
        address: log.address.toLowerCase(),
        blockNumber: BigInt(number),
        blockHash: '',
        logIndex,
      }),
    )
  })
  return { blockNumber, pools: serialize(loaded), mined }
}

/** Records of their own, and what is alive without them. */
async function load() {
  const { pools, ...told } = await generate()
  const empty = aliveBytes() - pools.buffer.byteLength
  const records: readonly PoolRecord[] = deserialize(pools)
  return { ...told, empty, records }
}

const { blockNumber, mined, empty, records } = await load()
const head = { number: blockNumber, hash: '0x01', parentHash: '0x00', timestampSecs: 0n } as const
const taxOf = () => 0
let state = createSyncedState({ taxOf }, { head, records: records.slice(0, count) })
const bytes = aliveBytes() - empty
const bounds = createPoolBounds({
  assets: base,
  limits: { floorUsd: 100, mostPools: 2 * count, mostTokens: 4 * count },
  dexes: () => base.dexes,
  now: () => 0,
})
bounds.begin([...state.pools.values()])

type Spent = ReturnType<typeof time>
const folds: Spent[] = []
for (const logs of mined)
  folds.push(
    time(() => {
      const changed = applyLogs({ state, logs, stale: new Set() })
      state = advanceState({ taxOf }, { state, head, changed: changed.values() })
    }),
  )
const came = records.slice(count).map((record) =>
  time(() => {
    const { taken, gone } = bounds.admit({ pools: state.pools, news: [record] })
    state = advanceState({ taxOf }, { state, head, changed: taken, gone })
  }),
)

/** The first half runs code that is still being compiled. */
function at(values: readonly number[], share: number): number {
  const later = values.slice(values.length / 2).toSorted((one, other) => one - other)
  return later[Math.floor(share * (later.length - 1))] ?? 0
}
const columns = (name: string, most: number, spent: readonly Spent[]) => [
  name,
  `< ${most} ms`,
  ...[spent.map(({ allMs }) => allMs), spent.map(({ heldMs }) => heldMs)].map(
    (values) => `${at(values, 0.5).toFixed(1)} / ${at(values, 0.95).toFixed(1)} ms`,
  ),
]
printTable((text) => process.stdout.write(text), {
  head: [`${state.pools.size} pools`, 'goal', 'all threads, p50 / p95', 'the loop, p50 / p95'],
  rows: [
    ['alive with them', '< 1 GiB', `${(bytes / 2 ** 20).toFixed(0)} MiB`, ''],
    columns(`a block of ${swaps} swaps folded`, mostFoldMs, folds),
    columns('a pool that comes', mostNewMs, came),
  ],
})
const p95 = (spent: readonly Spent[]) =>
  at(
    spent.map(({ allMs }) => allMs),
    0.95,
  )
process.exitCode = bytes < mostBytes && p95(folds) < mostFoldMs && p95(came) < mostNewMs ? 0 : 1
