import { setTimeout as wait } from 'node:timers/promises'
import type { Chain, Client, Transport } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import { readAtBlock } from '../../chain/nodes/blockHashes.ts'
import { familyOf, poolIdOf } from '../protocols/families.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { dedupePools } from '../reads/findPools.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { idOf, type LoadParameters, type PoolRef } from '../reads/poolRef.ts'
import type { PartBounds } from '../reads/rangeLogs.ts'
import { type Block, type BlockHead, readBlock } from '../reads/readHead.ts'
import { applyLogs } from './applyLogs.ts'
import type { AskedOnce } from './askedOnce.ts'
import type { PoolBounds } from './bounds/poolBounds.ts'
import { findAncestor, type PassedBlock } from './findAncestor.ts'
import { findCreated } from './findCreated.ts'
import { takeTurn } from './findSilent.ts'
import type { HeardBlocks } from './heardBlocks.ts'
import { isSameSwaps } from './isSameSwaps.ts'
import { judgeFullness } from './judgeFullness.ts'
import { type Listening, listenFor } from './listening.ts'
import { failureReasons, loadPools } from './loadPools.ts'
import { readAllLogs } from './readAllLogs.ts'
import { readBlocks } from './readBlocks.ts'
import { mostDoubted, type ToldLogs } from './readLogs.ts'
import type { RefreshBook } from './refreshBook.ts'
import { refreshPools } from './refreshPools.ts'
import { type Ahead, beginAhead, findStanding, isFarAhead, skipAhead } from './skipAhead.ts'
import type { SyncEvent } from './syncEvent.ts'
import { advanceState, type SyncedState, type TaxOf } from './syncedState.ts'
import type { TokenBook } from './tokenBook.ts'
import type { TroubledPools } from './troubledPools.ts'

type Deps = {
  readonly chainId: number
  readonly client: Client<Transport, Chain>
  readonly others?: ChainClient['others']
  readonly tellerOf?: ChainClient['tellerOf']
  readonly observe: (event: SyncEvent) => void
  readonly dexes: readonly Dex[]
  /** A pool that was just created is worth following when its tokens are known. */
  readonly tokens: Pick<TokenBook, 'hasAll'>
  readonly taxOf: TaxOf
  readonly troubled?: TroubledPools | undefined
  readonly bounds?: PoolBounds | undefined
  readonly refreshes: RefreshBook
  /** Of the logs of a long gap that are held at once. Default: some thousands. */
  readonly partBounds?: PartBounds | undefined
  readonly askedOnce?: Pick<AskedOnce, 'note'> | undefined
  readonly heardBlocks?: Pick<HeardBlocks, 'note'> | undefined
  /** Told where a long gap is being passed. */
  readonly farBehind?: (() => void) | undefined
  readonly isSmall?: (() => boolean) | undefined
}

export type CaughtUp =
  | { readonly status: 'current' }
  | {
      readonly status: 'advanced'
      readonly state: SyncedState
      readonly passed: readonly PassedBlock[]
      readonly reorgedFrom?: bigint | undefined
    }
  /** The node's answers do not fit together, or it lags behind what it said before: ask again. */
  | { readonly status: 'inconsistent'; readonly reason: string }
  /** So far behind that it is cheaper, or no common ancestor is remembered: read everything anew. */
  | { readonly status: 'lost'; readonly reason: string }

/** Beyond this many blocks logs are read by ranges of blocks, but for the newest ones. */
const longestGap = ({ isSmall }: Deps) => (isSmall?.() ? 64n : 128n)
/** Pools that are not open yet, asked again in one step. */
const mostWoken = 4
/** A new pool that takes longer comes in behind the block it was made in. */
const longestLoadMs = 400

type Begun = {
  readonly state: SyncedState
  readonly passed: readonly PassedBlock[]
  /** Of a gap that was begun and not ended. */
  readonly ahead?: Ahead | undefined
}

/**
 * Moves a state to the node's head: events for new blocks, fresh reads for what a reorg undid. A long gap is
 * passed part by part, and `keep` is given what each has come to: where the next one fails, that is to go on from.
 */
