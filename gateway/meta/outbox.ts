import type { EventSink } from '../http/reply.ts'

export type Outbox = {
  /**
   * Sends now, or as soon as the client reads again. Of events with one key only the newest waits,
   * so a client that stops reading holds a bounded number of events here.
   */
  send(event: string, data: unknown, key: string): void
  /** Drops what would only be stale by the time the client reads. */
  sendIfFlowing(event: string, data: unknown): void
  /** Resolves when everything is handed over, or the client is gone. */
  flushed(): Promise<void>
}

/** Order between a sink that says "slow down" and a session that does not wait. */
export function createOutbox(sink: EventSink): Outbox {
  const waiting = new Map<string, { readonly event: string; readonly data: unknown }>()
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    await sink.drained()
    for (const [key, { event, data }] of waiting) {
      waiting.delete(key)
      if (!sink.send(event, data)) await sink.drained()
    }
    draining = undefined
  }
  function handOver(event: string, data: unknown): void {
    if (!sink.send(event, data)) draining = drain()
  }
  return {
    send(event, data, key) {
      if (!draining) return handOver(event, data)
      // A newer one goes to the end: its older neighbours were said before it.
      waiting.delete(key)
      waiting.set(key, { event, data })
    },
    sendIfFlowing(event, data) {
      if (!draining) handOver(event, data)
    },
    async flushed() {
      while (draining) await draining
    },
  }
}
