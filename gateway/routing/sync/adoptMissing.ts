import { chunk } from '../reads/chunk.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { adoptPools } from './adoptPools.ts'
import type { SyncDeps } from './chainView.ts'
import { findAmong, listDexes } from './discover.ts'
import type { HeldView } from './heldView.ts'

/** The next block waits until so many have been read, which a small node takes a second or two for. */
const poolsAtOnce = 32

/**
 * Takes in the pools among all known tokens that are not followed yet, of one exchange after the other and
 * some at a time: blocks go on in between, and what was taken in stays whatever becomes of the rest.
 */
export async function adoptMissing(deps: SyncDeps, held: HeldView): Promise<void> {
  const headNumber = () => held.following()?.state.head.number
  const blockNumber = headNumber()
  if (blockNumber === undefined) return
  const { listed, others } = await listDexes(deps, { blockNumber })
  await takeIn(deps, { held, pools: listed })
  for (const dex of others) {
    const tokens = deps.tokens.addresses()
    // Nodes forget the states of blocks within half a minute.
    const at = { blockNumber: headNumber() ?? blockNumber }
    await takeIn(deps, { held, pools: await findAmong(deps, { dexes: [dex], tokens, ...at }) })
  }
}

async function takeIn(
  deps: SyncDeps,
  { held, pools }: { readonly held: HeldView; readonly pools: readonly PoolRef[] },
): Promise<void> {
  const missing = pools.filter((pool) => !held.following()?.state.pools.has(idOf(pool)))
  deps.found.begin(missing)
  try {
    for (const found of chunk(missing, poolsAtOnce))
      await held.inTurn(() => held.change((view) => adoptPools(deps, { view, found })))
  } finally {
    deps.found.end()
  }
}
