import type { Fork } from './fork.ts'
import { watchFork } from './watchFork.ts'

/** A fork that is started when it is first asked for, again when it has died, and ended when nobody asks any more. */
export type SlowFork = {
  readonly get: () => Promise<Fork>
  readonly close: () => Promise<void>
}

/** Longer than anything that runs on it may take. */
const usualIdleMs = 5_000

export function createSlowFork({
  start,
  idleMs = usualIdleMs,
}: {
  readonly start: () => Promise<Fork>
  readonly idleMs?: number | undefined
}): SlowFork {
  let standing: Promise<Fork> | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let closed = false

  function begin(): Promise<Fork> {
    const beginning = startWatched(forget)
    beginning.catch(forget)
    return beginning
    // Another one may stand by then.
    function forget() {
      if (standing === beginning) standing = undefined
    }
  }
  async function startWatched(onExit: () => void): Promise<Fork> {
    const fork = await start()
    if (closed) {
      await fork.kill()
      throw new Error('the generation is over')
    }
    const stopWatching = watchFork(fork, { onWedged: () => void fork.kill() })
    void fork.exited.then(() => {
      stopWatching()
      onExit()
      // Its record and its connections are left.
      void fork.kill()
    })
    return fork
  }
  async function end() {
    const ending = standing
    // Whoever asks while it is being ended gets another.
    standing = undefined
    const fork = await ending?.catch(() => undefined)
    await fork?.kill()
  }
  return {
    async get() {
      if (closed) throw new Error('the generation is over')
      standing ??= begin()
      clearTimeout(idleTimer)
      idleTimer = setTimeout(() => void end(), idleMs).unref()
      return standing
    },
    async close() {
      closed = true
      await end()
    },
  }
}
