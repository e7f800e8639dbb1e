import type { Fork } from './fork.ts'
import { watchFork } from './watchFork.ts'

/** A fork that is started when it is first asked for, again when it has died, and ended when nobody asks any more. */
export type SlowFork = {
  readonly get: () => Promise<Fork>
  readonly close: () => Promise<void>
}

/** Longer than anything that runs on it may take. */
const idleMs = 5_000

export function createSlowFork({ start }: { readonly start: () => Promise<Fork> }): SlowFork {
  let starting: Promise<Fork> | undefined
  let stopWatching = () => {}
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  async function begin(): Promise<Fork> {
    const fork = await start()
    if (closed) {
      await fork.kill()
      throw new Error('the generation is over')
    }
    stopWatching = watchFork(fork, () => void fork.kill())
    void fork.exited.then(() => {
      stopWatching()
      starting = undefined
      // Its record and its connections are left.
      void fork.kill()
    })
    return fork
  }
  const forget = () => {
    starting = undefined
  }
  async function end() {
    const fork = await starting?.catch(() => undefined)
    stopWatching()
    await fork?.kill()
  }
  return {
    async get() {
      if (closed) throw new Error('the generation is over')
      starting ??= begin()
      starting.catch(forget)
      clearTimeout(idleTimer)
      idleTimer = setTimeout(() => void end(), idleMs).unref()
      return starting
    },
    async close() {
      closed = true
      clearTimeout(idleTimer)
      await end()
    },
  }
}
