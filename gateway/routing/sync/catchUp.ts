import type { Chain, Client, Hex, Transport } from 'viem'
import type { Dex } from '../../chain/dexes.ts'
import { applyLog, followedTopics, type PoolLog } from '../protocols/family.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { solidlyCreatedTopic } from '../protocols/solidlyChain.ts'
import { pairCreatedTopic } from '../protocols/uniswapV2Chain.ts'
import { poolCreatedTopic, slipstreamCreatedTopic } from '../protocols/uniswapV3Chain.ts'
import { loadPools, type PoolAddress } from './loadPools.ts'
import { type BlockHead, type LogFilter, readBlockLogs, readHead } from './readHead.ts'
import { advanceState, type SyncedState, type TaxOf } from './syncedState.ts'

type Deps = {
  readonly client: Client<Transport, Chain>
  readonly dexes: readonly Dex[]
  /** Whether a pool that was just created is worth following. */
  readonly wants: (token0: string, token1: string) => boolean
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
  return { topics: followedTopics, addresses: [...pools, ...dexes.map(({ factory }) => factory)] }
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
  const logsOfBlock = await Promise.all(
    heads.map(({ hash }) => readBlockLogs(deps, { blockHash: hash, filter })),
  )
  const logs = logsOfBlock.flat()
  // A pool that an orphaned block changed cannot be rolled forward from what we hold: read it again.
  const stale = new Set(undone.flatMap(({ changed }) => changed))
  const created = findCreated(deps, { state, logs })
  const reloaded = await loadPools(deps, {
    pools: [...listPoolAddresses(deps.dexes, { state, ids: stale }), ...created],
    blockNumber: head.number,
  })
  const changed = applyLogs({ state, logs, skip: stale })
  for (const record of reloaded) changed.set(record.id, record)
  return {
    state: advanceState(deps, { state, head, changed: changed.values() }),
    passed: heads.map(({ number, hash }, index) => ({
      number,
      hash,
      changed: [...new Set(logsOfBlock[index]?.map(({ address }) => address))],
    })),
  }
}

function applyLogs({
  state,
  logs,
  skip,
}: {
  readonly state: SyncedState
  readonly logs: readonly PoolLog[]
  readonly skip: ReadonlySet<string>
}): Map<string, PoolRecord> {
  const changed = new Map<string, PoolRecord>()
  for (const log of logs) {
    const before = changed.get(log.address) ?? state.pools.get(log.address)
    if (!before || skip.has(log.address)) continue
    const after = applyLog(before, log)
    if (after !== before) changed.set(log.address, after)
  }
  return changed
}

function listPoolAddresses(
  dexes: readonly Dex[],
  { state, ids }: { readonly state: SyncedState; readonly ids: ReadonlySet<string> },
): PoolAddress[] {
  return [...ids].flatMap((id) => {
    const record = state.pools.get(id)
    const dex = dexes.find(({ name }) => name === record?.dex)
    return record && dex ? [{ dex, address: record.address }] : []
  })
}

/** Which word of a creation event's data is the pool. */
const createdWord: ReadonlyMap<string, number> = new Map([
  [pairCreatedTopic, 0],
  [poolCreatedTopic, 1],
  [slipstreamCreatedTopic, 0],
  [solidlyCreatedTopic, 0],
])

/** New pools by their factories' events; both tokens are indexed in all of them. */
function findCreated(
  { dexes, wants }: Deps,
  { state, logs }: { readonly state: SyncedState; readonly logs: readonly PoolLog[] },
): PoolAddress[] {
  return logs.flatMap((log) => {
    const wordAt = createdWord.get(log.topics[0] ?? '')
    if (wordAt === undefined) return []
    const dex = dexes.find(({ factory }) => factory.toLowerCase() === log.address)
    const [, topic0, topic1] = log.topics
    if (!dex || !topic0 || !topic1) return []
    const word = log.data.slice(2 + 64 * wordAt, 66 + 64 * wordAt)
    const address: Hex = `0x${word.slice(24)}`
    const isWanted = wants(`0x${topic0.slice(26)}`, `0x${topic1.slice(26)}`)
    return isWanted && !state.pools.has(address) ? [{ dex, address }] : []
  })
}
