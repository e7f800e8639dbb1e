import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { isNative } from '../../chain/chains.ts'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dexes.ts'
import type { PoolSnapshots } from '../../store/pools.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { catchUp, type PassedBlock } from './catchUp.ts'
import { createDiscoveryQueue } from './createDiscoveryQueue.ts'
import { discoverAll, discoverFor } from './discover.ts'
import { loadPools } from './loadPools.ts'
import { readHead } from './readHead.ts'
import { readTokens, type TokenInfo } from './readTokens.ts'
import { createSnapshotWriter, type Restored } from './snapshotWriter.ts'
import { advanceState, createSyncedState, type SyncedState, type TaxOf } from './syncedState.ts'
import { type LeftOut, verifyDexes } from './verifyDexes.ts'

export type SyncEvent =
  | {
      readonly event: 'loaded' | 'restored'
      readonly chainId: number
      readonly pools: number
      readonly ms: number
    }
  | { readonly event: 'reorged'; readonly chainId: number; readonly from: bigint }
  | { readonly event: 'failed'; readonly chainId: number; readonly reason: string }
  /** Reads the chain for all gateways from now on, or no longer. */
  | { readonly event: 'leading' | 'following'; readonly chainId: number }

/** Who reads the chain: this gateway for itself, or one that was elected and writes for the others. */
export type SyncRole = 'alone' | 'leader' | 'follower'

/** `busy`: too many tokens wait already to be looked for. */
export type Discovery =
  | { readonly status: 'looked'; readonly state: SyncedState | undefined }
  | { readonly status: 'busy' }

export type ChainSync = {
  readonly chainId: number
  role(): SyncRole
  /** Loads everything once; throws when the chain cannot be read. Then follows until `close`. */
  start(): Promise<void>
  current(): SyncedState | undefined
  /** The state after asking the node for its head, unless it was asked within `maxAgeMs`. */
  fresh(): Promise<SyncedState | undefined>
  /** Milliseconds since the state was last known to be the node's head; Infinity before the first. */
  lagMs(): number
  /**
   * Reads the pools of tokens (lower case) that are not followed yet, and follows them from now on.
   * Rejects when the chain cannot be read.
   */
  discover(tokens: readonly Address[]): Promise<Discovery>
  tokens(): ReadonlyMap<string, TokenInfo>
  /** Configured DEXes that are not what their rows say on this chain; they are not asked again. */
  leftOut(): readonly LeftOut[]
  /** Prices the pools of these tokens again: their taxes have become known. */
  reprice(tokens: readonly string[]): Promise<SyncedState | undefined>
  /** Stops following and keeps the state for the next start. */
  close(): Promise<void>
}

export type ChainSyncParameters = {
  readonly chainClient: ChainClient
  readonly dexes: readonly Dex[]
  /** Tokens whose pools are looked for at start. */
  readonly seedTokens: readonly TokenInfo[]
  readonly pollMs: number
  /** A quote asks for the head itself when the state was confirmed longer ago than this. */
  readonly maxAgeMs: number
  /** Transfer taxes as far as they are known. */
  readonly taxOf?: TaxOf | undefined
  /**
   * For a chain that is a fork: the chain it was forked from, and the block. A fork fetches each storage
   * slot on its own; the origin answers the large first reads in one go.
   */
  readonly origin?:
    | { readonly client: ChainClient['client']; readonly blockNumber: bigint }
    | undefined
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
const saveEveryMs = 15_000
/** How many passed blocks are remembered to undo a reorg. */
const rememberedBlocks = 128

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown'
}

