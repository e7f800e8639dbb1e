import type { Hex } from 'viem'
import type { Observe } from './events.ts'
import type { RelayChain } from './relayChain.ts'

type Bytes = { readonly hash: Hex; readonly raw: Hex }

/**
 * Sends committed bytes of one chain, one after the other in the order asked: a sequencer without a
 * mempool refuses a nonce that comes before its predecessor. Whatever the node answers, the row stays
 * and `reconcile` sends the same bytes again until a receipt settles it.
 */
export type Broadcaster = {
  send(bytes: Bytes): Promise<void>
  /** When the node last took these bytes from this process. */
  sentAtMs(hash: Hex): number | undefined
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

export function createBroadcaster(
  { client, chainId }: Pick<RelayChain, 'client' | 'chainId'>,
  { now, observe }: { readonly now: () => number; readonly observe: Observe },
): Broadcaster {
  const sentAt = new Map<Hex, number>()
  let tail: Promise<void> = Promise.resolve()

  async function sendOne({ hash, raw }: Bytes): Promise<void> {
    try {
      await client.client.request({ method: 'eth_sendRawTransaction', params: [raw] })
      sentAt.set(hash, now())
    } catch (cause) {
      observe({ kind: 'broadcast_failed', chainId, hash, cause })
    }
  }

  return {
    send(bytes) {
      tail = tail.then(() => sendOne(bytes))
      return tail
    },
    sentAtMs: (hash) => sentAt.get(hash),
    idle: () => tail,
  }
}
