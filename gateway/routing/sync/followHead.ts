import { type CaughtUp, catchUp } from './catchUp.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { rememberedBlocks } from './findAncestor.ts'
import { loadChain, type ReadPools } from './loadChain.ts'
import { reloadChain } from './reloadChain.ts'

/**
 * The view at the node's head; everything is read where too little is known to go on from. On a long way `keep` is
 * given the view as it is in between.
 */
export async function followHead(
  deps: SyncDeps,
  view: Following,
  keep: (view: Following) => void = () => undefined,
): Promise<Following> {
  const askedAtMs = deps.now()
  let { ahead } = view
  const result = await catchUp(deps, view, (next) => {
    ahead = next
    keep({ ...view, ahead })
  })
  if (result.status === 'lost') return reloadChain(deps, view)
  if (result.status === 'inconsistent') {
    deps.observe({ event: 'failed', chainId: deps.chainId, reason: result.reason })
    return ahead === view.ahead ? view : { ...view, ahead }
  }
  if (result.status === 'current') return { ...view, ahead: undefined, confirmedAtMs: askedAtMs }
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
  return { ...view, state, ahead: undefined, passed: [...kept, ...passed].slice(-rememberedBlocks) }
}
