import { waitBefore } from '../reads/waitBefore.ts'
import type { ChainView, Following, SyncDeps } from './chainView.ts'
import { createTurns } from './turns.ts'

type Client = SyncDeps['client']

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
  /** What is kept by client is kept. */
  const unhurried = new WeakMap<Client, Client>()

  return {
    inTurn,
    following,
    /** Resolves behind whoever has the turn: all that a node gives is theirs until they are at its head. */
    level: () => inTurn(async () => undefined),
    /** The same client, each of whose requests waits while a long gap is being passed: the node's calls are its. */
    unhurried(client: Client): Client {
      const known = unhurried.get(client) ?? waitBefore(client, async () => passing?.promise)
      unhurried.set(client, known)
      return known
    },
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
