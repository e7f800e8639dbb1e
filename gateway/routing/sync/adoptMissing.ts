import { chunk } from '../reads/chunk.ts'
import { dedupePools } from '../reads/findPools.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { adoptPools } from './adoptPools.ts'
import type { SyncDeps } from './chainView.ts'
import { findAmong, listDexes } from './discover.ts'
import type { HeldView } from './heldView.ts'
import { findListed, readListedPairs } from './listedPairs.ts'

/** The next block waits until so many have been read, which a small node takes a second or two for. */
const poolsAtOnce = 32
const tellEveryMs = 10_000

/**
 * Takes in the pools among all known tokens and of listed pairs that are not followed yet, of one exchange
 * after the other and some at a time: blocks go on in between, and what was taken in stays whatever becomes of the rest.
 */
export async function adoptMissing(deps: SyncDeps, held: HeldView): Promise<void> {
  const headNumber = () => held.following()?.state.head.number
  const blockNumber = headNumber()
  if (blockNumber === undefined) return
  const { listed, others } = await listDexes(deps, { blockNumber })
  const takeIn = createTakeIn(deps, held)
  deps.progress.begin(1 + others.length)
  try {
    await takeIn(listed)
    const pairs = await readListedPairs(deps, { pools: deps.deepPools, blockNumber })
    for (const dex of others) {
      const tokens = deps.tokens.addresses()
      // Nodes forget the states of blocks within half a minute.
      const at = { blockNumber: headNumber() ?? blockNumber }
      const found = await Promise.all([
        findAmong(deps, { dexes: [dex], tokens, ...at }),
        findListed(deps, { dex, pairs, hubs: deps.majors, ...at }),
      ])
      await takeIn(dedupePools(found.flat()))
    }
  } finally {
    deps.progress.end()
  }
}

/** Takes in the pools of one part, and tells now and then how long the rest will take. */
function createTakeIn(deps: SyncDeps, held: HeldView) {
  const { chainId, found: told, now, observe, progress } = deps
  let toldAtMs = now()

  function tell(): void {
    const leftMs = progress.leftMs()
    if (leftMs === undefined || now() - toldAtMs < tellEveryMs) return
    toldAtMs = now()
    observe({ event: 'loading', chainId, secsLeft: Math.ceil(leftMs / 1_000) })
  }

  return async (pools: readonly PoolRef[]): Promise<void> => {
    const missing = pools.filter((pool) => !held.following()?.state.pools.has(idOf(pool)))
    let taken = 0
    told.begin(missing)
    try {
      for (const found of chunk(missing, poolsAtOnce)) {
        await held.inTurn(() => held.change((view) => adoptPools(deps, { view, found })))
        taken += found.length
        if (taken < missing.length) progress.reach(taken / missing.length)
        tell()
      }
      progress.reach(1)
    } finally {
      told.end()
    }
  }
}
