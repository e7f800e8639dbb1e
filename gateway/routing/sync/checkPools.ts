import type { PoolSnapshot } from '../../store/pools.ts'
import { decodePool } from './poolCodec.ts'

/** @throws Error where one of somebody's pools does not read as one */
export function checkPools({ pools }: Pick<PoolSnapshot, 'pools'>): void {
  for (const { id, state } of pools)
    if (decodePool(state)?.id !== id) throw new Error(`its pool ${id} does not read as one`)
}
