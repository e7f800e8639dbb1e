import type { StandsStill } from '../chain/nodes/headHeights.ts'
import type { RoutingChain } from './routingChain.ts'
import type { SyncedState } from './sync/syncedState.ts'

/** How old the head is that quotes are made at, and what stands still where it is old. */
export type HeadAge = {
  /** By its block's clock and ours. */
  readonly ageMs: number
  readonly standsStill: StandsStill | undefined
}

/** Thirty blocks of Base. Chains have stood still for longer (Base for 33 minutes), and then nobody is at fault. */
const oldHeadMs = 60_000

export function readHeadAge(
  { chainClient }: Pick<RoutingChain, 'chainClient'>,
  { head, dateMs }: { readonly head: SyncedState['head']; readonly dateMs: number },
): HeadAge {
  const { number, timestampSecs } = head
  const ageMs = Math.max(0, dateMs - 1_000 * Number(timestampSecs))
  const isOld = ageMs > oldHeadMs
  return { ageMs, standsStill: isOld ? chainClient.standsStill(Number(number)) : undefined }
}
