import type { Address } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import type { TokenInfo } from '../reads/readTokens.ts'
import { createAskedOnce } from './askedOnce.ts'
import { type AuditStatus, createAudit } from './audit.ts'
import { createBackSearch } from './backSearch.ts'
import { createBlockClock } from './blockClock.ts'
import { createPartners } from './bounds/partners.ts'
import { type BoundsStatus, createPoolBounds } from './bounds/poolBounds.ts'
import { sortByDepth } from './bounds/sortByDepth.ts'
import type { PoolLimits } from './bounds/standing.ts'
import { createChainReader } from './chainReader.ts'
import type { Origin, SyncDeps } from './chainView.ts'
import { createFoundPools, type DexCoverage, listCoverage } from './coverage.ts'
import { createCreationScan } from './creationScan.ts'
import { createDexBook } from './dexBook.ts'
import { createHeadTicks, shortestMs } from './headTicks.ts'
import { createHeardBlocks } from './heardBlocks.ts'
import { createLoadProgress } from './loadProgress.ts'
import { createRefreshBook } from './refreshBook.ts'
import { createRestLoader } from './restLoader.ts'
import { createSnapshotKeeper } from './snapshotKeeper.ts'
import type { Restored } from './snapshotWriter.ts'
import { reasonOf, type SyncEvent } from './syncEvent.ts'
import type { SyncedState, TaxOf } from './syncedState.ts'
import { createTokenBook } from './tokenBook.ts'
import { createTroubledPools, type LeftOutPool } from './troubledPools.ts'
import type { LeftOut } from './verifyDexes.ts'

/** Who reads the chain: this gateway for itself, or one that was elected and writes for the others. */
export type SyncRole = 'alone' | 'leader' | 'follower'

/** `busy`: too many tokens wait already to be looked for. */
export type Discovery =
  | { readonly status: 'looked'; readonly state: SyncedState | undefined }
  | { readonly status: 'busy' }

export type ChainSync = {
  readonly chainId: number
  role(): SyncRole
  /** Loads what is quoted first; throws when the chain cannot be read. Then follows until `close`. */
  start(): Promise<void>
  /** Resolves when all that was to be loaded is; undefined where nothing is being loaded. */
  loading(): Promise<void> | undefined
  current(): SyncedState | undefined
  /**
   * The state after asking the node for its head, unless it was asked within `maxAgeMs`. Where that is more
   * than 0, a node that is slow to answer is not waited for: the state as it was a moment ago is answered.
   */
  fresh(): Promise<SyncedState | undefined>
  /** Milliseconds since the state was last known to be the node's head; Infinity before the first. */
  lagMs(): number
  /**
   * Reads the pools of tokens (lower case) that are not followed yet, and follows them from now on: those
   * with each other, with hubs and deep tokens, and with the tokens beside them. Rejects when the chain
   * cannot be read.
   */
  discover(tokens: readonly Address[], beside?: readonly Address[]): Promise<Discovery>
  tokens(): ReadonlyMap<string, TokenInfo>
  /** Configured DEXes that are not what their rows say on this chain; they are not asked again. */
  leftOut(): readonly LeftOut[]
  /** Pools that are left out since reading them failed; they are tried again later and later. */
  leftOutPools(): readonly LeftOutPool[]
  /** Callers asked for these tokens (lower case): their pools are followed below the floor, too. */
  asked(tokens: readonly string[]): void
  /** What the bounds of the market have done; undefined where another gateway keeps them. */
  bounds(): BoundsStatus | undefined
  /** What reading pools anew has come to; undefined where another gateway reads them. */
  audit(): AuditStatus | undefined
  /** What there is of each DEX' pools; undefined where another gateway reads them and has not told. */
  coverage(): readonly DexCoverage[] | undefined
  /** Until all of them are loaded, at the pace so far; undefined where none are, or nobody can tell. */
  loadLeftMs(): number | undefined
  /** Prices the pools of these tokens again: their taxes have become known. */
  reprice(tokens: readonly string[]): Promise<SyncedState | undefined>
  /** Stops following and keeps the state for the next start. */
  close(): Promise<void>
}

/** Of who reads the chain. */
export type OwnSync = ChainSync & {
  /** Where the scan of creations is; undefined where none has begun. */
  scanned(): string | undefined
}

