import { type Chain, type Client, type Hex, pad, type Transport } from 'viem'
import type { Dex } from '../../chain/dexes.ts'
import { creations, familyOf, followedTopics, poolIdOf } from '../protocols/families.ts'
import type { PoolRef } from '../protocols/poolFamily.ts'
import type { PoolLog } from '../protocols/poolLog.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import { applyLogs } from './applyLogs.ts'
import { loadPools } from './loadPools.ts'
import { type BlockHead, type LogFilter, readBlockLogs, readHead } from './readHead.ts'
import { advanceState, type SyncedState, type TaxOf } from './syncedState.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly dexes: readonly Dex[]
  /** Whether a pool that was just created is worth following. */
  readonly wants: (tokens: readonly string[]) => boolean
  readonly taxOf: TaxOf
}

/** A block passed on the way, and the pools it changed: what a reorg would undo. */
export type PassedBlock = {
  readonly number: bigint
  readonly hash: Hex
  readonly changed: readonly string[]
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
  /** Too far behind for single blocks, or no common ancestor is remembered: load everything. */
  | { readonly status: 'lost'; readonly reason: string }

/** Beyond this many blocks loading everything again is cheaper than reading them one by one. */
const longestGap = 128n
/** Above this many pools the log filter has topics only: nodes limit lists of addresses. */
const mostAddresses = 500

/** Moves a state to the node's head: events for new blocks, fresh reads for what a reorg undid. */
export async function catchUp(
  deps: Deps,
  { state, passed }: { readonly state: SyncedState; readonly passed: readonly PassedBlock[] },
): Promise<CaughtUp> {
  const head = await readHead(deps)
  if (!head) return { status: 'inconsistent', reason: 'the node has no latest block' }
  if (head.hash === state.head.hash) return { status: 'current' }
  const ancestor =
    head.parentHash === state.head.hash
      ? state.head
      : await findAncestor(deps, { state, passed, head })
  if (ancestor === 'lagging') return { status: 'inconsistent', reason: 'the node lags behind' }
  if (!ancestor || head.number - ancestor.number > longestGap)
    return { status: 'lost', reason: ancestor ? 'too many blocks behind' : 'no common ancestor' }
  const heads = await readHeads(deps, { after: ancestor, head })
  if (!heads) return { status: 'inconsistent', reason: 'the blocks do not form a chain' }
  const undone = passed.filter(({ number }) => number > ancestor.number)
  const advance = await applyBlocks(deps, { state, heads, head, undone })
  const isReorg = ancestor.number < state.head.number
  return {
    status: 'advanced',
    ...advance,
    ...(isReorg && { reorgedFrom: ancestor.number }),
  }
}

type Ancestor = { readonly number: bigint; readonly hash: Hex }

/** The newest block of ours that the node still has. */
async function findAncestor(
  deps: Deps,
  {
    state,
    passed,
    head,
  }: {
    readonly state: SyncedState
    readonly passed: readonly PassedBlock[]
    readonly head: BlockHead
  },
): Promise<Ancestor | 'lagging' | undefined> {
  const own = await readHead(deps, state.head.number)
  if (own?.hash === state.head.hash) return head.number < state.head.number ? 'lagging' : state.head
  const candidates = passed.filter(({ number }) => number < state.head.number).toReversed()
  const heads = await Promise.all(candidates.map(({ number }) => readHead(deps, number)))
  return candidates.find(({ hash }, index) => heads[index]?.hash === hash)
}

/** Heads after the ancestor up to `head`, checked to be a chain; undefined when they are not. */
async function readHeads(
  deps: Deps,
  { after, head }: { readonly after: Ancestor; readonly head: BlockHead },
): Promise<BlockHead[] | undefined> {
  const count = Number(head.number - after.number) - 1
  const between = await Promise.all(
    Array.from({ length: Math.max(0, count) }, (_, index) =>
      readHead(deps, after.number + 1n + BigInt(index)),
    ),
  )
  const heads = [...between, ...(count >= 0 ? [head] : [])]
  let parent = after.hash
  const chain: BlockHead[] = []
  for (const next of heads) {
    if (next?.parentHash !== parent) return undefined
    chain.push(next)
    parent = next.hash
  }
  // Nothing after the ancestor: the chain was rolled back to it.
  return count < 0 && head.hash !== after.hash ? undefined : chain
}

function makeFilter(state: SyncedState, dexes: readonly Dex[]): LogFilter {
  if (state.pools.size > mostAddresses) return { topics: followedTopics, addresses: undefined }
  const pools = [...state.pools.values()].map(({ address }) => address)
  const others = dexes.flatMap((dex) => [dex.factory, ...(familyOf(dex).emitters?.(dex) ?? [])])
  return { topics: followedTopics, addresses: [...new Set([...pools, ...others])] }
}

async function applyBlocks(
  deps: Deps,
  {
    state,
    heads,
    head,
    undone,
  }: {
    readonly state: SyncedState
    readonly heads: readonly BlockHead[]
    readonly head: BlockHead
    readonly undone: readonly PassedBlock[]
  },
): Promise<{ state: SyncedState; passed: PassedBlock[] }> {
  const filter = makeFilter(state, deps.dexes)
  const blockNumber = head.number
  const [refreshed, ...logsOfBlock] = await Promise.all([
    refreshPools(deps, { state, blockNumber }),
    ...heads.map(({ hash }) => readBlockLogs(deps, { blockHash: hash, filter })),
  ])
  const logs = logsOfBlock.flat()
  // A pool that an orphaned block changed cannot be rolled forward from what we hold: read it again.
  const stale = new Set(undone.flatMap(({ changed }) => changed))
  const changed = applyLogs({ state, logs, stale })
  for (const [id, fields] of refreshed) {
    const record = changed.get(id) ?? state.pools.get(id)
    if (record && differs(record, fields)) changed.set(id, { ...record, ...fields } as PoolRecord)
  }
  const pools = [
    ...listRefs(deps.dexes, { state, ids: stale }),
    ...(await findCreated(deps, { state, logs, blockNumber })),
  ]
  for (const record of await loadPools(deps, { pools, blockNumber })) changed.set(record.id, record)
  return {
    state: advanceState(deps, { state, head, changed: changed.values() }),
    passed: heads.map(({ number, hash }, index) => ({
      number,
      hash,
      changed: [...new Set(logsOfBlock[index]?.map(poolIdOf))],
    })),
  }
}

/** What moves without events, by pool, at the head. */
async function refreshPools(
  deps: Deps,
  { state, blockNumber }: { readonly state: SyncedState; readonly blockNumber: bigint },
): Promise<Map<string, Partial<PoolRecord>>> {
  const { client, dexes } = deps
  const byProtocol = Map.groupBy(state.pools.values(), ({ protocol }) => protocol)
  const fields = await Promise.all(
    [...byProtocol].map(([protocol, records]) =>
      familyOf({ protocol }).refresh?.({ client }, { records, dexes, blockNumber }),
    ),
  )
  return new Map(fields.flatMap((found) => [...(found ?? [])]))
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

function listRefs(
  dexes: readonly Dex[],
  { state, ids }: { readonly state: SyncedState; readonly ids: ReadonlySet<string> },
): PoolRef[] {
  return [...ids].flatMap((id) => {
    const record = state.pools.get(id)
    const dex = dexes.find(({ name }) => name === record?.dex)
    return record && dex ? [toRef(record, dex)] : []
  })
}

type CreatedParameters = {
  readonly state: SyncedState
  readonly logs: readonly PoolLog[]
  readonly blockNumber: bigint
}

/** New pools by their factories' events. */
async function findCreated(
  deps: Deps,
  { state, logs, blockNumber }: CreatedParameters,
): Promise<PoolRef[]> {
  const isNew = ({ id, address }: PoolRef) => !state.pools.has((id ?? address).toLowerCase())
  const found = await Promise.all(
    logs.map(async (log): Promise<readonly PoolRef[]> => {
      const creation = creations.get(log.topics[0] ?? '')
      const dex = creation && findEmitter(deps.dexes, log)
      if (!dex) return []
      const created = creation.read(log)
      // An event that does not name its pool: whatever the factory lists beyond what is known.
      if (!created) return (await familyOf(dex).list?.(deps, { dex, blockNumber })) ?? []
      const { tokens, ...pool } = created
      return deps.wants(tokens) ? [{ dex, ...pool }] : []
    }),
  )
  return found.flat().filter(isNew)
}

function findEmitter(dexes: readonly Dex[], { address, topics }: PoolLog): Dex | undefined {
  const able = dexes.filter((dex) => {
    const family = familyOf(dex)
    const emitters = [dex.factory, ...(family.emitters?.(dex) ?? [])]
    return (
      emitters.some((emitter) => emitter.toLowerCase() === address) &&
      family.creations.some(({ topic }) => topic === topics[0])
    )
  })
  // One who speaks for several factories names the one that made the pool.
  const named = able.find(({ factory }) => topics.includes(pad(factory).toLowerCase()))
  return named ?? able[0]
}
