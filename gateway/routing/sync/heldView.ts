import type { ChainView, Following } from './chainView.ts'
import { createTurns } from './turns.ts'

/** What is known of one chain; whoever changes it waits for their turn and begins with what the last one left. */
export function createHeldView(stirred: () => void) {
  let view: ChainView = { status: 'unread' }
  const following = () => (view.status === 'following' ? view : undefined)

  const keep = (next: ChainView) => {
    view = next
  }
  const put = (next: ChainView) => {
    keep(next)
    stirred()
  }

  const inTurn = createTurns()
  let passing: PromiseWithResolvers<void> | undefined

  return {
    inTurn,
    following,
    /** Resolves behind whoever has the turn: all that a node gives is theirs until they are at its head. */
    level: () => inTurn(async () => undefined),
    /** Resolves where no long gap is being passed: whatever else was begun before has the node's calls behind it. */
    passed: async () => passing?.promise,
    /** Only ever in turn: `begin` says that a gap is long, and with the work it is passed. */
    async pass(work: (begin: () => void) => Promise<void>): Promise<void> {
      try {
        await work(() => {
          passing ??= Promise.withResolvers()
        })
      } finally {
        passing?.resolve()
        passing = undefined
      }
    },
    /** Only ever in turn; nobody is told. */
    keep,
    /** Only ever in turn. */
    put,
    /** Only ever in turn. */
    async change(work: (following: Following) => Promise<Following>): Promise<void> {
      const before = following()
      if (before) put(await work(before))
    },
  }
}

export type HeldView = ReturnType<typeof createHeldView>
