import type { Address } from 'viem'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { adoptPools, adoptTokens, findKnown } from './adoptPools.ts'
import type { ChainView, Following, SyncDeps } from './chainView.ts'
import { createDiscoveryQueue } from './discoveryQueue.ts'
import { followHead, loadFirst } from './followHead.ts'
import { comparePools, healPools } from './healPools.ts'
import { loadPools } from './loadPools.ts'
import { restoreChain } from './restoreChain.ts'
import type { Restored } from './snapshotWriter.ts'
import { reasonOf } from './syncEvent.ts'
import { advanceState, repriceState, type SyncedState } from './syncedState.ts'
import { createTurns, shareNextTurn, skipWhileRunning } from './turns.ts'

/** Pools that could not be read before, in one go. */
const mostTried = 32

/** Holds what is known of one chain; each change begins with what the last one left. */
export function createChainReader(
  deps: SyncDeps,
  { hubs, stirred }: { readonly hubs: readonly Address[]; readonly stirred: () => void },
) {
  const { chainId, now, observe } = deps
  const inTurn = createTurns()
  let view: ChainView = { status: 'unread' }

  const current = () => (view.status === 'following' ? view.state : undefined)
  const failed = (error: unknown) => {
    observe({ event: 'failed', chainId, reason: reasonOf(error) })
  }

  /** Only ever in turn. */
  async function change(work: (following: Following) => Promise<Following>): Promise<void> {
    if (view.status !== 'following') return
    view = await work(view)
    stirred()
  }

  async function confirm(): Promise<void> {
    const before = view
    view = await followHead(deps, before)
    if (view !== before) stirred()
  }

  const adopt = (wanted: readonly Address[]) =>
    change((following) => adoptTokens(deps, { view: following, wanted, hubs }))

  /** Takes in pools that were not followed; one look at a time, and nothing waits for it. */
  function takeIn(find: (following: Following) => Promise<readonly PoolRef[]>) {
    return skipWhileRunning(async () => {
      if (view.status !== 'following') return
      const found = await find(view)
      if (found.length === 0) return
      await inTurn(() => change((following) => adoptPools(deps, { view: following, found })))
    }, failed)
  }

  /** Reads pools anew that could not be read before; only good ones come in. */
  const tryAgain = takeIn(async ({ state }) => {
    const pools = deps.troubled.due(mostTried)
    if (pools.length === 0) return []
    const read = await loadPools(deps, { pools, blockNumber: state.head.number })
    const well = new Set(read.map(({ id }) => id))
    return pools.filter((pool) => well.has(idOf(pool)))
  })

  /** Reads pools on the shelf that may have become worth following. */
  const lookAtShelf = takeIn(async ({ state: { head, pools: followed } }) => {
    const pools = deps.bounds.due()
    if (pools.length === 0) return []
    const read = await loadPools(deps, { pools, blockNumber: head.number })
    const worthy = new Set(deps.bounds.sift({ pools: followed, asked: pools, read }))
    return pools.filter((pool) => worthy.has(idOf(pool)))
  })

  /** Reads some of the pools anew; what is as it was is not touched, and nothing waits for it. */
  const audit = skipWhileRunning(async () => {
    if (view.status !== 'following') return
    const { state } = view
    const records = deps.audit.pick(state.pools)
    if (records.length === 0) return
    const { wrong, gone } = await comparePools(deps, { state, records })
    const ids = [...wrong.map(({ id }) => id), ...gone]
    deps.audit.done(records, ids.length > 0 ? await heal(ids) : 0)
  }, failed)

  /** How many of these pools were wrong: the chain may have moved since they were compared. */
  const heal = (ids: readonly string[]) =>
    inTurn(async () => {
      if (view.status !== 'following') return 0
      const after = await healPools(deps, { view, ids })
      if (after.healed > 0) {
        view = after.view
        stirred()
      }
      return after.healed
    })

  /** Lets go of pools that are not worth following any more, and of tokens that none holds. */
  const review = () =>
    inTurn(async () => {
      if (view.status !== 'following') return
      const { state } = view
      const gone = deps.bounds.review(state.pools)
      if (!gone) return
      const next = advanceState(deps, { state, head: state.head, changed: [], gone })
      const { tokenIndex } = next.market
      // Pools have made room since the last look, too.
      deps.tokens.prune(
        (token) =>
          tokenIndex.has(token) || deps.bounds.isAsked(token) || deps.bounds.isShelving(token),
      )
      if (gone.size === 0) return
      view = { ...view, state: next }
      stirred()
    })

  const askFor = createDiscoveryQueue({
    inTurn,
    look: (wanted) =>
      adopt(wanted).catch((error: unknown) => {
        // Told once, however many wait for it.
        failed(error)
        throw error
      }),
  })

  return {
    current,
    /** Milliseconds since the state was last known to be the node's head; Infinity before the first. */
    sinceConfirmedMs() {
      const confirmedAtMs = view.status === 'following' ? view.confirmedAtMs : undefined
      return now() - (confirmedAtMs ?? Number.NEGATIVE_INFINITY)
    },
    /** Moves to the node's head. What keeps it from that is told, and tried again by the next. */
    confirm: shareNextTurn(inTurn, () => confirm().catch(failed)),
    load: () =>
      inTurn(async () => {
        view = await loadFirst(deps)
        stirred()
      }),
    /** False when what an earlier process left is of no use any more. */
    restore: (restored: Restored, { isInherited }: { readonly isInherited: boolean }) =>
      inTurn(async () => {
        const taken = await restoreChain(deps, { restored, isInherited })
        if (taken) view = taken
        return taken !== undefined
      }),
    discover: askFor,
    tryAgain,
    lookAtShelf,
    audit,
    review,
    /** Of tokens that no pool holds there is no end: they are not noted. */
    asked(tokens: readonly string[]): void {
      const known = current()?.market.tokenIndex
      deps.bounds.ask(tokens.filter((token) => known?.has(token) || deps.bounds.isShelving(token)))
    },
    async adoptMissing(): Promise<void> {
      if (view.status !== 'following') return
      const found = await findKnown(deps, view)
      await inTurn(() => change((following) => adoptPools(deps, { view: following, found })))
    },
    reprice: (tokens: readonly string[]): Promise<SyncedState | undefined> =>
      inTurn(async () => {
        if (view.status !== 'following') return undefined
        view = { ...view, state: repriceState(deps, { state: view.state, tokens }) }
        return view.state
      }),
  }
}