/** Resolves with the work or when the time is over; the work goes on. */
function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Follows one chain: discovers and loads its pools, then applies each block's events. */
export function createChainSync({
  chainClient,
  dexes,
  seedTokens,
  pollMs,
  maxAgeMs,
  origin,
  snapshots,
  inherited,
  stirred = () => undefined,
  taxOf = () => 0,
  observe = () => undefined,
  now = () => performance.now(),
}: ChainSyncParameters): ChainSync {
  const { chainId, client, chain } = chainClient
  const wrappedNative = chain.wrappedNative.toLowerCase()
  const tokens = new Map<string, TokenInfo>()
  const closing = new AbortController()
  let state: SyncedState | undefined
  let passed: PassedBlock[] = []
  let confirmedAtMs = Number.NEGATIVE_INFINITY
  let savedAtMs = now()
  const writer = snapshots && createSnapshotWriter({ chainId, snapshots })

  let leftOut: readonly LeftOut[] = []
  const deps = {
    client,
    get dexes() {
      return dexes.filter(({ name }) => !leftOut.some(({ dex }) => dex === name))
    },
    taxOf,
    wants: (found: readonly string[]) =>
      found.every((token) => tokens.has(isNative(token) ? wrappedNative : token)),
  }

  function addTokens(infos: readonly TokenInfo[]) {
    for (const info of infos) {
      const id = info.address.toLowerCase()
      const seed = seedTokens.find(({ address }) => address.toLowerCase() === id)
      tokens.set(id, { ...info, symbol: info.symbol || seed?.symbol || '' })
    }
  }

  /** Tokens that a pool holds, and those of the registry: of others there is no end. */
  function pickTraded(infos: readonly TokenInfo[], records: readonly PoolRecord[]): TokenInfo[] {
    const traded = new Set([
      ...records.flatMap((record) => record.tokens),
      ...seedTokens.map(({ address }) => address.toLowerCase()),
    ])
    return infos.filter(({ address }) => traded.has(address.toLowerCase()))
  }

  async function loadAll(): Promise<void> {
    const started = now()
    // The first load of a fork reads its origin; what the fork changed since then comes as events.
    const source = origin && !state ? { ...deps, client: origin.client } : deps
    const head = await readHead(source, source === deps ? undefined : origin?.blockNumber)
    if (!head) throw new Error('the node does not have the block to load')
    const known = [...seedTokens.map(({ address }) => address), ...listAddresses()]
    const found = await discoverAll(source, { tokens: known, blockNumber: head.number })
    const records = await loadPools(source, { pools: found, blockNumber: head.number })
    const unread = new Set([
      ...known.map((address) => address.toLowerCase()),
      ...records.flatMap((record) => record.tokens),
    ]) as ReadonlySet<Address>
    addTokens(await readTokens(source, { tokens: [...unread], blockNumber: head.number }))
    const check = await readHead(source, head.number)
    if (check?.hash !== head.hash) throw new Error('the chain was reorganised while it was loaded')
    state = createSyncedState(deps, { head, records })
    passed = [{ number: head.number, hash: head.hash, changed: [] }]
    confirmedAtMs = now()
    observe({ event: 'loaded', chainId, pools: records.length, ms: Math.round(now() - started) })
    stirred()
    if (source !== deps) await advance()
  }

  function listAddresses(): Address[] {
    return [...tokens.values()].map(({ address }) => address)
  }

  async function advance(): Promise<void> {
    const askedAtMs = now()
    if (!state) return loadAll()
    const result = await catchUp(deps, { state, passed })
    if (result.status === 'lost') return loadAll()
    if (result.status === 'inconsistent') {
      observe({ event: 'failed', chainId, reason: result.reason })
      return
    }
    if (result.status === 'advanced') {
      const { reorgedFrom } = result
      state = result.state
      const kept = passed.filter(({ number }) => reorgedFrom === undefined || number <= reorgedFrom)
      passed = [...kept, ...result.passed].slice(-rememberedBlocks)
      if (reorgedFrom !== undefined) observe({ event: 'reorged', chainId, from: reorgedFrom })
    }
    confirmedAtMs = askedAtMs
    stirred()
  }

  /** State changes run one after the other. */
  let tail: Promise<unknown> = Promise.resolve()
  function serially<result>(work: () => Promise<result>): Promise<result> {
    const run = tail.then(work)
    tail = run.catch(() => undefined)
    return run
  }

  /** A check that has not begun yet serves everybody who asks before it begins. */
  let waiting: Promise<void> | undefined
  function confirm(): Promise<void> {
    waiting ??= serially(async () => {
      waiting = undefined
      try {
        await advance()
      } catch (error) {
        observe({ event: 'failed', chainId, reason: reasonOf(error) })
      }
    })
    // Each caller has its own patience: behind a long load, one that is over must not answer the next.
    return atMost(longestConfirmMs, waiting)
  }

  async function look(wanted: readonly Address[]): Promise<void> {
    if (!state) return
    const { head } = state
    const { hubTokens: hubs } = chain
    const question = { tokens: wanted, hubs, blockNumber: head.number }
    const { records, infos } = await discoverFor(deps, question)
    addTokens(pickTraded(infos, records))
    state = advanceState(deps, { state, head, changed: records })
    stirred()
  }
  const askFor = createDiscoveryQueue({
    inTurn: serially,
    // Told once, however many wait for it.
    look: (wanted) =>
      look(wanted).catch((error: unknown) => {
        observe({ event: 'failed', chainId, reason: reasonOf(error) })
        throw error
      }),
  })

  /** Takes up what an earlier process left; false when that is of no use any more. */
  async function restore(): Promise<boolean> {
    const started = now()
    const restored = inherited ?? (await writer?.restore(new Set(dexes.map(({ name }) => name))))
    if (!restored || restored.records.length === 0) return false
    const { head, records } = restored
    addTokens(pickTraded(restored.tokens, records))
    passed = []
    const own = createSyncedState(deps, { head, records })
    const result = await catchUp(deps, { state: own, passed })
    // A node a little behind the one that was read before catches up by itself.
    const isBehind = result.status === 'inconsistent' && inherited !== undefined
    if (result.status === 'lost' || (result.status === 'inconsistent' && !isBehind)) return false
    state = result.status === 'advanced' ? result.state : own
    passed = result.status === 'advanced' ? [...result.passed] : []
    if (!isBehind) confirmedAtMs = now()
    observe({ event: 'restored', chainId, pools: records.length, ms: Math.round(now() - started) })
    return true
  }

  /** Pools that came into being while nobody followed, or that a new DEX row brings. */
  async function adoptMissing(): Promise<void> {
    const at = state?.head.number
    if (at === undefined) return
    const known = [...seedTokens.map(({ address }) => address), ...listAddresses()]
    const found = await discoverAll(deps, { tokens: known, blockNumber: at })
    await serially(async () => {
      if (!state) return
      const { head, pools } = state
      const missing = found.filter(({ id, address }) => !pools.has((id ?? address).toLowerCase()))
      const records = await loadPools(deps, { pools: missing, blockNumber: head.number })
      const unread = records.flatMap((record) => record.tokens as readonly Address[])
      const fresh = [...new Set(unread)].filter((token) => !tokens.has(token))
      addTokens(await readTokens(deps, { tokens: fresh, blockNumber: head.number }))
      state = advanceState(deps, { state, head, changed: records })
      stirred()
    })
  }

  /** On first contact with the chain: which DEXes are what their rows say. */
  async function verify(): Promise<void> {
    if (!state) return
    const hasKnownTokens = seedTokens.length > 1
    leftOut = await verifyDexes(deps, { dexes, pools: state.pools.values(), hasKnownTokens })
    stirred()
  }

  async function save(): Promise<void> {
    if (!writer || !state) return
    savedAtMs = now()
    // The database is the owner's trouble (disk full, locked): the next attempt tries again.
    await writer.save(state, [...tokens.values()]).catch((error: unknown) => {
      observe({ event: 'failed', chainId, reason: reasonOf(error) })
    })
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await confirm()
      if (now() - savedAtMs > saveEveryMs) await save()
      await wait(pollMs, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  return {
    chainId,
    role: () => 'alone',
    async start() {
      await chainClient.checkChainId()
      const isRestored = await serially(restore)
      if (!isRestored) {
        await serially(loadAll)
        await snapshots?.clear(chainId)
      }
      // Quotes need not wait for it; closing does.
      void save()
      void follow()
      // It is loaded and followed: no reason to start it once more.
      const fail = (error: unknown) => {
        observe({ event: 'failed', chainId, reason: reasonOf(error) })
      }
      if (!isRestored) await verify().catch(fail)
      else adoptMissing().then(verify).catch(fail)
    },
    current: () => state,
    async fresh() {
      if (now() - confirmedAtMs < maxAgeMs) return state
      await confirm()
      return state
    },
    lagMs: () => Math.max(0, Math.round(now() - confirmedAtMs)),
    async discover(wanted) {
      const looked = askFor(wanted)
      if (looked === 'busy') return { status: 'busy' }
      await looked
      return { status: 'looked', state }
    },
    reprice: (repriced) =>
      serially(async () => {
        if (!state) return undefined
        const isHit = (record: PoolRecord) =>
          record.tokens.some((token) => repriced.includes(token))
        const changed = [...state.pools.values()].filter(isHit)
        state = advanceState(deps, { state, head: state.head, changed })
        return state
      }),
    tokens: () => tokens,
    leftOut: () => leftOut,
    async close() {
      closing.abort()
      await save()
    },
  }
}
