import { isSampled } from '../protocols/families.ts'
import { chunk } from '../reads/chunk.ts'
import { dedupePools } from '../reads/findPools.ts'
import { inTime } from '../reads/inTime.ts'
import { idOf, type PoolRef } from '../reads/poolRef.ts'
import { readLogPart } from '../reads/rangeLogs.ts'
import { adoptPools } from './adoptPools.ts'
import { listDiffering } from './askedOnce.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { findContested } from './findContested.ts'
import { findCreated } from './findCreated.ts'
import { takeTurn } from './findSilent.ts'
import { comparePools, healPools } from './healPools.ts'
import type { HeardPart } from './heardBlocks.ts'
import type { HeldView } from './heldView.ts'
import { listenFor } from './listening.ts'
import { loadPools } from './loadPools.ts'
import { mostDoubted } from './readLogs.ts'
import { advanceState } from './syncedState.ts'
import { firstRun } from './tellers.ts'
import { skipWhileRunning } from './turns.ts'

/** Pools that could not be read before, in one go. */
const mostTried = 32
/** Of blocks whose logs were asked for once, in one go. */
const askedAgain = { questions: 4, logs: 10_000, data: 1_000_000 }
/** A lost event is found some day where there never is room to look for one: a step costs a few calls. */
const longestHeldMs = 3_600_000

