import type { Address } from 'viem'
import type { Dex } from '../../chain/dex.ts'
import { chunk } from '../reads/chunk.ts'
import { dedupePools } from '../reads/findPools.ts'
import { joinAll } from '../reads/joinAll.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { adoptPools } from './adoptPools.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { findAmong, listDexes } from './discover.ts'
import type { HeldView } from './heldView.ts'
import { findListed, type ListedPair, readListedPairs } from './listedPairs.ts'

/** The next block waits until so many have been read. */
const poolsAtOnce = 32
/**
 * The same behind a small node, where each look at the blocks in between takes more calls than these pools do: some
 * seconds for both.
 */
const poolsAtOnceHeld = 256
/** Exchanges that are looked at between two such looks. */
const [exchangesAtOnce, exchangesAtOnceHeld] = [1, 8]
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
    const found = await findMissing(deps, { held, load, looked: lookedOf(unread) })
    deps.progress.begin(load.missing(found).length)
    await load.takeIn(found)
  } finally {
    deps.progress.end()
    deps.found.end()
  }
  const end = async (last: Following) => (load.isOver() ? last : { ...last, unread: undefined })
  await held.inTurn(() => held.change(end))
}

/** Of a load, by what waited when it began: what has been looked at, which is not again where the rest fails. */
const looks = new WeakMap<readonly PoolRef[], Looked>()
type Looked = {
  lists?: Awaited<ReturnType<typeof listDexes>>
  pairs?: readonly ListedPair[]
  readonly found: Map<Dex, readonly PoolRef[]>
}

function lookedOf(unread: readonly PoolRef[]): Looked {
  const looked = looks.get(unread) ?? { found: new Map() }
  looks.set(unread, looked)
  return looked
}

/** Pools of all exchanges; those that list theirs are read on the way, for their tokens. */
async function findMissing(
  own: SyncDeps,
  {
    held,
    load,
    looked,
  }: {
    readonly held: HeldView
    readonly load: ReturnType<typeof createLoad>
    readonly looked: Looked
  },
): Promise<readonly PoolRef[]> {
  const headNumber = () => held.following()?.state.head.number
  const blockNumber = headNumber()
  if (blockNumber === undefined || load.isOver()) return []
  const deps = { ...own, client: held.unhurried(own.client) }
  looked.lists ??= await listDexes(deps, { blockNumber })
  const { listed, others } = looked.lists
  const listing = deps.dexes.filter((dex) => !others.includes(dex))
  load.looked(listing, listed)
  await load.takeIn(listed)
  looked.pairs ??= await readListedPairs(deps, { pools: deps.deepPools, blockNumber })
  const { pairs } = looked
  // Those of listed pairs are looked for with hubs as well: a token that has a pool is not looked for again.
  const known = [...deps.hubs, ...deps.tokens.addresses(), ...pairs.flat()].map(toLower)
  const tokens = [...new Set(known)] as readonly Address[]
  for (const dex of looked.found.keys()) load.looked([dex], looked.found.get(dex) ?? [])
  for (let left = others.filter((dex) => !looked.found.has(dex)); left.length > 0; ) {
    await held.level()
    if (load.isOver()) return []
    const isThrifty = deps.isHeld()
    const some = left.slice(0, isThrifty ? exchangesAtOnceHeld : exchangesAtOnce)
    left = left.slice(some.length)
    // Nodes forget the states of blocks within half a minute.
    const at = { blockNumber: headNumber() ?? blockNumber, isThrifty }
    await joinAll(
      some.map(async (dex) => {
        const pools = await joinAll([
          findAmong(deps, { dexes: [dex], tokens, ...at }),
          findListed(deps, { dex, pairs, hubs: deps.hubs, ...at }),
        ])
        looked.found.set(dex, dedupePools(pools.flat()))
        load.looked([dex], looked.found.get(dex) ?? [])
      }),
    )
  }
  return [...looked.found.values()].flat()
}

const toLower = (token: string) => token.toLowerCase()

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
      const size = deps.isHeld() ? poolsAtOnceHeld : poolsAtOnce
      for (const part of chunk(missing(pools), size)) {
        if (isOver()) return
        await held.inTurn(() => held.change((view) => adoptPools(deps, { view, found: part })))
        progress.reach(part.length)
        tell()
      }
    },
  }
}