export type ChainSyncParameters = {
  readonly chainClient: ChainClient
  readonly dexes: readonly Dex[]
  /** Tokens whose pools are looked for at start. */
  readonly seedTokens: readonly TokenInfo[]
  readonly pollMs: number
  /** The chain's usual time between blocks: each is looked for when it is due, and so often where it is late. */
  readonly blockMs?: number | undefined
  /** A quote asks for the head itself when the state was confirmed longer ago than this. */
  readonly maxAgeMs: number
  /** `majors`: the pools among them are loaded and quoted, and the others come in behind. Default: all. */
  readonly loadsFirst?: 'all' | 'majors' | undefined
  /** Pools of a list: their pairs are looked for where not all is loaded first. Default: none. */
  readonly deepPools?: readonly Address[] | undefined
  /** What moves without events is read so often, where blocks come faster. Default: at every block. */
  readonly refreshMs?: number | undefined
  /** How far the market may grow. Default: as far as it likes. */
  readonly limits?: PoolLimits | undefined
  /** Transfer taxes as far as they are known. */
  readonly taxOf?: TaxOf | undefined
  /** For a chain that is a fork: the chain it was forked from, and the block. */
  readonly origin?: Origin | undefined
  /** Where pools are kept between runs. */
  readonly snapshots?: PoolSnapshots | undefined
  /** What another process has read already, to go on from. */
  readonly inherited?: Restored | undefined
  /** Called each time the state was confirmed or changed. */
  readonly stirred?: (() => void) | undefined
  readonly observe?: ((event: SyncEvent) => void) | undefined
  readonly now?: (() => number) | undefined
}

/** A quote waits no longer than this for the node to confirm the head; then the lag tells. */
const longestConfirmMs = 2_000
/**
 * The same where the state is not old, and need not be the newest: it is followed anyway. What a look that is under
 * way has taken already is a part of it: who comes while a block is read for long does not wait at all.
 */
const briefConfirmMs = 50
/** A followed state older than this is not trusted where the chain can be asked. */
export const oldMs = 3_000

/** Follows one chain: discovers and loads its pools, then applies each block's events. */
export function createChainSync(parameters: ChainSyncParameters): OwnSync {
  const { chainClient, maxAgeMs } = parameters
  const parts = connectParts(parameters)
  const { reader, keeper, dexBook, clock, closing, confirm, failed, rest } = parts
  const { tokens, troubled, bounds, audit, now } = parts.deps
  return {
    chainId: chainClient.chainId,
    role: () => 'alone',
    async start() {
      await chainClient.checkChainId()
      if (!(await restore(parts, parameters))) await loadFirst(parts, parameters)
      // Quotes need not wait for it; closing does.
      void keeper?.save()
      void follow(parts, parameters)
      if (reader.isPart()) rest.loadOn()
      // It is loaded and followed: no reason to start it once more.
      else await parts.verify().catch(failed)
    },
    loading: rest.loading,
    current: reader.current,
    async fresh() {
      const ageMs = reader.sinceConfirmedMs()
      const isBrief = maxAgeMs > 0 && ageMs <= oldMs
      const isDue = (clock?.lookAtMs(parameters.pollMs) ?? 0) <= now()
      const patienceMs = isBrief ? briefConfirmMs - parts.lookedForMs() : longestConfirmMs
      if (ageMs >= maxAgeMs && isDue && patienceMs > 0) await confirm(patienceMs)
      return reader.current()
    },
    lagMs: () => Math.max(0, Math.round(reader.sinceConfirmedMs())),
    async discover(wanted, beside = []) {
      const looked = reader.discover({ tokens: wanted, beside })
      if (looked === 'busy') return { status: 'busy' }
      await looked
      return { status: 'looked', state: reader.current() }
    },
    reprice: reader.reprice,
    tokens: tokens.all,
    leftOut: dexBook.leftOut,
    leftOutPools: troubled.list,
    asked: reader.asked,
    bounds: bounds.status,
    audit: audit.status,
    coverage: parts.coverage,
    scanned: parts.deps.scan.place,
    loadLeftMs: parts.deps.progress.leftMs,
    async close() {
      closing.abort()
      await keeper?.save()
    },
  }
}

type Parts = ReturnType<typeof connectParts>

