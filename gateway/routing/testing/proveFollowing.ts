import { seedTokens } from '../../chain/chains.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { createChainSync } from '../sync/chainSync.ts'
import { changePool } from './changePool.ts'
import { compareRecords } from './compareRecords.ts'
import { headNumber, pickTrade, readLimits, reload } from './proveFamily.ts'
import type { Random } from './random.ts'
import type { SwapStand } from './swapStand.ts'
import { toTrial } from './swapTrial.ts'

export type FollowTally = {
  swaps: number
  changes: number
  compared: number
  readonly protocols: Set<string>
  readonly differences: string[]
}

/**
 * Follows a chain through random traffic (swaps, liquidity in and out, fees set anew), some blocks at
 * a time, and compares what the events made of each pool with a fresh read of it.
 */
export async function proveFollowing(
  stand: SwapStand,
  { count, random }: { readonly count: number; readonly random: Random },
): Promise<FollowTally> {
  const { chainClient, dexes, chainId } = stand
  const sync = createChainSync({
    chainClient,
    dexes,
    seedTokens: seedTokens(chainId),
    pollMs: 3_600_000,
    maxAgeMs: 0,
  })
  const tally: FollowTally = {
    swaps: 0,
    changes: 0,
    compared: 0,
    protocols: new Set(),
    differences: [],
  }
  await sync.start()
  try {
    while (tally.swaps + tally.changes < count) {
      const touched = await makeTraffic(stand, { pools: await poolsNow(), random, tally })
      const state = await poolsNow()
      for (const id of touched) {
        const followed = state.get(id)
        if (!followed) throw new Error(`${id} is not followed any more`)
        compare(tally, followed, await reload(stand, followed))
      }
    }
    // The others must not have moved.
    for (const followed of (await poolsNow()).values())
      compare(tally, followed, await reload(stand, followed))
  } finally {
    await sync.close()
  }
  return tally

  async function poolsNow(): Promise<ReadonlyMap<string, PoolRecord>> {
    const head = await headNumber(stand)
    const deadline = performance.now() + 30_000
    for (;;) {
      const state = await sync.fresh()
      if (state?.head.number === head) return state.pools
      if (performance.now() > deadline) throw new Error(`stuck before block ${head}`)
    }
  }
}

type Traffic = {
  readonly pools: ReadonlyMap<string, PoolRecord>
  readonly random: Random
  readonly tally: FollowTally
}

/** A few blocks of traffic; returns the pools that it was meant for. */
async function makeTraffic(
  stand: SwapStand,
  { pools, random, tally }: Traffic,
): Promise<ReadonlySet<string>> {
  const byProtocol = [...Map.groupBy(pools.values(), ({ protocol }) => protocol).values()]
  const touched = new Set<string>()
  for (let block = 1 + random.below(6); block > 0; block -= 1) {
    const record = random.pick(random.pick(byProtocol))
    touched.add(record.id)
    tally.protocols.add(record.protocol)
    if (random.chance(0.5)) {
      const limits = await readLimits(stand, record)
      const trade = pickTrade(random, { record, limits, part: 512n })
      await stand.execute(toTrial(stand, record, trade))
      tally.swaps += 1
    } else {
      await changePool(stand, { record, random })
      tally.changes += 1
    }
  }
  return touched
}

function compare(tally: FollowTally, followed: PoolRecord, fresh: PoolRecord): void {
  tally.compared += 1
  const difference = compareRecords(followed, fresh)
  if (difference && tally.differences.length < 10) tally.differences.push(difference)
}
