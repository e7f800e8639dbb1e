import { setTimeout as wait } from 'node:timers/promises'
import type { Coordination } from '../../../store/coordination.ts'
import type { Feeds } from '../../../store/feeds.ts'
import type { ChainSync, ChainSyncParameters } from '../chainSync.ts'
import { recordVersion } from '../keptRows.ts'
import { reasonOf } from '../syncEvent.ts'
import type { FeedMessage } from './discoveryDesk.ts'
import { createFeedChannel } from './feedChannel.ts'
import { type Answers, createFollower } from './follower.ts'
import { createFollowerAnswers } from './followerAnswers.ts'
import { createLeadership } from './leadership.ts'
import { createStartWaiters } from './startWaiters.ts'

export type SharedSyncParameters = Omit<
  ChainSyncParameters,
  'snapshots' | 'inherited' | 'stirred'
> & {
  readonly feeds: Feeds
  readonly coordination: Coordination
}

/** Raised when a change of the feed says something new: who does not know it would follow what is gone. */
const feedVersion = 1
/** A follower looks this often even when nobody tells it to. */
const pulseMs = 500
/** Services start without a chain that nobody has read by then. */
const longestStartMs = 20_000

/**
 * A chain followed by one gateway for all that share a database. The elected one reads the node and writes
 * what it reads into the chain's feed; the others follow the feed and ask no node for pools. Gateways of
 * different record versions do not understand each other and elect one each.
 */
export function createSharedSync(parameters: SharedSyncParameters): ChainSync {
  const parts = connectParts(parameters)
  const { follower, leadership, channel, waiters, closing } = parts
  const { chainId } = parameters.chainClient
  const own = () => leadership.run()?.sync
  const serving = (): Answers => own() ?? follower
  const current = () => serving().current()

  return {
    chainId,
    role: () => (own() ? 'leader' : 'follower'),
    async start() {
      if (current()) return
      channel.listen()
      // Tried again while it rests, it stands by itself when it has rested.
      if (leadership.begin() === 'begun') void watch(parts)
      await waiters.wait()
    },
    loading: () => own()?.loading(),
    current,
    async fresh() {
      await serving().fresh()
      return current()
    },
    lagMs: () => Math.max(0, Math.round(Math.min(serving().lagMs(), follower.lagMs()))),
    async discover(tokens, beside) {
      const discovery = await serving().discover(tokens, beside)
      // Who answers now may be another than the one who looked.
      return discovery.status === 'busy' ? discovery : { status: 'looked', state: current() }
    },
    tokens: () => serving().tokens(),
    leftOut: () => serving().leftOut(),
    leftOutPools: () => serving().leftOutPools(),
    asked: (tokens) => serving().asked(tokens),
    bounds: () => serving().bounds(),
    audit: () => serving().audit(),
    coverage: () => serving().coverage(),
    loadLeftMs: () => serving().loadLeftMs(),
    reprice: (tokens) => serving().reprice(tokens),
    async close() {
      closing.abort()
      follower.close()
      waiters.end(new Error('closed'))
      await Promise.all([leadership.close(), channel.close()])
    },
  }
}

type Parts = ReturnType<typeof connectParts>

/** Who follows the feed, who leads when elected, and what they tell each other and the other gateways. */
function connectParts({ feeds, coordination, ...chain }: SharedSyncParameters) {
  const { maxAgeMs, taxOf = () => 0, observe = () => undefined } = chain
  const { now = () => performance.now(), dexes: rows } = chain
  const { chainId } = chain.chainClient
  const feed = `pools ${chainId} v${recordVersion}.${feedVersion}`
  const dexes = new Set(rows.map(({ name }) => name))
  const closing = new AbortController()
  const waiters = createStartWaiters({ longestMs: longestStartMs })

  const failed = (error: unknown) => {
    if (!closing.signal.aborted) observe({ event: 'failed', chainId, reason: reasonOf(error) })
  }
  const channel = createFeedChannel({ coordination, feed, heard, failed })
  const { tell } = channel
  const answer = createFollowerAnswers({ tell, failed })
  const isNeeded = () => !closing.signal.aborted && !leadership.run()
  const arrived = () => waiters.end()
  const reading = { feeds, feed, dexes, taxOf, maxAgeMs, now }
  const follower = createFollower({ ...reading, tell, isNeeded, arrived, failed })
  const leadership = createLeadership({
    feeds,
    feed,
    chain,
    now,
    coordination,
    failed,
    wrote: () => tell({ kind: 'wrote' }),
    read: follower.read,
    began() {
      observe({ event: 'leading', chainId })
      waiters.end()
    },
    couldNotBegin(error) {
      failed(error)
      waiters.end(error)
    },
    /** Follows again, beginning with what this gateway knew as the leader. */
    ended(known) {
      if (known) follower.goOnFrom(known)
      observe({ event: 'following', chainId })
      void follower.pull()
    },
  })

  function heard(message: FeedMessage): void {
    const run = leadership.run()
    if (message.kind === 'looked') follower.answered(message)
    else if (message.kind === 'asked') run?.sync.asked(message.tokens)
    else if (message.kind === 'wrote') void follower.pull()
    else if (run) void answer(run, message)
  }

  return { follower, leadership, channel, waiters, closing }
}

async function watch({ closing: { signal }, leadership, follower }: Parts): Promise<void> {
  while (!signal.aborted) {
    await wait(pulseMs, undefined, { signal }).catch(() => undefined)
    void leadership.restIfLagging()
    await follower.pull()
  }
}