function connectParts(parameters: ChainSyncParameters) {
  const { chainClient, dexes, seedTokens, limits, origin, snapshots, deepPools = [] } = parameters
  const { stirred = () => undefined, now = () => performance.now() } = parameters
  const { taxOf = () => 0, observe = () => undefined, refreshMs = 0, blockMs } = parameters
  const { loadsFirst = 'all' } = parameters
  const { chainId, chain, client, others, tellerOf } = chainClient
  const tokens = createTokenBook({ seedTokens, wrappedNative: chain.wrappedNative })
  const troubled = createTroubledPools({ now })
  const bounds = createPoolBounds({ assets: chain, limits, dexes: () => dexes, now })
  const sorted = (records: readonly PoolRecord[]) => sortByDepth(records, chain)
  const audit = createAudit({ sortByDepth: sorted, now })
  const found = createFoundPools()
  const progress = createLoadProgress({ now })
  const scan = createCreationScan({ dexes, tokens, now })
  const dexBook = createDexBook(dexes, { hasKnownTokens: seedTokens.length > 1 })
  const deps: SyncDeps = {
    chainId,
    client,
    others,
    tellerOf,
    origin,
    tokens,
    hubs: chain.hubTokens,
    majors: chain.majorTokens ?? [],
    loadsFirst,
    deepPools,
    troubled,
    found,
    progress,
    scan,
    bounds,
    refreshes: createRefreshBook({ refreshMs, blockTimeMs: chain.blockTimeMs }),
    audit,
    askedOnce: createAskedOnce({ now }),
    heardBlocks: createHeardBlocks({ now }),
    backSearch: createBackSearch(),
    auditor: {
      ...chainClient.as('audit'),
      hasRoom: () => chainClient.hasRoom('audit'),
    },
    isHeld: chainClient.isHeld,
    isSmall: chainClient.isSmall,
    taxOf,
    observe,
    now,
    get dexes() {
      return dexBook.usable()
    },
  }
  const partnersOf = createPartners({ hubs: chain.hubTokens, sortByDepth: sorted, now })
  const clock =
    blockMs === undefined ? undefined : createBlockClock({ usualMs: blockMs, leastMs: shortestMs })
  const noted = () => {
    const [state, confirmedAtMs] = [reader.current(), reader.confirmedAtMs()]
    if (clock && state && confirmedAtMs !== undefined) clock.note(state.head, confirmedAtMs)
    dexBook.prove(state?.pools.values() ?? [])
    stirred()
  }
  const reader = createChainReader(deps, { partnersOf, stirred: noted })
  const failed = (error: unknown) => {
    observe({ event: 'failed', chainId, reason: reasonOf(error) })
  }
  let looking: Promise<void> | undefined
  /** Where a look is made when a block is due, one that is under way is the one. */
  function look(): Promise<void> {
    looking ??= reader.confirm().finally(() => {
      looking = undefined
    })
    return looking
  }
  let [waiting, begunAtMs] = [0, 0]
  async function confirm(): Promise<void> {
    if (waiting === 0) begunAtMs = now()
    waiting += 1
    try {
      await (clock ? look() : reader.confirm())
    } finally {
      waiting -= 1
      // Whoever asked meanwhile waits for the next one from now on.
      begunAtMs = now()
    }
    rest.loadOn()
  }
  const keeper =
    snapshots &&
    createSnapshotKeeper({ chainId, snapshots, failed, now, read: reader.current, tokens, scan })
  const closing = new AbortController()

  async function verify(): Promise<void> {
    const state = reader.current()
    if (!state) return
    // Whose pools are on the shelf has answered, too.
    const shelved = bounds.shelved().map(({ dex: { name: dex } }) => ({ dex }))
    const pools = [...state.pools.values(), ...shelved]
    await dexBook.verify(deps, { pools, blockNumber: state.head.number })
    noted()
  }
  const rest = createRestLoader({
    reader: {
      ...reader,
      adoptMissing: (signal) => chainClient.putFirst(() => reader.adoptMissing(signal)),
    },
    verify,
    failed,
    closing,
  })

  return {
    deps,
    reader,
    keeper,
    dexBook,
    clock,
    failed,
    closing,
    rest,
    verify,
    coverage: () =>
      listCoverage({
        dexes,
        leftOut: dexBook.leftOut(),
        loaded: reader.current()?.pools ?? new Map(),
        troubled,
        outside: bounds.outside(),
        found: found.all(),
        isSearched: (dex) => reader.isWhole() || found.hasSearched(dex),
      }),
    // Each caller has its own patience: behind a long load, one that is over must not answer the next.
    confirm: (patienceMs = longestConfirmMs) => atMost(patienceMs, confirm()),
    /** Since the look that is under way began; 0 where none is. */
    lookedForMs: () => (waiting > 0 ? Math.max(0, now() - begunAtMs) : 0),
  }
}

/** False where nothing was kept, or what was is of no use any more. */
async function restore(
  { reader, keeper, deps: { scan } }: Parts,
  { inherited, dexes }: ChainSyncParameters,
): Promise<boolean> {
  const restored = inherited ?? (await keeper?.restore(new Set(dexes.map(({ name }) => name))))
  if (!restored) return false
  const isTaken = await reader.restore(restored, { isInherited: inherited !== undefined })
  if (isTaken && restored.scanned !== undefined) scan.resume(restored.scanned)
  return isTaken
}

async function loadFirst(
  { reader, deps: { chainId, loadsFirst } }: Parts,
  { snapshots }: ChainSyncParameters,
): Promise<void> {
  const isPart = loadsFirst === 'majors' && (await reader.loadMajors())
  if (!isPart) await reader.load()
  await snapshots?.clear(chainId)
}

async function follow(
  { deps: { now }, reader, keeper, clock, failed, confirm, closing: { signal } }: Parts,
  { chainClient, pollMs }: ChainSyncParameters,
): Promise<void> {
  const ticks = createHeadTicks({ heads: chainClient.openHeads?.(), clock, pollMs, signal, now })
  while (!signal.aborted) {
    await confirm()
    void reader.tryAgain()
    void reader.lookAtShelf()
    void reader.searchBack()
    void reader.audit()
    void reader.lookAgain()
    void reader.holdAgainst()
    void reader.scanCreations()
    await reader.review().catch(failed)
    await keeper?.saveIfDue()
    await ticks.next(reader.current()?.head)
  }
  ticks.close()
}

/** Resolves with the work or when the time is over; the work goes on. */
function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
