import type { Address, Hex } from 'viem'
import { BlockOrphaned } from '../../chain/client.ts'
import { readAtBlock } from '../../chain/nodes/blockHashes.ts'
import { type PoolRecord, toRef } from '../protocols/poolRecord.ts'
import type { PoolRef } from '../reads/poolRef.ts'
import { type BlockHead, readToldBlock } from '../reads/readHead.ts'
import { readTokens } from '../reads/readTokens.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { discoverFor } from './discover.ts'
import { loadPools } from './loadPools.ts'
import { advanceState } from './syncedState.ts'

/** The view with those pools that it lacks: they came into being while nobody followed, or with a new DEX. */
export async function adoptPools(
  deps: SyncDeps,
  { view, found }: { readonly view: Following; readonly found: readonly PoolRef[] },
): Promise<Following> {
  const { head, pools } = view.state
  const { tokens } = deps
  const at = { blockNumber: head.number }
  const missing = found.filter(({ id, address }) => !pools.has((id ?? address).toLowerCase()))
  const news = await readAt(deps, head, (own) => loadPools(own, { pools: missing, ...at }))
  const { taken, gone } = deps.bounds.admit({ pools, news })
  const held = new Set(taken.flatMap((record) => record.tokens as readonly Address[]))
  const fresh = [...held].filter((token) => !tokens.all().has(token))
  tokens.add(await readTokens(deps, { tokens: fresh, ...at }))
  return { ...view, state: advanceState(deps, { state: view.state, head, changed: taken, gone }) }
}

export type FoundTokens = Awaited<ReturnType<typeof discoverFor>> & {
  readonly wanted: readonly Address[]
  /** The block they were read at. */
  readonly hash: Hex
}

/** Pools of tokens that nobody has asked for before: the view may move on meanwhile. */
export async function findTokens(
  deps: SyncDeps,
  {
    view: { state },
    wanted,
    partners,
  }: {
    readonly view: Following
    readonly wanted: readonly Address[]
    /** What they may have pools with. */
    readonly partners: readonly Address[]
  },
): Promise<FoundTokens> {
  const { number: blockNumber, hash } = state.head
  const found = await readAt(deps, state.head, (own) =>
    discoverFor(own, { tokens: wanted, partners, blockNumber }),
  )
  return { ...found, wanted, hash }
}

/** The view with what was found, as it is at the view's block. */
export async function adoptTokens(
  deps: SyncDeps,
  { view, found }: { readonly view: Following; readonly found: FoundTokens },
): Promise<Following> {
  const { state } = view
  const { head } = state
  const records = head.hash === found.hash ? found.records : await readAgain(deps, { view, found })
  // Of addresses that no pool holds there is no end.
  const held = new Set(records.flatMap((record) => record.tokens))
  deps.bounds.ask(found.wanted.filter((token) => held.has(token.toLowerCase())))
  const { taken, gone } = deps.bounds.admit({ pools: state.pools, news: records })
  deps.tokens.addTraded(found.infos, taken)
  return { ...view, state: advanceState(deps, { state, head, changed: taken, gone }) }
}

/**
 * What is read of a block, which is of that very one, however late it comes: another may take its place meanwhile. A
 * node that is asked by numbers alone tells whether it had ours when it was asked.
 */
async function readAt<read>(
  deps: SyncDeps,
  head: BlockHead,
  read: (own: SyncDeps) => Promise<read>,
): Promise<read> {
  const own = { ...deps, client: readAtBlock(deps.client, head) }
  const [known, told] = await Promise.all([read(own), readToldBlock(deps, head.number)])
  if (told?.head.hash !== head.hash) throw new BlockOrphaned(deps.chainId)
  return known
}

function readAgain(
  deps: SyncDeps,
  { view, found }: { readonly view: Following; readonly found: FoundTokens },
): Promise<readonly PoolRecord[]> {
  const pools = found.records.flatMap((record) => {
    const dex = deps.dexes.find(({ name }) => name === record.dex)
    return dex ? [toRef(record, dex)] : []
  })
  const { head } = view.state
  return readAt(deps, head, (own) => loadPools(own, { pools, blockNumber: head.number }))
}
