import type { Coordination } from '../../../store/coordination.ts'
import { createCandidacy } from './candidacy.ts'
import type { Followed } from './feedReader.ts'
import { type LeadParameters, type LeadRun, leadChain, tellKnown } from './leadChain.ts'

/** Whether this gateway reads the chain for all that share its feed. */
type State =
  /** It does not; `taking`: it was elected, and may do so soon. */
  | { readonly status: 'following'; readonly taking?: Promise<void> | undefined }
  | { readonly status: 'leading'; readonly run: LeadRun }
  | { readonly status: 'closed' }

export type LeadershipParameters = Omit<LeadParameters, 'term' | 'from' | 'deposed'> & {
  readonly coordination: Coordination
  /** Where the feed stands. */
  readonly read: () => Promise<Followed | undefined>
  readonly began: () => void
  readonly couldNotBegin: (error: unknown) => void
  /** Led no longer; `known` is what this gateway knew by then. */
  readonly ended: (known: Followed | undefined) => void
}

/** A leader whose node does not answer for so long lets another try. */
const longestLagMs = 5_000

/** Leads whenever this gateway is elected, from where the feed stands, until the term is over. */
export function createLeadership({
  coordination,
  read,
  began,
  couldNotBegin,
  ended,
  ...lead
}: LeadershipParameters) {
  const { feeds, feed, now, failed } = lead
  const candidacy = createCandidacy({ coordination, name: feed, won, lost })
  let state: State = { status: 'following' }

  function won(term: number): void {
    if (state.status === 'following') state = { ...state, taking: takeLead(term) }
  }

  async function takeLead(term: number): Promise<void> {
    const isOver = () => !candidacy.holds(term)
    const deposed = () => void candidacy.rest()
    try {
      if (!(await feeds.claim(feed, term))) return await candidacy.rest()
      const run = await leadChain({ ...lead, term, from: await read(), deposed }, { isOver })
      if (run) await begin(run)
    } catch (error) {
      couldNotBegin(error)
      if (!isOver()) await candidacy.rest()
    }
  }

  async function begin(run: LeadRun): Promise<void> {
    if (state.status !== 'following') return await end(run)
    state = { status: 'leading', run }
    began()
    await run.publisher.wake()
  }

  function lost(): void {
    if (state.status !== 'leading') return
    const { run } = state
    state = { status: 'following' }
    ended(tellKnown(run.sync, now))
    end(run).catch(failed)
  }

  const run = () => (state.status === 'leading' ? state.run : undefined)
  return {
    /** 'had begun' where it was asked before. */
    begin: candidacy.begin,
    /** While it leads. */
    run,
    async restIfLagging(): Promise<void> {
      if ((run()?.sync.lagMs() ?? 0) > longestLagMs) await candidacy.rest()
    },
    async close(): Promise<void> {
      const last = state
      state = { status: 'closed' }
      if (last.status === 'leading') await end(last.run)
      await candidacy.close()
      if (last.status === 'following') await last.taking
    },
  }
}

async function end({ publisher, sync }: LeadRun): Promise<void> {
  await Promise.all([publisher.close(), sync.close()])
}
