import { EventEmitter } from 'node:events'

/** Whether this process is the one that does a thing for all. */
export type Leadership = {
  isHeld(): boolean
  /** Lets another process take it at once. */
  close(): Promise<void>
}

/** How processes on one database share work. */
export type Coordination = {
  /**
   * Stands for election until closed. `won` is called each time this process becomes the one, with a term
   * above that of every holder before it; `lost` when it is the one no longer.
   */
  elect(election: {
    readonly name: string
    readonly won?: ((term: number) => void) | undefined
    readonly lost?: (() => void) | undefined
  }): Leadership
  /** Tells every process that listens, this one too. At most once, and lost while nobody listens. */
  publish(message: {
    readonly channel: string
    readonly payload?: string | undefined
  }): Promise<void>
  /**
   * `heard` is also called without a payload after every gap in which messages may have been lost.
   * Answers with what ends it.
   */
  subscribe(
    channel: string,
    heard: (payload: string | undefined) => void,
  ): { close(): Promise<void> }
}

/** One process, or several on one file that all do everything: the same bytes twice do no harm. */
export function createLocalCoordination(): Coordination {
  const hub = new EventEmitter().setMaxListeners(0)
  return {
    elect({ won, lost }) {
      let held = true
      let isTold = false
      queueMicrotask(() => {
        if (!held) return
        isTold = true
        won?.(1)
      })
      return {
        isHeld: () => held,
        async close() {
          held = false
          if (isTold) lost?.()
          isTold = false
        },
      }
    },
    async publish({ channel, payload = '' }) {
      hub.emit(channel, payload)
    },
    subscribe(channel, heard) {
      hub.on(channel, heard)
      return {
        async close() {
          hub.off(channel, heard)
        },
      }
    },
  }
}
