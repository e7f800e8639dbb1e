import type { Coordination } from '../../../store/coordination.ts'
import { type FeedMessage, readMessage } from './discoveryDesk.ts'

/** Where gateways that share a chain's feed talk to each other. */
export function createFeedChannel({
  coordination,
  feed,
  heard,
  failed,
}: {
  readonly coordination: Coordination
  readonly feed: string
  readonly heard: (message: FeedMessage) => void
  readonly failed: (error: unknown) => void
}) {
  let subscription: { close(): Promise<void> } | undefined

  return {
    /** Asked again, it listens no second time. */
    listen(): void {
      subscription ??= coordination.subscribe(feed, (payload) => {
        // After a gap nobody knows what was said: there may be news.
        heard(payload === undefined ? { kind: 'wrote' } : readMessage(payload))
      })
    },
    tell(message: FeedMessage): void {
      coordination.publish({ channel: feed, payload: JSON.stringify(message) }).catch(failed)
    },
    close: async () => subscription?.close(),
  }
}
