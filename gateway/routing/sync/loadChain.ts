import type { Address } from 'viem'
import { familyOf, isSampled } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { dedupePools } from '../reads/findPools.ts'
import { readHead, readToldBlock } from '../reads/readHead.ts'
import { readTokens } from '../reads/readTokens.ts'
import type { Following, SyncDeps } from './chainView.ts'
import { discoverAll } from './discover.ts'
import { loadPools } from './loadPools.ts'
import { createSyncedState } from './syncedState.ts'

type At = { readonly blockNumber: bigint }
/** Reads pools at a block, and says which before it has them. */
export type ReadPools = (deps: SyncDeps, at: At) => Promise<readonly PoolRecord[]>

/** The pools of every token known. */
export const readAll: ReadPools = async (deps, at) => {
  const { pools, read, unread } = await discoverAll(deps, {
    tokens: deps.tokens.addresses(),
    ...at,
  })
  deps.found.begin(pools)
  return [...read, ...(await loadPools(deps, { pools: unread, ...at }))]
}

/** Liquid staked ether is paired with the first of them, as dollars are with the second. */
const deepestHubs = 2

/**
 * The pools among the tokens that most liquidity is paired with, and of majors with the first of these: few
 * calls, and most of what is asked for. What only a quoter prices is sampled later, by many calls.
 */
export const readMajors: ReadPools = async (deps, at) => {
  const { hubs, majors } = deps
  const sides = [
    { a: hubs, b: hubs },
    { a: hubs.slice(0, deepestHubs), b: majors },
  ].filter(({ b }) => b.length > 0)
  const priced = deps.dexes.filter((dex) => !isSampled(dex))
  const found = priced.flatMap((dex) =>
    sides.map((side) => familyOf(dex).find(deps, { dex, isBrief: true, ...side, ...at })),
  )
  const pools = dedupePools((await Promise.all(found)).flat())
  deps.found.begin(pools)
  return loadPools(deps, { pools, isBrief: true, ...at })
}

/** Reads pools at the head, or at a block, and what is not known yet of their tokens and those to begin with. */
export async function loadChain(
  deps: SyncDeps,
  {
    blockNumber,
    readPools = readAll,
  }: {
    readonly blockNumber?: bigint | undefined
    readonly readPools?: ReadPools | undefined
  } = {},
): Promise<Following> {
  const { chainId, tokens, observe, now } = deps
  const startedAtMs = now()
  const head = await readHead(deps, blockNumber)
  if (!head) throw new Error('the node does not have the block to load')
  const at = { blockNumber: head.number }
  const records = deps.bounds.begin(await readPools(deps, at))
  const held = new Set([
    ...tokens.addresses().map((address) => address.toLowerCase()),
    ...records.flatMap((record) => record.tokens),
  ]) as ReadonlySet<Address>
  const unread = [...held].filter((token) => !tokens.all().has(token))
  tokens.add(await readTokens(deps, { tokens: unread, ...at }))
  const check = await readToldBlock(deps, head.number)
  if (check?.head.hash !== head.hash)
    throw new Error('the chain was reorganised while it was loaded')
  const state = createSyncedState(deps, { head, records })
  const endedAtMs = now()
  deps.found.end()
  const ms = Math.round(endedAtMs - startedAtMs)
  observe({ event: 'loaded', chainId, pools: records.length, ms })
  const passed = [{ number: head.number, hash: head.hash, changed: [] }]
  return { status: 'following', state, passed, confirmedAtMs: endedAtMs }
}
