import type { Feeds } from '../../../store/feeds.ts'
import { type ChainSyncParameters, createChainSync, type OwnSync } from '../chainSync.ts'
import type { Followed } from './feedReader.ts'
import { createPublisher, type Publisher } from './publisher.ts'

/** What the elected gateway runs: it reads the node and writes what it reads into the feed. */
export type LeadRun = { readonly sync: OwnSync; readonly publisher: Publisher }

export type LeadParameters = {
  readonly feeds: Feeds
  readonly feed: string
  readonly term: number
  /** What this gateway followed until now. */
  readonly from: Followed | undefined
  readonly chain: Omit<ChainSyncParameters, 'snapshots' | 'inherited' | 'stirred'>
  readonly now: () => number
  readonly wrote: () => void
  readonly deposed: () => void
  readonly failed: (error: unknown) => void
}

/** Starts to read the chain, from where the feed stands; undefined when the term is over by then. */
export async function leadChain(
  { chain, ...parameters }: LeadParameters,
  { isOver }: { readonly isOver: () => boolean },
): Promise<LeadRun | undefined> {
  const { from } = parameters
  let publisher: Publisher | undefined
  const sync = createChainSync({
    ...chain,
    inherited: from && toRestored(from),
    stirred: () => void publisher?.wake(),
  })
  try {
    await sync.start()
  } catch (error) {
    await sync.close()
    throw error
  }
  if (isOver()) {
    await sync.close()
    return undefined
  }
  publisher = startPublisher(sync, parameters)
  return { sync, publisher }
}

function startPublisher(
  sync: OwnSync,
  { from, now, ...parameters }: Omit<LeadParameters, 'chain'>,
): Publisher {
  const coverage = createNowAndThen(sync.coverage, now)
  return createPublisher({
    ...parameters,
    now,
    from:
      from?.seq === undefined
        ? undefined
        : { seq: from.seq, pools: from.state.pools, tokens: [...from.tokens.values()] },
    read() {
      const known = tellKnown(sync, now)
      if (!known || !Number.isFinite(known.confirmedAtMs)) return undefined
      return { ...known, tokens: [...known.tokens.values()], coverage: coverage() }
    },
  })
}

/** It looks at every pool: not at each block. */
const coverageEachMs = 5_000

function createNowAndThen<value>(read: () => value, now: () => number): () => value | undefined {
  let value: value | undefined
  let readAtMs = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - readAtMs >= coverageEachMs) {
      readAtMs = now()
      value = read()
    }
    return value
  }
}

/** What a gateway that reads the chain itself knows of it. */
export function tellKnown(sync: OwnSync, now: () => number): Followed | undefined {
  const state = sync.current()
  const confirmedAtMs = now() - sync.lagMs()
  const leftOut = { leftOut: sync.leftOut(), leftOutPools: sync.leftOutPools() }
  const scanned = sync.scanned()
  return (
    state && { state, confirmedAtMs, tokens: sync.tokens(), ...leftOut, scanned, seq: undefined }
  )
}

function toRestored({ state: { head, pools }, tokens, scanned }: Followed) {
  return { head, records: [...pools.values()], tokens: [...tokens.values()], scanned }
}
