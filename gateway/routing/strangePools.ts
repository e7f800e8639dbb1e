import { zeroAddress } from 'viem'
import type { Route } from './engine/route.ts'
import { familyOf, isQuoted } from './protocols/families.ts'
import type { PoolRecord } from './protocols/poolRecord.ts'
import type { SyncedState } from './sync/syncedState.ts'

/**
 * Whether somebody else has a say in a pool's swaps: a rate provider, a hook, the oracle of a coin, the
 * code of a quoter. Those may answer a taker otherwise than they answered us.
 */
function isStrange(record: PoolRecord): boolean {
  if (record.parts?.length) return true
  if ('isMoving' in record && record.isMoving) return true
  if ('key' in record && record.key.hooks !== zeroAddress) return true
  return isQuoted(record) || familyOf(record).asksOracles === true
}

/** Pools of a route that may be why it does not deliver. */
export function listStrange(state: SyncedState, route: Route): readonly string[] {
  const ids = new Set(route.steps.map(({ poolId }) => poolId))
  return [...ids].filter((id) => {
    const record = state.pools.get(id)
    return record !== undefined && isStrange(record)
  })
}