export async function catchUp(
  deps: Deps,
  begun: Begun,
  keep: (ahead: Ahead) => void = () => undefined,
): Promise<CaughtUp> {
  for (let { ahead } = begun; ; ) {
    const next = await step(deps, { ...begun, ahead })
    if ('status' in next) return next
    keep(next)
    ahead = next
  }
}

async function step(
  deps: Deps,
  { state, passed, ahead: before }: Begun,
): Promise<CaughtUp | Ahead> {
  const latest = await readBlock(deps)
  if (!latest) return inconsistent('the node has no latest block')
  const { head } = latest
  if (head.hash === state.head.hash) return { status: 'current' }
  const { pools } = state
  const standing = before && (await findStanding(deps, { ahead: before, pools, head }))
  if (standing === 'lagging') return inconsistent('the node lags behind')
  // Most often what was read stands below it: then nobody asks whether the node still has that.
  const isNear = !standing && head.number - state.head.number <= longestGap(deps)
  if (!isNear) deps.farBehind?.()
  const straight = isNear ? await readBlocks(deps, { after: state.head, latest }) : undefined
  const ancestor =
    standing?.anchor ??
    (straight ? state.head : await findAncestor(deps, { newest: state.head, passed, head }))
  if (ancestor === 'lagging') return inconsistent('the node lags behind')
  if (!ancestor) return { status: 'lost', reason: 'no common ancestor' }
  const orphanedFrom = ancestor.number < state.head.number ? ancestor.number : undefined
  const reorgedFrom = standing ? standing.reorgedFrom : orphanedFrom
  const undone = reorgedFrom === undefined ? [] : listUndone({ state, passed, after: reorgedFrom })
  const listening = listenFor(deps, state)
  if (standing ? isFarAhead(standing, head) : head.number - ancestor.number > longestGap(deps)) {
    const ahead = standing ?? beginAhead(pools, { anchor: ancestor, reorgedFrom, stale: undone })
    const next = await skipAhead(deps, { ahead, head, filter: listening.filter })
    return typeof next === 'string' ? refusals[next] : next
  }
  const blocks = straight ?? (await readBlocks(deps, { after: ancestor, latest }))
  if (!blocks) return inconsistent('the blocks do not form a chain')
  const advance = await applyBlocks(deps, {
    state,
    ahead: standing,
    blocks,
    listening,
    passed,
    head,
    isReorg: reorgedFrom !== undefined,
    stale: new Set([...undone, ...(standing?.stale ?? [])]),
  })
  return { status: 'advanced', ...advance, ...(reorgedFrom !== undefined && { reorgedFrom }) }
}

const inconsistent = (reason: string) => ({ status: 'inconsistent', reason }) as const
const refusals = {
  groundless: inconsistent('the node has nothing below its head'),
  shifting: inconsistent('the chain was reorganised while its logs were read'),
  costly: { status: 'lost', reason: 'too many blocks behind' },
} as const

/**
 * Pools that orphaned blocks changed, which cannot be rolled forward from what we hold; and those that
 * came in since: they were read at a block that is no more, or made in one.
 */
function listUndone({
  state,
  passed,
  after,
}: {
  readonly state: SyncedState
  readonly passed: readonly PassedBlock[]
  readonly after: bigint
}): string[] {
  const orphaned = passed.filter(({ number }) => number > after)
  const came = [...state.pools.values()].filter(({ changedBlock }) => changedBlock > after)
  return [...orphaned.flatMap(({ changed }) => changed), ...came.map(({ id }) => id)]
}

