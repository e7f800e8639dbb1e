import type { Address } from 'viem'
import { readHead } from '../reads/readHead.ts'
import { readTokens } from '../reads/readTokens.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { discoverAll } from './discover.ts'
import { loadPools } from './loadPools.ts'
import { createSyncedState } from './syncedState.ts'

/** Reads everything at the head, or at a block: the pools of every token known and those tokens. */
export async function loadChain(deps: SyncDeps, blockNumber?: bigint): Promise<Following> {
  const { chainId, tokens, observe, now } = deps
  const startedAtMs = now()
  const head = await readHead(deps, blockNumber)
  if (!head) throw new Error('the node does not have the block to load')
  const at = { blockNumber: head.number }
  const known = tokens.addresses()
  const pools = await discoverAll(deps, { tokens: known, ...at })
  deps.found.begin(pools)
  const records = deps.bounds.begin(await loadPools(deps, { pools, ...at }))
  const unread = new Set([
    ...known.map((address) => address.toLowerCase()),
    ...records.flatMap((record) => record.tokens),
  ]) as ReadonlySet<Address>
  tokens.add(await readTokens(deps, { tokens: [...unread], ...at }))
  const check = await readHead(deps, head.number)
  if (check?.hash !== head.hash) throw new Error('the chain was reorganised while it was loaded')
  const state = createSyncedState(deps, { head, records })
  const endedAtMs = now()
  deps.found.end()
  const ms = Math.round(endedAtMs - startedAtMs)
  observe({ event: 'loaded', chainId, pools: records.length, ms })
  const passed = [{ number: head.number, hash: head.hash, changed: [] }]
  return { status: 'following', state, passed, confirmedAtMs: endedAtMs }
}
