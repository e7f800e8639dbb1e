import { type CaughtUp, catchUp } from './catchUp.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { loadChain, type ReadPools } from './loadChain.ts'
import { reloadChain } from './reloadChain.ts'

/** How many passed blocks are remembered to undo a reorg. */
const rememberedBlocks = 128

/** The view at the node's head; everything is read where too little is known to go on from. */
export async function followHead(deps: SyncDeps, view: Following): Promise<Following> {
  const askedAtMs = deps.now()
  const result = await catchUp(deps, view)
  if (result.status === 'lost') return reloadChain(deps, view)
  if (result.status === 'inconsistent') {
    deps.observe({ event: 'failed', chainId: deps.chainId, reason: result.reason })
    return view
  }
  if (result.status === 'current') return { ...view, confirmedAtMs: askedAtMs }
  return { ...advance(deps, view, result), confirmedAtMs: askedAtMs }
}

/** The first load of a fork reads its origin; what the fork changed since then comes as events. */
export async function loadFirst(deps: SyncDeps, readPools?: ReadPools): Promise<Following> {
  const { origin } = deps
  if (!origin) return loadChain(deps, { readPools })
  const { client, blockNumber } = origin
  const loaded = await loadChain({ ...deps, client }, { blockNumber, readPools })
  return followHead(deps, loaded)
}

function advance(
  { chainId, observe }: SyncDeps,
  view: Following,
  { state, passed, reorgedFrom }: Extract<CaughtUp, { status: 'advanced' }>,
): Following {
  if (reorgedFrom !== undefined) observe({ event: 'reorged', chainId, from: reorgedFrom })
  const kept = view.passed.filter(
    ({ number }) => reorgedFrom === undefined || number <= reorgedFrom,
  )
  return { ...view, state, passed: [...kept, ...passed].slice(-rememberedBlocks) }
}