async function applyBlocks(
  deps: Deps,
  {
    state,
    ahead,
    blocks,
    listening,
    passed,
    head,
    isReorg,
    stale,
  }: {
    readonly state: SyncedState
    /** What the blocks before these have come to, where they were not read one by one. */
    readonly ahead: Ahead | undefined
    readonly blocks: readonly Block[]
    readonly listening: Listening
    /** Those before, as far as they are remembered. */
    readonly passed: readonly PassedBlock[]
    readonly head: BlockHead
    readonly isReorg: boolean
    /** Ids of pools to read again; those of which only another read can tell are added. */
    readonly stale: Set<string>
  },
): Promise<{ state: SyncedState; passed: PassedBlock[] }> {
  const blockNumber = head.number
  // Others may be told meanwhile of a block that takes its place.
  const at = { ...deps, client: readAtBlock(deps.client, head) }
  const { pools } = listening
  const judge = (falseShare: number) => judgeFullness(passed, falseShare)
  const due = isReorg
    ? pools
    : deps.refreshes.due(pools, { from: state.head.number, to: blockNumber })
  const [refreshedDue, told] = await Promise.all([
    refreshPools(at, { pools: due, blockNumber }),
    readAllLogs(deps, { blocks, listening, passed, judge }),
  ])
  const logs = told.flatMap((one) => one.logs)
  const heardOf = blocks.map(({ head: own }, index) => ({
    head: own,
    logs: told[index]?.logs ?? [],
    teller: told[index]?.teller,
  }))
  if (deps.others) deps.heardBlocks?.note({ filter: listening.filter, blocks: heardOf })
  for (const { alone } of told) for (const id of alone) stale.add(id)
  const doubted = takeTurn(
    told.flatMap(({ silent }) => silent.map(({ id }) => id)),
    { blockNumber, most: mostDoubted },
  )
  // An event says of some families only that there is something to read.
  const moved = new Set([...(ahead?.moved ?? []), ...logs.map(poolIdOf), ...doubted])
  const done = new Set(due.map(({ id }) => id))
  const heard = pools.filter(
    (record) => moved.has(record.id) && !done.has(record.id) && !familyOf(record).movesApart,
  )
  const refreshedHeard = await refreshPools(at, { pools: heard, blockNumber })
  const refreshed = {
    fields: new Map([...refreshedDue.fields, ...refreshedHeard.fields]),
    failed: new Map([...refreshedDue.failed, ...refreshedHeard.failed]),
  }
  const known = { get: (id: string) => ahead?.changed.get(id) ?? state.pools.get(id) }
  const changed = new Map([
    ...(ahead?.changed ?? []),
    ...applyLogs({ state: { pools: known }, logs, stale }),
  ])
  for (const id of stale) changed.delete(id)
  for (const [id, fields] of refreshed.fields) {
    const record = changed.get(id) ?? state.pools.get(id)
    if (!record || !differs(record, fields)) continue
    changed.set(id, { ...record, ...fields } as PoolRecord)
    deps.refreshes.moved(id, blockNumber)
  }
  const again = listRefs(deps.dexes, { state, ids: new Set([...stale, ...doubted]) })
  const followed = {
    get: (id: string) => (stale.has(id) ? undefined : (changed.get(id) ?? state.pools.get(id))),
  }
  const [reread, created] = await Promise.all([
    loadPools(at, { pools: again, blockNumber, followed }),
    findCreated(at, {
      state,
      logs: [...(ahead?.creations ?? []), ...logs],
      blockNumber,
    }).then((pools) =>
      loadInTime(at, {
        pools: dedupePools([...pools, ...listWoken(deps, { state, logs })]),
        blockNumber,
      }),
    ),
  ])
  for (const log of logs) deps.bounds?.stir(poolIdOf(log))
  const { taken = created, gone: evicted = [] } =
    deps.bounds?.admit({ pools: state.pools, news: created }) ?? {}
  const wrong = reread.filter((record) => {
    const followed = changed.get(record.id) ?? state.pools.get(record.id)
    return !stale.has(record.id) && followed && !isSameSwaps(followed, record)
  })
  // A pool that a bloom named by chance is left as it is.
  const news = [...reread.filter(({ id }) => stale.has(id)), ...wrong, ...taken]
  for (const record of news) changed.set(record.id, record)
  tellMissing(deps, { told, wrong: wrong.length })
  // What a pool was before it could not be read any more, nobody is to trade on.
  const readable = new Set(reread.map(({ id }) => id))
  const lost = again
    .map(idOf)
    .filter((id) => !readable.has(id) && !isAskedAnyway(deps, { state, id }))
  const gone = new Set([...evicted, ...lost])
  for (const ref of listRefs(deps.dexes, { state, ids: refreshed.failed.keys() })) {
    const failure = refreshed.failed.get(idOf(ref))
    deps.troubled?.leaveOut(ref, failure && failureReasons[failure])
    gone.add(idOf(ref))
  }
  return {
    state: advanceState(deps, { state, head, changed: changed.values(), gone }),
    passed: [
      ...(ahead?.passed ?? []),
      ...blocks.map(({ head: { number, hash } }, index) => ({
        number,
        hash,
        falseShare: told[index]?.falseShare,
        isBorneOut: told[index]?.isBorneOut,
        changed: [
          ...new Set([...listHeard(told[index]?.logs, state.pools), ...wrong.map(({ id }) => id)]),
        ],
      })),
    ],
  }
}