/** Work on the pools of a chain beside its blocks: what comes in later, what was wrong, what goes. */
export function createUpkeep(
  deps: SyncDeps,
  { held, failed }: { readonly held: HeldView; readonly failed: (error: unknown) => void },
) {
  const { inTurn } = held
  let auditedAtMs = deps.now()

  /** As it is asked where blocks that come meanwhile go first. */
  const auditor = () => ({ ...deps.auditor, client: held.unhurried(deps.auditor.client) })

  /** One at a time, and not while blocks are caught up with. */
  const beside = (work: () => Promise<void>) =>
    skipWhileRunning(async () => {
      await held.level()
      await work()
    }, failed)

  /** Takes in pools that were not followed; one look at a time, and nothing waits for it. */
  function takeIn(find: (following: Following) => Promise<readonly PoolRef[]>) {
    return beside(async () => {
      const view = held.following()
      const found = view ? await find(view) : []
      if (found.length === 0) return
      await inTurn(() => held.change((following) => adoptPools(deps, { view: following, found })))
    })
  }

  /**
   * How many of these pools were wrong: the chain may have moved since they were compared. Undefined where nothing
   * could be done.
   */
  const heal = (ids: readonly string[]) =>
    inTurn(async () => {
      const view = held.following()
      if (!view) return undefined
      const after = await healPools(deps, { view, ids })
      if (after.healed) held.put(after.view)
      return after.healed
    })

  const isKnown = (id: string) =>
    held.following()?.state.pools.has(id) === true || deps.bounds.isShelved(id)

  return {
    /** Reads pools anew that could not be read before; only good ones come in. */
    tryAgain: takeIn(async ({ state }) => {
      const pools = deps.isHeld() ? [] : deps.troubled.due(mostTried)
      if (pools.length === 0) return []
      const at = { blockNumber: state.head.number }
      const read = await loadPools(
        { ...deps, client: held.unhurried(deps.client) },
        { pools, ...at },
      )
      const well = new Set(read.map(({ id }) => id))
      return pools.filter((pool) => well.has(idOf(pool)))
    }),

    /** Reads pools on the shelf that may have become worth following. */
    lookAtShelf: takeIn(async ({ state: { head, pools: followed } }) => {
      const pools = deps.bounds.due(deps.isHeld() ? 'asked' : 'all')
      if (pools.length === 0) return []
      const at = { blockNumber: head.number }
      const read = await loadPools(
        { ...deps, client: held.unhurried(deps.client) },
        { pools, ...at },
      )
      const worthy = new Set(deps.bounds.sift({ pools: followed, asked: pools, read }))
      return pools.filter((pool) => worthy.has(idOf(pool)))
    }),

    /** Goes some blocks further back for pools of a token that was asked for. */
    searchBack: takeIn(async ({ state: { head } }) => {
      const { client, hasRoom } = auditor()
      // As of creations that are scanned: a fork would have its chain asked for all of its past.
      if (deps.origin || !(await hasRoom())) return []
      const at = { client, dexes: deps.dexes, tokens: deps.tokens, blockNumber: head.number }
      const { token, pools } = await deps.backSearch.step(at)
      if (token && pools.length > 0) deps.bounds.ask([token])
      return pools
    }),

    /** Reads some of the pools anew; what is as it was is not touched, and nothing waits for it. */
    audit: beside(async () => {
      const { client, hasRoom } = auditor()
      // Those whose turn it was have it first, once there is room again.
      if (!(await hasRoom()) && deps.now() - auditedAtMs < longestHeldMs) return
      const state = held.following()?.state
      const records = state ? deps.audit.pick(state.pools) : []
      if (!state || records.length === 0) return
      auditedAtMs = deps.now()
      const { wrong, gone } = await comparePools({ ...deps, client }, { state, records })
      const ids = [...wrong.map(({ id }) => id), ...gone]
      deps.audit.done(records, ids.length > 0 ? ((await heal(ids)) ?? 0) : 0)
    }),

    /** Asks once more for logs that were asked for once; pools of which something else is told are read anew. */
    lookAgain: beside(async () => {
      const { client, others, hasRoom } = auditor()
      if (!(await hasRoom())) return
      const state = held.following()?.state
      const part = deps.askedOnce.pick()
      if (!state || !part) return
      const { filter } = listenFor(deps, state)
      const whole = { from: part.fromBlock, to: part.toBlock }
      // What is another teller's comes next.
      const { to: toBlock, teller } = firstRun(part.tellers ?? [], whole)
      const asked = { ...part, toBlock, filter, bounds: askedAgain }
      const ask = (whom: typeof client) => readLogPart({ client: whom }, asked)
      // The one that left some out may leave them out again; who tells of none may have let go of all.
      const [other] = others?.(teller) ?? []
      const said = other && (await inTime(ask(other.client)).catch(() => undefined))
      const fail = (error: unknown) => {
        deps.askedOnce.failed(part)
        throw error
      }
      const isOther = said !== undefined && said !== 'late' && said.logs.length > 0
      const { logs, last } = isOther ? said : await ask(client).catch(fail)
      deps.askedOnce.done(part, last)
      const differing = await listDiffering(part, { logs, whose: isOther ? 'other' : 'same' })
      const followed = differing.filter((id) => state.pools.has(id))
      // The next block waits until some are read, and not for all of them. Each is read once, whatever the other
      // endpoint makes up of all parts.
      for (const ids of chunk(deps.askedOnce.listUnread(part, followed), mostTried)) {
        const healed = await heal(ids)
        if (healed !== undefined) deps.askedOnce.read(ids, state.head.number)
      }
    }),

    /**
     * Holds the logs of some blocks against what another endpoint tells. Pools on which they differ are read anew;
     * where that shows who was wrong, the other one is asked first.
     */
    holdAgainst: beside(async () => {
      const { others, hasRoom } = deps.auditor
      // What is picked is looked at, or nobody looks at it any more.
      if (!(await hasRoom())) return
      const state = held.following()?.state
      const listOthers = ({ teller }: HeardPart) => others?.(teller) ?? []
      const picked = deps.heardBlocks.pick((part) => listOthers(part).map(({ client }) => client))
      if (!state || !picked) return
      const { part, judge: witness } = picked
      const ids = (await findContested({ witness }, part)).filter((id) => {
        const record = state.pools.get(id)
        return record && !isSampled(record)
      })
      const { number: blockNumber } = state.head
      const healed = (await heal(takeTurn(ids, { blockNumber, most: mostDoubted }))) ?? 0
      deps.heardBlocks.done(witness, { contested: ids.length, healed })
      if (healed > 0)
        listOthers(part)
          .find(({ client }) => client === witness)
          ?.prefer()
    }),

    /** Looks at some earlier blocks for pools that no factory was asked for, and nothing waits for it. */
    scanCreations: beside(async () => {
      const { client, others, hasRoom } = auditor()
      const view = held.following()
      // A fork would have its chain asked for the whole past of it.
      if (!view || deps.origin || !deps.scan.isDue() || !(await hasRoom())) return
      const step = await deps.scan.step({ client, others, refused: failed })
      if (!step) return
      const { state } = view
      const { dexes } = deps.scan
      const at = { blockNumber: state.head.number }
      const named = await findCreated({ ...deps, dexes }, { state, logs: step.logs, ...at })
      // Those that were read in vain a short while ago have their turn.
      const found = dedupePools(named).filter((pool) => !deps.troubled.isResting(idOf(pool)))
      for (const part of chunk(found, mostTried))
        await inTurn(() =>
          held.change((following) => adoptPools(deps, { view: following, found: part })),
        )
      const pools = found.map(idOf).filter(isKnown).length
      step.done({ pools, vain: found.length - pools })
    }),

    /** Lets go of pools that are not worth following any more, and of tokens that none holds. */
    review: () =>
      inTurn(async () => {
        const view = held.following()
        const gone = view && deps.bounds.review(view.state.pools)
        if (!gone) return
        const { state } = view
        const next = advanceState(deps, { state, head: state.head, changed: [], gone })
        const { tokenIndex } = next.market
        // Pools have made room since the last look, too.
        deps.tokens.prune(
          (token) =>
            tokenIndex.has(token) || deps.bounds.isAsked(token) || deps.bounds.isShelving(token),
        )
        if (gone.size > 0) held.put({ ...view, state: next })
      }),
  }
}
