import type { Address } from 'viem'
import type { Dex } from '../../chain/dex.ts'
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
 * followed yet: all exchanges are looked at first, so that it is known how many there are. Some are read at a time:
 * blocks go on in between, and what was taken in stays whatever becomes of the rest. Ends early where more of them
 * wait meanwhile, and where nobody follows the chain any more.
 */
export async function adoptMissing(
  deps: SyncDeps,
  { held, signal }: { readonly held: HeldView; readonly signal: AbortSignal },
): Promise<void> {
  const view = held.following()
  if (!view?.unread) return
  const { unread } = view
  const isOver = () => signal.aborted || held.following()?.unread !== unread
  const load = createLoad(deps, { held, isOver })
  deps.found.begin(unread)
  try {
    await load.takeIn(unread)
    const found = await findMissing(deps, { held, load })
    deps.progress.begin(load.missing(found).length)
    await load.takeIn(found)
  } finally {
    deps.progress.end()
    deps.found.end()
  }
  const end = async (last: Following) => (load.isOver() ? last : { ...last, unread: undefined })
  await held.inTurn(() => held.change(end))
}

/** Pools of all exchanges; those that list theirs are read on the way, for their tokens. */
async function findMissing(
  deps: SyncDeps,
  { held, load }: { readonly held: HeldView; readonly load: ReturnType<typeof createLoad> },
): Promise<readonly PoolRef[]> {
  const headNumber = () => held.following()?.state.head.number
  const blockNumber = headNumber()
  if (blockNumber === undefined || load.isOver()) return []
  const { listed, others } = await listDexes(deps, { blockNumber })
  const listing = deps.dexes.filter((dex) => !others.includes(dex))
  load.looked(listing, listed)
  await load.takeIn(listed)
  const pairs = await readListedPairs(deps, { pools: deps.deepPools, blockNumber })
  const known = [...deps.tokens.addresses(), ...pairs.flat()].map((token) => token.toLowerCase())
  const tokens = [...new Set(known)] as readonly Address[]
  const found: PoolRef[] = []
  for (const dex of others) {
    await held.level()
    if (load.isOver()) return []
    // Nodes forget the states of blocks within half a minute.
    const at = { blockNumber: headNumber() ?? blockNumber }
    const pools = await Promise.all([
      findAmong(deps, { dexes: [dex], tokens, ...at }),
      findListed(deps, { dex, pairs, hubs: deps.hubs, ...at }),
    ])
    const news = dedupePools(pools.flat())
    load.looked([dex], news)
    found.push(...news)
  }
  return found
}

/** Takes in what is found, and tells at once and then now and again how much is left. */
function createLoad(
  deps: SyncDeps,
  { held, isOver }: { readonly held: HeldView; readonly isOver: () => boolean },
) {
  const { chainId, dexes, found, now, observe, progress } = deps
  const isHeld = (pool: PoolRef) => held.following()?.state.pools.has(idOf(pool)) ?? false
  const missing = (pools: readonly PoolRef[]) => pools.filter((pool) => !isHeld(pool))
  let exchangesLeft = dexes.length
  let toldAtMs = Number.NEGATIVE_INFINITY

  function tell(): void {
    if (now() - toldAtMs < tellEveryMs) return
    toldAtMs = now()
    const leftMs = progress.leftMs()
    observe({
      event: 'loading',
      chainId,
      exchangesLeft,
      poolsLeft: missing(found.all()).length,
      ...(leftMs !== undefined && { secsLeft: Math.ceil(leftMs / 1_000) }),
    })
  }
  tell()

  return {
    isOver,
    missing,
    looked(at: readonly Dex[], pools: readonly PoolRef[]): void {
      exchangesLeft -= at.length
      found.add(at, pools)
      tell()
    },
    async takeIn(pools: readonly PoolRef[]): Promise<void> {
      for (const part of chunk(missing(pools), poolsAtOnce)) {
        if (isOver()) return
        await held.inTurn(() => held.change((view) => adoptPools(deps, { view, found: part })))
        progress.reach(part.length)
        tell()
      }
    },
  }
}
