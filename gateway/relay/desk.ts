import type { Hex } from 'viem'
import type { Coordination } from '../store/coordination.ts'
import type { Broadcaster } from './broadcast.ts'
import type { Observe } from './events.ts'
import type { RelayChain } from './relayChain.ts'

/** Where a process hands in what it has signed: one of all processes sends for a chain. */
export type Desk = {
  isChosen(): boolean
  /** Sends, or wakes the one that sends. The bytes are durable: nobody waits for a slow node. */
  offer(bytes: { readonly hash: Hex; readonly raw: Hex }): Promise<void>
  close(): Promise<void>
}

/**
 * Stands for election as a chain's broadcaster. `work` is called when there is something to send: after an
 * election, and when another process has signed.
 */
export function createDesk(
  { chainId }: Pick<RelayChain, 'chainId'>,
  {
    coordination,
    broadcaster,
    observe,
    work,
  }: {
    readonly coordination: Coordination
    readonly broadcaster: Broadcaster
    readonly observe: Observe
    readonly work: () => void
  },
): Desk {
  const channel = `relay_${chainId}`
  const leadership = coordination.elect({
    name: `broadcaster ${chainId}`,
    won() {
      observe({ kind: 'elected', chainId })
      work()
    },
  })
  const subscription = coordination.subscribe(channel, () => {
    if (leadership.isHeld()) work()
  })
  return {
    isChosen: leadership.isHeld,
    async offer(bytes) {
      if (leadership.isHeld()) return broadcaster.offer(bytes)
      try {
        await coordination.publish({ channel })
      } catch (cause) {
        // Unheard, it is found by the broadcaster's next pass.
        observe({ kind: 'broadcast_failed', chainId, hash: bytes.hash, cause })
      }
    },
    async close() {
      await Promise.all([leadership.close(), subscription.close()])
    },
  }
}
