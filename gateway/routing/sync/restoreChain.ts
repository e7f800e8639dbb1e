import { catchUp } from './catchUp.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { reloadChain } from './reloadChain.ts'
import type { Ahead } from './skipAhead.ts'
import type { Restored } from './snapshotWriter.ts'
import { reasonOf } from './syncEvent.ts'
import { createSyncedState } from './syncedState.ts'

/** Takes up what an earlier process left; undefined when that is of no use any more. */
export async function restoreChain(
  deps: SyncDeps,
  { restored, isInherited }: { readonly restored: Restored; readonly isInherited: boolean },
): Promise<Following | undefined> {
  const { chainId, tokens, observe, now } = deps
  const { head } = restored
  const records = deps.bounds.begin(restored.records, { areKnown: true })
  if (records.length === 0) return undefined
  const startedAtMs = now()
  tokens.addTraded(restored.tokens, records)
  const own = createSyncedState(deps, { head, records })
  let ahead: Ahead | undefined
  const begun = { state: own, passed: [] }
  const keep = (next: Ahead) => {
    ahead = next
  }
  const result = await catchUp(deps, begun, keep).catch((error: unknown) => {
    if (!ahead) throw error
    return { status: 'inconsistent', reason: reasonOf(error) } as const
  })
  // A node a little behind the one that was read before catches up by itself; so does who is on the way.
  const isBehind = result.status === 'inconsistent' && (isInherited || ahead !== undefined)
  if (result.status === 'inconsistent' && !isBehind) return undefined
  if (result.status === 'lost')
    return deps.loadsFirst === 'majors' ? reloadChain(deps, { state: own }) : undefined
  const ms = Math.round(now() - startedAtMs)
  observe({ event: 'restored', chainId, pools: records.length, ms })
  return {
    status: 'following',
    state: result.status === 'advanced' ? result.state : own,
    passed: result.status === 'advanced' ? result.passed : [],
    unread: [],
    ahead: isBehind ? ahead : undefined,
    confirmedAtMs: isBehind ? undefined : now(),
  }
}
