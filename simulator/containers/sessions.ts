import { randomUUID } from 'node:crypto'
import { waitMs } from './protocol.ts'

/** One gateway's run: what it started goes when it goes. */
export type Session = {
  readonly id: string
  readonly forkIds: Set<string>
  readonly noteExit: (forkId: string) => void
  /** The forks that ended since the last wait; stays open for a while when there are none. */
  readonly wait: (closed: Promise<void>) => Promise<readonly string[]>
  readonly isOver: () => boolean
}

export type Sessions = {
  readonly open: () => Session
  readonly get: (id: string) => Session | undefined
  readonly countForks: () => number
}

export function createSessions(deps: { readonly end: (session: Session) => unknown }): Sessions {
  const sessions = new Map<string, Session>()

  function open(): Session {
    const id = randomUUID()
    const forkIds = new Set<string>()
    let exited: string[] = []
    let wake = () => {}
    let over = false
    let idle: NodeJS.Timeout | undefined

    function end() {
      if (over) return
      over = true
      sessions.delete(id)
      deps.end(session)
    }
    function expectWait() {
      clearTimeout(idle)
      idle = setTimeout(end, 2 * waitMs).unref()
    }
    const session: Session = {
      id,
      forkIds,
      noteExit(forkId) {
        forkIds.delete(forkId)
        exited.push(forkId)
        wake()
      },
      async wait(closed) {
        clearTimeout(idle)
        let answered = false
        // A gateway that is killed leaves its open wait behind.
        void closed.then(() => (answered ? undefined : end()))
        if (exited.length === 0) await woken()
        answered = true
        const ended = exited
        exited = []
        expectWait()
        return ended
      },
      isOver: () => over,
    }
    function woken(): Promise<void> {
      return new Promise((resolve) => {
        setTimeout(resolve, waitMs).unref()
        wake = resolve
      })
    }
    sessions.set(id, session)
    expectWait()
    return session
  }
  return {
    open,
    get: (id) => sessions.get(id),
    countForks: () => [...sessions.values()].reduce((sum, { forkIds }) => sum + forkIds.size, 0),
  }
}
