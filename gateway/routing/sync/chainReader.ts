import { adoptMissing } from './adoptMissing.ts'
import { adoptTokens, findTokens } from './adoptPools.ts'
import type { createPartners } from './bounds/partners.ts'
import type { SyncDeps } from './chainView.ts'
import { createDiscoveryQueue, type Sought } from './discoveryQueue.ts'
import { followHead, loadFirst } from './followHead.ts'
import { createHeldView } from './heldView.ts'
import { readMajors } from './loadChain.ts'
import { restoreChain } from './restoreChain.ts'
import type { Restored } from './snapshotWriter.ts'
import { reasonOf } from './syncEvent.ts'
import { repriceState, type SyncedState } from './syncedState.ts'
import { createTurns, shareNextTurn } from './turns.ts'
import { createUpkeep } from './upkeep.ts'

/** Follows one chain: what its callers ask is done one after the other. */
export function createChainReader(
  deps: SyncDeps,
  {
    partnersOf,
    stirred,
  }: {
    /** What an unknown token is likely to have pools with. */
    readonly partnersOf: ReturnType<typeof createPartners>
    readonly stirred: () => void
  },
) {
  const { chainId, now, observe } = deps
  const held = createHeldView(stirred)
  const { inTurn } = held

  const current = () => held.following()?.state
  const failed = (error: unknown) => {
    observe({ event: 'failed', chainId, reason: reasonOf(error) })
  }

  async function confirm(): Promise<void> {
    const before = held.following()
    // What is read first is for the start to say: whoever asks for a quote meanwhile would have all of it read.
    if (!before) return
    await held.pass(async (farBehind) => {
      const after = await followHead({ ...deps, farBehind }, before, held.keep)
      if (after !== before) held.put(after)
    })
  }

  async function adopt({ tokens: wanted, beside }: Sought): Promise<void> {
    const view = held.following()
    if (!view) return
    const partners = [...partnersOf(view.state.pools), ...beside]
    const found = await findTokens(deps, { view, wanted, partners })
    deps.backSearch.note(found.infos.map(({ address }) => address))
    if (found.records.length > 0)
      await inTurn(() => held.change((following) => adoptTokens(deps, { view: following, found })))
  }

  const askFor = createDiscoveryQueue({
    // Of made-up tokens there is no end: no block waits until they have been looked for.
    inTurn: createTurns(),
    look: (sought) =>
      adopt(sought).catch((error: unknown) => {
        // Told once, however many wait for it.
        failed(error)
        throw error
      }),
  })

  return {
    current,
    /** Milliseconds since the state was last known to be the node's head; Infinity before the first. */
    sinceConfirmedMs() {
      return now() - (held.following()?.confirmedAtMs ?? Number.NEGATIVE_INFINITY)
    },
    /** When the look began that found the state to be the node's head. */
    confirmedAtMs: () => held.following()?.confirmedAtMs,
    /** Moves to the node's head. What keeps it from that is told, and tried again by the next. */
    confirm: shareNextTurn(inTurn, () => confirm().catch(failed)),
    load: () =>
      inTurn(async () => {
        held.put(await loadFirst(deps))
      }),
    /** False where there is none: then nothing is held. */
    loadMajors: () =>
      inTurn(async () => {
        const loaded = await loadFirst(deps, readMajors)
        if (loaded.state.pools.size === 0) return false
        held.put({ ...loaded, unread: [] })
        return true
      }),
    /** False when what an earlier process left is of no use any more. */
    restore: (restored: Restored, { isInherited }: { readonly isInherited: boolean }) =>
      inTurn(async () => {
        const taken = await restoreChain(deps, { restored, isInherited })
        if (taken) held.keep(taken)
        return taken !== undefined
      }),
    discover: askFor,
    ...createUpkeep(deps, { held, failed }),
    /** Of tokens that no pool holds there is no end: they are not noted. */
    asked(tokens: readonly string[]): void {
      const known = current()?.market.tokenIndex
      deps.bounds.ask(tokens.filter((token) => known?.has(token) || deps.bounds.isShelving(token)))
    },
    /** Whether there is more to load. */
    isPart: () => held.following()?.unread !== undefined,
    /** All has been looked for, and what was found is loaded. */
    isWhole: () => held.following() !== undefined && held.following()?.unread === undefined,
    adoptMissing: (signal: AbortSignal) => adoptMissing(deps, { held, signal }),
    reprice: (tokens: readonly string[]): Promise<SyncedState | undefined> =>
      inTurn(async () => {
        const view = held.following()
        if (!view) return undefined
        const state = repriceState(deps, { state: view.state, tokens })
        held.keep({ ...view, state })
        return state
      }),
  }
}
