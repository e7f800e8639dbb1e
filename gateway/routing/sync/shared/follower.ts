import type { Address } from 'viem'
import type { ChainSync, Discovery } from '../chainSync.ts'
import { createAskedTeller } from './askedTeller.ts'
import { createDiscoveryDesk, type FeedMessage } from './discoveryDesk.ts'
import { createFeedReader, type FeedReaderParameters, type Followed } from './feedReader.ts'

export type FollowerParameters = FeedReaderParameters & {
  /** The state is asked for again when it was read longer ago than this. */
  readonly maxAgeMs: number
  readonly tell: (message: FeedMessage) => void
  /** Whether anybody reads what is followed here. */
  readonly isNeeded: () => boolean
  /** There is a state. */
  readonly arrived: () => void
  readonly failed: (error: unknown) => void
}

/** What a gateway tells of a chain, whoever reads it. */
export type Answers = Omit<ChainSync, 'chainId' | 'role' | 'start' | 'loading' | 'close'>

/** What the elected gateway writes, and what it is asked: serves a chain that this gateway does not read. */
export function createFollower({
  maxAgeMs,
  tell,
  isNeeded,
  arrived,
  failed,
  ...feed
}: FollowerParameters) {
  const { now } = feed
  const reader = createFeedReader(feed)
  const desk = createDiscoveryDesk({ tell })
  const current = () => reader.current()?.state

  /** Serves the feed's latest. */
  async function pull(): Promise<void> {
    if (!isNeeded()) return
    await reader.pull().catch(failed)
    if (reader.current()) arrived()
  }

  /** The leader's word arrives by itself; asking for it twice in the same moment brings nothing. */
  async function fresh() {
    if (now() - reader.readAtMs() > maxAgeMs) await pull()
    return current()
  }

  async function discover(
    tokens: readonly Address[],
    beside: readonly Address[] = [],
  ): Promise<Discovery> {
    const seq = await desk.ask({ tokens, beside })
    if (seq === undefined) return { status: 'busy' }
    if ((reader.current()?.seq ?? 0) < seq) await pull()
    return { status: 'looked', state: current() }
  }

  const answers: Answers = {
    current,
    fresh,
    lagMs: () => now() - (reader.current()?.confirmedAtMs ?? Number.NEGATIVE_INFINITY),
    discover,
    tokens: () => reader.current()?.tokens ?? new Map(),
    leftOut: () => reader.current()?.leftOut ?? [],
    leftOutPools: () => reader.current()?.leftOutPools ?? [],
    asked: createAskedTeller({ tell, now }),
    bounds: () => undefined,
    audit: () => undefined,
    coverage: () => reader.current()?.coverage,
    loadLeftMs: () => undefined,
    reprice: async (tokens) => reader.reprice(tokens),
  }
  return {
    ...answers,
    pull,
    /** What stands in the feed, for whom goes on from there; rejects where it cannot be read. */
    async read(): Promise<Followed | undefined> {
      await reader.pull()
      return reader.current()
    },
    goOnFrom: reader.serve,
    answered: desk.answered,
    close: desk.close,
  }
}
