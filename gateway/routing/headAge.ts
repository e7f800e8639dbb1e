import type { StandsStill } from '../chain/nodes/headHeights.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** How old the head is that quotes are made at, and what stands still where it is old. */
export type HeadAge = {
  /** By its block's clock and ours, and at least since it was seen first: blocks may be of a clock far ahead. */
  readonly ageMs: number
  readonly standsStill: StandsStill | undefined
}

/** Thirty blocks of Base. Chains have stood still for longer (Base for 33 minutes), and then nobody is at fault. */
const oldHeadMs = 60_000

const seenAtMs = new WeakMap<SyncedState['head'], number>()

export function readHeadAge(
  { chainClient }: Pick<RoutingChain, 'chainClient'>,
  { head, dateMs }: { readonly head: SyncedState['head']; readonly dateMs: number },
): HeadAge {
  const { number, timestampSecs } = head
  const firstMs = seenAtMs.get(head) ?? dateMs
  seenAtMs.set(head, firstMs)
  const ageMs = Math.max(0, dateMs - Math.min(firstMs, 1_000 * Number(timestampSecs)))
  const isOld = ageMs > oldHeadMs
  return { ageMs, standsStill: isOld ? chainClient.standsStill(Number(number)) : undefined }
}