/** Of others than those that are followed one is enough: a block had events, however many somebody paid for. */
function listHeard(
  logs: readonly PoolLog[] = [],
  { has }: SyncedState['pools'],
): readonly string[] {
  const ids = [...new Set(logs.map(poolIdOf))]
  const followed = ids.filter(has)
  return followed.length > 0 ? followed : ids.slice(0, 1)
}

function tellMissing(
  { chainId, observe }: Deps,
  { told, wrong }: { readonly told: readonly ToldLogs[]; readonly wrong: number },
): void {
  for (const { isDoubted } of told) if (isDoubted) observe({ event: 'logs_doubted', chainId })
  const late = told.reduce((sum, one) => sum + one.late, 0)
  if (late > 0 || wrong > 0) observe({ event: 'logs_missed', chainId, late, healed: wrong })
}

function differs(record: PoolRecord, fields: Partial<PoolRecord>): boolean {
  return Object.entries(fields).some(
    ([name, value]) => !isSame(record[name as keyof PoolRecord], value),
  )
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, index) => item === other[index])
}

export function listRefs(
  dexes: readonly Dex[],
  { state, ids }: { readonly state: SyncedState; readonly ids: Iterable<string> },
): PoolRef[] {
  return [...ids].flatMap((id) => {
    const record = state.pools.get(id)
    const dex = dexes.find(({ name }) => name === record?.dex)
    return record && dex ? [toRef(record, dex)] : []
  })
}

/** Something happens to them: a pool may be made in one block, filled in another and opened in a third. */
function listWoken(
  { troubled }: Deps,
  { state, logs }: { readonly state: SyncedState; readonly logs: readonly PoolLog[] },
): PoolRef[] {
  const outside = [...new Set(logs.map(poolIdOf))].filter((id) => !state.pools.has(id))
  return outside.flatMap((id) => troubled?.wake(id) ?? []).slice(0, mostWoken)
}

/** New pools, as far as they answer soon: no block waits for the others, they come in behind it. */
async function loadInTime(
  deps: Deps,
  { pools, blockNumber }: LoadParameters,
): Promise<readonly PoolRecord[]> {
  if (pools.length === 0) return []
  const clock = new AbortController()
  const late = wait(longestLoadMs, 'late' as const, { signal: clock.signal }).catch(() => 'late')
  const loading = loadPools(deps, { pools, blockNumber })
  const loaded = await Promise.race([loading, late])
  clock.abort()
  if (typeof loaded !== 'string') return loaded
  void loading.then((records) => {
    const ids = new Set(records.map(({ id }) => id))
    for (const pool of pools) if (ids.has(idOf(pool))) deps.troubled?.postpone(pool)
  }, ignore)
  return []
}

/** A quoter that refuses everything just now is asked before anybody trades on its samples. */
function isAskedAnyway(
  { troubled }: Deps,
  { state, id }: { readonly state: SyncedState; readonly id: string },
): boolean {
  const record = state.pools.get(id)
  if (!record || troubled?.reasonOf(id) !== undefined) return false
  const { quoter, isQuoted } = familyOf(record)
  return quoter !== undefined && (isQuoted?.(record) ?? true)
}

/** The node's trouble is told by whoever asks it next; the pool is found again by its factory. */
const ignore = () => undefined
