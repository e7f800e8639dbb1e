import { randomUUID } from 'node:crypto'
import type { SharedCaps, SharedCapsStore } from '../store/sharedCaps.ts'

const toldEveryMs = 30_000

/**
 * Lets the other gateways of the database know the caps of this one, every half minute however often it is
 * called; `differs` hears of lower ones, which hold, once until they are gone.
 */
export function createTellCaps(
  {
    store,
    now,
    differs,
  }: {
    readonly store: SharedCapsStore
    readonly now: () => number
    readonly differs: (held: SharedCaps) => void
  },
  { chainId, caps }: { readonly chainId: number; readonly caps: SharedCaps },
): () => Promise<void> {
  const gateway = randomUUID()
  const { maxPerHour, maxSpendPerHourWei } = caps
  let toldAtMs = Number.NEGATIVE_INFINITY
  let hasWarned = false
  return async () => {
    const nowMs = now()
    if (Math.abs(nowMs - toldAtMs) < toldEveryMs) return
    const held = await store.tellCaps({ chainId, gateway, maxPerHour, maxSpendPerHourWei, nowMs })
    toldAtMs = nowMs
    const isLower = held.maxPerHour < maxPerHour || held.maxSpendPerHourWei < maxSpendPerHourWei
    if (isLower && !hasWarned) differs(held)
    hasWarned = isLower
  }
}
