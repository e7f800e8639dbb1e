import type { FeedMessage } from './discoveryDesk.ts'
import type { LeadRun } from './leadChain.ts'

type Wanted = Extract<FeedMessage, { kind: 'wanted' }>

/** Looks for pools on behalf of followers; asked for the same again meanwhile, it looks once. */
export function createFollowerAnswers({
  tell,
  failed,
}: {
  readonly tell: (message: FeedMessage) => void
  readonly failed: (error: unknown) => void
}) {
  const looking = new Set<string>()

  async function look({ sync, publisher }: LeadRun, { tokens, beside }: Wanted): Promise<void> {
    const isKnown = tokens.every((token) => sync.current()?.market.tokenIndex.has(token))
    // A follower asks again while nobody answers.
    if (!isKnown && (await sync.discover(tokens, beside)).status === 'busy') return
    await publisher.wake()
    const seq = publisher.seq()
    if (seq !== undefined) tell({ kind: 'looked', tokens, seq })
  }

  return async (run: LeadRun, wanted: Wanted): Promise<void> => {
    const name = [wanted.tokens, wanted.beside].join(';')
    if (looking.has(name)) return
    looking.add(name)
    await look(run, wanted)
      .catch(failed)
      .finally(() => looking.delete(name))
  }
}
