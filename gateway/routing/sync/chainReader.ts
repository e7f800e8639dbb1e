import type { Address } from 'viem'
import { idOf } from '../reads/poolRef.ts'
import { adoptPools, adoptTokens, findKnown } from './adoptPools.ts'
import type { ChainView, Following, SyncDeps } from './chainView.ts'
import { createDiscoveryQueue } from './discoveryQueue.ts'
import { followHead, loadFirst } from './followHead.ts'
import { loadPools } from './loadPools.ts'
import { restoreChain } from './restoreChain.ts'
import type { Restored } from './snapshotWriter.ts'
import { reasonOf } from './syncEvent.ts'
import { advanceState, repriceState, type SyncedState } from './syncedState.ts'
import { createTurns, shareNextTurn } from './turns.ts'

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

  let isTrying = false
  /** Reads pools anew that could not be read before; nothing waits for it, and only good ones come in. */
  async function tryAgain(): Promise<void> {
    if (view.status !== 'following' || isTrying) return
    const pools = deps.troubled.due(mostTried)
    if (pools.length === 0) return
    isTrying = true
    try {
      const { number: blockNumber } = view.state.head
      const well = new Set((await loadPools(deps, { pools, blockNumber })).map(({ id }) => id))
      const found = pools.filter((pool) => well.has(idOf(pool)))
      if (found.length === 0) return
      await inTurn(() => change((following) => adoptPools(deps, { view: following, found })))
    } catch (error) {
      failed(error)
    } finally {
      isTrying = false
    }
  }

  let isLooking = false
  /** Reads pools on the shelf that may have become worth following. */
  async function lookAtShelf(): Promise<void> {
    if (view.status !== 'following' || isLooking) return
    const pools = deps.bounds.due()
    if (pools.length === 0) return
    isLooking = true
    try {
      const { head, pools: followed } = view.state
      const read = await loadPools(deps, { pools, blockNumber: head.number })
      const worthy = new Set(deps.bounds.sift({ pools: followed, asked: pools, read }))
      const found = pools.filter((pool) => worthy.has(idOf(pool)))
      if (found.length === 0) return
      await inTurn(() => change((following) => adoptPools(deps, { view: following, found })))
    } catch (error) {
      failed(error)
    } finally {
      isLooking = false
    }
  }

  /** Lets go of pools that are not worth following any more, and of tokens that none holds. */
  const review = () =>
    inTurn(async () => {
      if (view.status !== 'following') return
      const { state } = view
      const gone = deps.bounds.review(state.pools)
      if (!gone || gone.size === 0) return
      const next = advanceState(deps, { state, head: state.head, changed: [], gone })
      view = { ...view, state: next }
      deps.tokens.prune((token) => next.market.tokenIndex.has(token) || deps.bounds.isAsked(token))
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
