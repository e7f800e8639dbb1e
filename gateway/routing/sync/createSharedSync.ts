import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Coordination, Leadership } from '../../store/coordination.ts'
import type { Feeds } from '../../store/feeds.ts'
import {
  type ChainSync,
  type ChainSyncParameters,
  createChainSync,
  type Discovery,
} from './chainSync.ts'
import { createFeedReader, type Followed } from './createFeedReader.ts'
import { createPublisher, type Publisher } from './createPublisher.ts'
import { createDiscoveryDesk, type FeedMessage, readMessage } from './discoveryDesk.ts'
import { version } from './poolCodec.ts'

export type SharedSyncParameters = Omit<
  ChainSyncParameters,
  'snapshots' | 'inherited' | 'stirred'
> & {
  readonly feeds: Feeds
  readonly coordination: Coordination
}

type Leading = { readonly sync: ChainSync; readonly publisher: Publisher }

/** A follower looks this often even when nobody tells it to. */
const pulseMs = 500
/** A leader whose node does not answer for so long lets another try. */
const longestLagMs = 5_000
/** And stands again after this. */
const restMs = 2_000
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
  ...parameters
}: SharedSyncParameters): ChainSync {
  const {
    chainClient: { chainId },
    dexes,
    maxAgeMs,
    taxOf = () => 0,
    observe = () => undefined,
    now = () => performance.now(),
  } = parameters
  const feed = `pools ${chainId} v${version}`
  const names = new Set(dexes.map(({ name }) => name))
  const reader = createFeedReader({ feeds, feed, dexes: names, taxOf, now })
  const desk = createDiscoveryDesk({ tell })
  const closing = new AbortController()
  const looking = new Map<string, Promise<unknown>>()
  let leading: Leading | undefined
  let office: Leadership | undefined
  let hasStood = false
  /** The term this gateway holds the office for. */
  let held: number | undefined
  let taking: Promise<void> | undefined
  let ear: { close(): Promise<void> } | undefined
  let firsts: ((error?: unknown) => void)[] = []

  function report(error: unknown): void {
    if (closing.signal.aborted) return
    const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
    observe({ event: 'failed', chainId, reason })
  }

  function tell(message: FeedMessage): void {
    coordination.publish({ channel: feed, payload: JSON.stringify(message) }).catch(report)
  }

  function endStart(error?: unknown): void {
    const ended = firsts
    firsts = []
    for (const end of ended) end(error)
  }

  /** Serves the feed's latest, unless this gateway knows the chain itself. */
  async function pull(): Promise<void> {
    if (leading || closing.signal.aborted) return
    await reader.pull().catch(report)
    if (reader.current()) endStart()
  }

  async function lead(term: number): Promise<void> {
    let sync: ChainSync | undefined
    try {
      if (!(await feeds.claim(feed, term))) return await rest()
      await reader.pull()
      const from = reader.current()
      let publisher: Publisher | undefined
      sync = createChainSync({
        ...parameters,
        inherited: from && toRestored(from),
        stirred: () => void publisher?.wake(),
      })
      await sync.start()
      if (held !== term || closing.signal.aborted) return await sync.close()
      publisher = startPublisher({ term, sync, from })
      leading = { sync, publisher }
      observe({ event: 'leading', chainId })
      endStart()
      await publisher.wake()
    } catch (error) {
      await sync?.close()
      report(error)
      endStart(error)
      if (held === term) await rest()
    }
  }

  function startPublisher({
    term,
    sync,
    from,
  }: {
    readonly term: number
    readonly sync: ChainSync
    readonly from: Followed | undefined
  }): Publisher {
    return createPublisher({
      ...{ feeds, feed, term, now, failed: report, deposed: () => void rest() },
      from:
        from?.seq === undefined
          ? undefined
          : { seq: from.seq, pools: from.state.pools, tokens: countKept(sync, from) },
      read() {
        const state = sync.current()
        const confirmedAtMs = now() - sync.lagMs()
        if (!state || !Number.isFinite(confirmedAtMs)) return undefined
        return {
          ...{ state, confirmedAtMs },
          ...{ tokens: [...sync.tokens().values()], leftOut: sync.leftOut() },
        }
      },
      wrote: () => tell({ kind: 'wrote' }),
    })
  }

  /** Follows again, beginning with what this gateway knew as the leader. */
  function stepDown(): void {
    if (!leading) return
    const { sync, publisher } = leading
    const state = sync.current()
    leading = undefined
    if (state)
      reader.serve({
        ...{ state, tokens: sync.tokens(), leftOut: sync.leftOut(), seq: undefined },
        confirmedAtMs: now() - sync.lagMs(),
      })
    void publisher.close()
    sync.close().catch(report)
    observe({ event: 'following', chainId })
    void pull()
  }

  function stand(): void {
    office = coordination.elect({
      name: feed,
      won(term) {
        held = term
        taking = lead(term)
      },
      lost() {
        held = undefined
        stepDown()
      },
    })
  }

  /** Lets another gateway lead, and stands again later. */
  async function rest(): Promise<void> {
    const left = office
    if (!left || closing.signal.aborted) return
    office = undefined
    stepDown()
    await left.close()
    await wait(restMs, undefined, { signal: closing.signal }).catch(() => undefined)
    if (!closing.signal.aborted) stand()
  }

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await wait(pulseMs, undefined, { signal: closing.signal }).catch(() => undefined)
      if (leading && leading.sync.lagMs() > longestLagMs) void rest()
      await pull()
    }
  }

  function heard(payload: string | undefined): void {
    const message = payload === undefined ? undefined : readMessage(payload)
    if (message?.kind === 'looked') desk.answered(message)
    else if (message?.kind === 'wanted') void lookFor(message.tokens)
    else void pull()
  }

  /** On behalf of a follower; asked for the same again meanwhile, the leader looks once. */
  async function lookFor(tokens: readonly Address[]): Promise<void> {
    const name = tokens.join()
    if (!leading || looking.has(name)) return
    const { sync, publisher } = leading
    const isKnown = tokens.every((token) => sync.current()?.market.tokenIndex.has(token))
    const look = async () => {
      // A follower asks again while nobody answers.
      if (!isKnown && (await sync.discover(tokens)).status === 'busy') return
      await publisher.wake()
      const seq = publisher.seq()
      if (seq !== undefined) tell({ kind: 'looked', tokens, seq })
    }
    const work = look()
      .catch(report)
      .finally(() => looking.delete(name))
    looking.set(name, work)
    await work
  }

  async function discover(tokens: readonly Address[]): Promise<Discovery> {
    if (leading) return leading.sync.discover(tokens)
    const seq = await desk.ask(tokens)
    if (seq === undefined) return { status: 'busy' }
    if ((reader.current()?.seq ?? 0) < seq) await pull()
    return { status: 'looked', state: current() }
  }

  const current = () => (leading ? leading.sync.current() : reader.current()?.state)

  return {
    chainId,
    role: () => (leading ? 'leader' : 'follower'),
    async start() {
      if (current()) return
      ear ??= coordination.subscribe(feed, heard)
      // Tried again while it rests, it stands by itself when it has rested: twice, one would never lead.
      if (!hasStood) {
        hasStood = true
        stand()
        void watch()
      }
      await new Promise<void>((resolve, reject) => {
        const patience = setTimeout(
          () => reject(new Error('nobody reads the chain')),
          longestStartMs,
        )
        firsts.push((error) => {
          clearTimeout(patience)
          if (error === undefined) resolve()
          else reject(error)
        })
      })
    },
    current,
    async fresh() {
      if (leading) return leading.sync.fresh()
      // The leader's word arrives by itself; asking for it twice in the same moment brings nothing.
      if (now() - reader.readAtMs() > maxAgeMs) await pull()
      return current()
    },
    lagMs() {
      const heardMs = now() - (reader.current()?.confirmedAtMs ?? Number.NEGATIVE_INFINITY)
      return Math.max(0, Math.round(Math.min(leading?.sync.lagMs() ?? heardMs, heardMs)))
    },
    discover,
    tokens: () => leading?.sync.tokens() ?? reader.current()?.tokens ?? new Map(),
    leftOut: () => leading?.sync.leftOut() ?? reader.current()?.leftOut ?? [],
    reprice: async (tokens) => (leading ? leading.sync.reprice(tokens) : reader.reprice(tokens)),
    async close() {
      closing.abort()
      desk.close()
      endStart(new Error('closed'))
      const last = leading
      leading = undefined
      await last?.publisher.close()
      await last?.sync.close()
      await Promise.all([office?.close(), ear?.close()])
      await taking
    },
  }
}

/** Taken up first and in order, less those without a pool: the first of `sync` that stand in the feed. */
function countKept(sync: ChainSync, { tokens }: Followed): number {
  const firstNew = [...sync.tokens().keys()].findIndex((token) => !tokens.has(token))
  return firstNew < 0 ? sync.tokens().size : firstNew
}

function toRestored({ state, tokens }: Followed) {
  return { head: state.head, records: [...state.pools.values()], tokens: [...tokens.values()] }
}
