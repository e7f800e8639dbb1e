import type { Target } from './standingForks.ts'
import type { Upstream } from './upstream.ts'

/**
 * `head`: every request is answered from the head as it stood when the request came (a lab's chain
 * mines with each transaction). `interval`: from a head that is at most so old (a chain with fast blocks).
 */
export type Freshness =
  | { readonly mode: 'head' }
  | {
      readonly mode: 'interval'
      readonly everyMs: number
      /** Stays so far behind the head, for upstreams whose nodes are not all as far. */
      readonly lagBlocks?: number | undefined
      /** Follows no head once nobody has asked for so long; default: always follows. */
      readonly restAfterMs?: number | undefined
    }

/** The block to fork now. */
export async function readTarget(
  { upstream, now }: { readonly upstream: Upstream; readonly now: () => number },
  freshness: Freshness,
): Promise<Target> {
  const askedAtMs = now()
  const head = await upstream.readHead()
  const lag = freshness.mode === 'interval' ? BigInt(freshness.lagBlocks ?? 0) : 0n
  if (lag === 0n || head.blockNumber < lag) return { ...head, askedAtMs }
  const block = await upstream.readBlock({ blockNumber: head.blockNumber - lag })
  return { ...(block ?? head), askedAtMs }
}
