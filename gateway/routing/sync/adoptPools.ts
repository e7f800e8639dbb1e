import type { Address } from 'viem'
import type { PoolRef } from '../reads/poolRef.ts'
import { readTokens } from '../reads/readTokens.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { discoverAll, discoverFor } from './discover.ts'
import { loadPools } from './loadPools.ts'
import { advanceState } from './syncedState.ts'

/** Pools among all known tokens, which take long to look for: the view may move on meanwhile. */
export function findKnown(deps: SyncDeps, { state }: Following): Promise<PoolRef[]> {
  const blockNumber = state.head.number
  return discoverAll(deps, { tokens: deps.tokens.addresses(), blockNumber })
}

/** The view with those pools that it lacks: they came into being while nobody followed, or with a new DEX. */
export async function adoptPools(
  deps: SyncDeps,
  { view, found }: { readonly view: Following; readonly found: readonly PoolRef[] },
): Promise<Following> {
  const { head, pools } = view.state
  const { tokens } = deps
  const at = { blockNumber: head.number }
  const missing = found.filter(({ id, address }) => !pools.has((id ?? address).toLowerCase()))
  const news = await loadPools(deps, { pools: missing, ...at })
  const { taken, gone } = deps.bounds.admit({ pools, news })
  const held = new Set(taken.flatMap((record) => record.tokens as readonly Address[]))
  const fresh = [...held].filter((token) => !tokens.all().has(token))
  tokens.add(await readTokens(deps, { tokens: fresh, ...at }))
  return { ...view, state: advanceState(deps, { state: view.state, head, changed: taken, gone }) }
}

/** The view with the pools of tokens that nobody has asked for before. */
export async function adoptTokens(
  deps: SyncDeps,
  {
    view,
    wanted,
    partners,
  }: {
    readonly view: Following
    readonly wanted: readonly Address[]
    /** What they may have pools with. */
    readonly partners: readonly Address[]
  },
): Promise<Following> {
  const { state } = view
  const question = { tokens: wanted, partners, blockNumber: state.head.number }
  const { records, infos } = await discoverFor(deps, question)
  // Of addresses that no pool holds there is no end.
  const held = new Set(records.flatMap((record) => record.tokens))
  deps.bounds.ask(wanted.filter((token) => held.has(token.toLowerCase())))
  const { taken, gone } = deps.bounds.admit({ pools: state.pools, news: records })
  deps.tokens.addTraded(infos, taken)
  return { ...view, state: advanceState(deps, { state, head: state.head, changed: taken, gone }) }
}
