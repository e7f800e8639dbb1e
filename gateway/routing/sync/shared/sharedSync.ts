import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Coordination } from '../../../store/coordination.ts'
import type { Feeds } from '../../../store/feeds.ts'
import type { ChainSync, ChainSyncParameters, Discovery } from '../chainSync.ts'
import { version } from '../poolCodec.ts'
import { reasonOf } from '../syncEvent.ts'
import { createAskedTeller } from './askedTeller.ts'
import { createCandidacy } from './candidacy.ts'
import { createDiscoveryDesk, type FeedMessage, readMessage } from './discoveryDesk.ts'
import { createFeedReader } from './feedReader.ts'
import { createFollowerAnswers } from './followerAnswers.ts'
import { type LeadRun, leadChain } from './leadChain.ts'
import { createStartWaiters } from './startWaiters.ts'

export type SharedSyncParameters = Omit<
  ChainSyncParameters,
  'snapshots' | 'inherited' | 'stirred'
> & {
  readonly feeds: Feeds
  readonly coordination: Coordination
}

/** Where this gateway's answers come from. */
type Role =
  /** What the elected gateway writes, if there is one. */
  | { readonly status: 'following' }
  /** What it reads itself, for all. */
  | ({ readonly status: 'leading' } & LeadRun)
  | { readonly status: 'closed' }

/** Raised when a change of the feed says something new: who does not know it would follow what is gone. */
const feedVersion = 1
/** A follower looks this often even when nobody tells it to. */
const pulseMs = 500
/** A leader whose node does not answer for so long lets another try. */
const longestLagMs = 5_000
/** Services start without a chain that nobody has read by then. */
const longestStartMs = 20_000

/**
 * A chain followed by one gateway for all that share a database. The elected one reads the node and writes
 * what it reads into the chain's feed; the others follow the feed and ask no node for pools. Gateways of
 * different record versions do not understand each other and elect one each.
 */
