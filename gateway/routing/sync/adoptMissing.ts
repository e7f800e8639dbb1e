import { chunk } from '../reads/chunk.ts'
import { dedupePools } from '../reads/findPools.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { adoptPools } from './adoptPools.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { findAmong, listDexes } from './discover.ts'
import type { HeldView } from './heldView.ts'
import { findListed, readListedPairs } from './listedPairs.ts'

/** The next block waits until so many have been read, which a small node takes a second or two for. */
const poolsAtOnce = 32
const tellEveryMs = 10_000

/**
 * Takes in the pools that wait to be read anew, then those among all known tokens and of listed pairs that are not
 * followed yet, of one exchange after the other and some at a time: blocks go on in between, and what was taken in
 * stays whatever becomes of the rest. Ends early where more of them wait meanwhile.
 */
export async function adoptMissing(deps: SyncDeps, held: HeldView): Promise<void> {
  const view = held.following()
  if (!view?.unread) return
  const { unread } = view
  const isOver = () => held.following()?.unread !== unread
  const takeIn = createTakeIn(deps, { held, isOver })
  try {
    if (unread.length > 0) {
      deps.progress.begin(1)
      await takeIn(unread)
    }
    await adoptFound(deps, { held, isOver, takeIn })
  } finally {
    deps.progress.end()
  }
  const end = async (last: Following) => (isOver() ? last : { ...last, unread: undefined })
  await held.inTurn(() => held.change(end))
}

type Taking = { readonly held: HeldView; readonly isOver: () => boolean }

async function adoptFound(
  deps: SyncDeps,
  { held, isOver, takeIn }: Taking & { readonly takeIn: ReturnType<typeof createTakeIn> },
): Promise<void> {
  const headNumber = () => held.following()?.state.head.number
  const blockNumber = headNumber()
  if (blockNumber === undefined || isOver()) return
  const { listed, others } = await listDexes(deps, { blockNumber })
  deps.progress.begin(1 + others.length)
  await takeIn(listed)
  const pairs = await readListedPairs(deps, { pools: deps.deepPools, blockNumber })
  for (const dex of others) {
    if (isOver()) return
    const tokens = deps.tokens.addresses()
    // Nodes forget the states of blocks within half a minute.
    const at = { blockNumber: headNumber() ?? blockNumber }
    const found = await Promise.all([
      findAmong(deps, { dexes: [dex], tokens, ...at }),
      findListed(deps, { dex, pairs, hubs: deps.hubs, ...at }),
    ])
    await takeIn(dedupePools(found.flat()))
  }
}

/** Takes in the pools of one part, and tells now and then how long the rest will take. */
function createTakeIn(deps: SyncDeps, { held, isOver }: Taking) {
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
        if (isOver()) return
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