export function createSharedSync({
  feeds,
  coordination,
  ...chain
}: SharedSyncParameters): ChainSync {
  const {
    chainClient: { chainId },
    maxAgeMs,
    taxOf = () => 0,
    observe = () => undefined,
    now = () => performance.now(),
  } = chain
  const feed = `pools ${chainId} v${version}.${feedVersion}`
  const dexes = new Set(chain.dexes.map(({ name }) => name))
  const reader = createFeedReader({ feeds, feed, dexes, taxOf, now })
  const desk = createDiscoveryDesk({ tell })
  const answer = createFollowerAnswers({ tell, failed })
  const tellAsked = createAskedTeller({ tell, now })
  const waiters = createStartWaiters({ longestMs: longestStartMs })
  const closing = new AbortController()
  const candidacy = createCandidacy({
    coordination,
    name: feed,
    lost: stepDown,
    won(term) {
      takingLead = takeLead(term)
    },
  })
  let role: Role = { status: 'following' }
  let takingLead: Promise<void> = Promise.resolve()
  let subscription: { close(): Promise<void> } | undefined

  function failed(error: unknown): void {
    if (role.status === 'closed') return
    observe({ event: 'failed', chainId, reason: reasonOf(error) })
  }

  function tell(message: FeedMessage): void {
    coordination.publish({ channel: feed, payload: JSON.stringify(message) }).catch(failed)
  }

  /** Serves the feed's latest, unless this gateway knows the chain itself. */
  async function pull(): Promise<void> {
    if (role.status !== 'following') return
    await reader.pull().catch(failed)
    if (reader.current()) waiters.end()
  }

  async function takeLead(term: number): Promise<void> {
    const isOver = () => !candidacy.holds(term)
    try {
      if (!(await feeds.claim(feed, term))) return await candidacy.rest()
      await reader.pull()
      const report = {
        failed,
        wrote: () => tell({ kind: 'wrote' }),
        deposed: () => void candidacy.rest(),
      }
      const from = reader.current()
      const run = await leadChain({ feeds, feed, term, from, chain, now, ...report }, { isOver })
      if (!run) return
      role = { status: 'leading', ...run }
      observe({ event: 'leading', chainId })
      waiters.end()
      await run.publisher.wake()
    } catch (error) {
      failed(error)
      waiters.end(error)
      if (!isOver()) await candidacy.rest()
    }
  }

  /** Follows again, beginning with what this gateway knew as the leader. */
  function stepDown(): void {
    if (role.status !== 'leading') return
    const { sync, publisher } = role
    role = { status: 'following' }
    const state = sync.current()
    const confirmedAtMs = now() - sync.lagMs()
    const tokens = sync.tokens()
    const leftOut = { leftOut: sync.leftOut(), leftOutPools: sync.leftOutPools() }
    if (state) reader.serve({ state, tokens, ...leftOut, confirmedAtMs, seq: undefined })
    void publisher.close()
    sync.close().catch(failed)
    observe({ event: 'following', chainId })
    void pull()
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await wait(pulseMs, undefined, { signal: closing.signal }).catch(() => undefined)
      if (role.status === 'leading' && role.sync.lagMs() > longestLagMs) void candidacy.rest()
      await pull()
    }
  }

  function heard(payload: string | undefined): void {
    const message = payload === undefined ? undefined : readMessage(payload)
    if (message?.kind === 'looked') desk.answered(message)
    else if (message?.kind === 'asked') own()?.asked(message.tokens)
    else if (message?.kind !== 'wanted') void pull()
    else if (role.status === 'leading') void answer(role, message.tokens)
  }

  async function discover(tokens: readonly Address[]): Promise<Discovery> {
    if (role.status === 'leading') return role.sync.discover(tokens)
    const seq = await desk.ask(tokens)
    if (seq === undefined) return { status: 'busy' }
    if ((reader.current()?.seq ?? 0) < seq) await pull()
    return { status: 'looked', state: current() }
  }

  const own = () => (role.status === 'leading' ? role.sync : undefined)
  const current = () => (role.status === 'leading' ? role.sync.current() : reader.current()?.state)

  return {
    chainId,
    role: () => (own() ? 'leader' : 'follower'),
    async start() {
      if (current()) return
      subscription ??= coordination.subscribe(feed, heard)
      // Tried again while it rests, it stands by itself when it has rested.
      if (candidacy.begin() === 'begun') void watch()
      await waiters.wait()
    },
    current,
    async fresh() {
      if (role.status === 'leading') return role.sync.fresh()
      // The leader's word arrives by itself; asking for it twice in the same moment brings nothing.
      if (now() - reader.readAtMs() > maxAgeMs) await pull()
      return current()
    },
    lagMs() {
      const heardMs = now() - (reader.current()?.confirmedAtMs ?? Number.NEGATIVE_INFINITY)
      return Math.max(0, Math.round(Math.min(own()?.lagMs() ?? heardMs, heardMs)))
    },
    discover,
    tokens: () => own()?.tokens() ?? reader.current()?.tokens ?? new Map(),
    leftOut: () => own()?.leftOut() ?? reader.current()?.leftOut ?? [],
    leftOutPools: () => own()?.leftOutPools() ?? reader.current()?.leftOutPools ?? [],
    asked(tokens) {
      if (role.status === 'leading') role.sync.asked(tokens)
      else tellAsked(tokens)
    },
    bounds: () => own()?.bounds(),
    reprice: async (tokens) => (own() ?? reader).reprice(tokens),
    async close() {
      const last = role
      role = { status: 'closed' }
      closing.abort()
      desk.close()
      waiters.end(new Error('closed'))
      if (last.status === 'leading') {
        await last.publisher.close()
        await last.sync.close()
      }
      await Promise.all([candidacy.close(), subscription?.close()])
      await takingLead
    },
  }
}
