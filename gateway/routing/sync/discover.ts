import type { Address } from 'viem'
import type { Dex } from '../../chain/dex.ts'
import { familyOf } from '../protocols/families.ts'
import type { PoolRecord } from '../protocols/poolRecord.ts'
import { chunk } from '../reads/chunk.ts'
import { dedupePools } from '../reads/findPools.ts'
import { joinAll } from '../reads/joinAll.ts'
import { limitRequests } from '../reads/limitRequests.ts'
import { type FindParameters, idOf, type PoolRef, type ReadDeps } from '../reads/poolRef.ts'
import { readTokens, type TokenInfo } from '../reads/readTokens.ts'
import type { CreationScan } from './creationScan.ts'
import { findCreations } from './findCreations.ts'
import { loadPools } from './loadPools.ts'
import type { TroubledPools } from './troubledPools.ts'

/** Pairs that each factory is asked for: of more tokens, those with the first ones alone. */
const mostPairs = 20_000
/** The first ones are those of the registry, hubs among them: they are paired with every other. */
const leastPaired = 48
/** Each is some tens of milliseconds of the node's time, out of the seconds that a batch of them has. */
const lookupsUnderWay = 32

type Deps = ReadDeps & {
  readonly dexes: readonly Dex[]
  readonly troubled?: TroubledPools | undefined
  readonly scan?: Pick<CreationScan, 'begin'> | undefined
}

type Listed = {
  readonly listed: readonly PoolRef[]
  /** Those that do not list their pools. */
  readonly others: readonly Dex[]
}

/** The pools of small factories that list them. */
export async function listDexes(
  deps: Deps,
  { blockNumber }: { readonly blockNumber: bigint },
): Promise<Listed> {
  const lists = await joinAll(
    deps.dexes.map(async (dex) => ({
      dex,
      pools: await familyOf(dex).list?.(deps, { dex, blockNumber }),
    })),
  )
  return {
    listed: lists.flatMap(({ pools }) => pools ?? []),
    others: lists.flatMap(({ dex, pools }) => (pools ? [] : [dex])),
  }
}

/**
 * Pools of DEXes among known tokens: by creation events where the node gives them, and by asking the
 * factory for pairs and known tiers; of many tokens only those with one of the first, or a chain with many
 * could never be loaded.
 */
export async function findAmong(
  deps: Deps,
  {
    dexes,
    ...known
  }: {
    readonly dexes: readonly Dex[]
    readonly tokens: readonly Address[]
    readonly blockNumber: bigint
    readonly isThrifty?: boolean | undefined
  },
): Promise<PoolRef[]> {
  const patient = { ...deps, client: limitRequests(deps.client, lookupsUnderWay) }
  const found = await joinAll(
    dexes.flatMap((dex) => [
      findPaired(patient, { dex, ...known }),
      findCreations(deps, { dex, ...known }),
    ]),
  )
  return dedupePools(found.flat())
}

type Discovered = {
  readonly pools: readonly PoolRef[]
  /** Those that had to be read to know their tokens. */
  readonly read: readonly PoolRecord[]
  readonly unread: readonly PoolRef[]
}

/** Pools of every DEX among known tokens, to which those count that are found in listed pools. */
export async function discoverAll(
  deps: Deps,
  { tokens, blockNumber }: { readonly tokens: readonly Address[]; readonly blockNumber: bigint },
): Promise<Discovered> {
  const { listed, others } = await listDexes(deps, { blockNumber })
  const read = await loadPools(deps, { pools: listed, blockNumber })
  const known = new Set([
    ...tokens.map((token) => token.toLowerCase()),
    ...read.flatMap((record) => record.tokens),
  ]) as ReadonlySet<Address>
  const found = await findAmong(deps, { dexes: others, tokens: [...known], blockNumber })
  const ids = new Set(listed.map(idOf))
  const unread = found.filter((pool) => !ids.has(idOf(pool)))
  return { pools: [...dedupePools(listed), ...unread], read, unread }
}

/** Pools of the unordered pairs of `tokens`, each asked for once. */
async function findPaired(
  deps: Deps,
  {
    tokens,
    ...asked
  }: Pick<FindParameters, 'dex' | 'blockNumber' | 'isThrifty'> & {
    readonly tokens: readonly Address[]
  },
): Promise<PoolRef[]> {
  // Those of one part are paired with each other twice.
  const size = asked.isThrifty ? 32 : 16
  const paired = Math.max(leastPaired, Math.floor(mostPairs / tokens.length))
  const found = await joinAll(
    chunk(tokens.slice(0, paired), size).map((a, index) =>
      familyOf(asked.dex).find(deps, { ...asked, a, b: tokens.slice(index * size) }),
    ),
  )
  return dedupePools(found.flat())
}

/** Pools between some tokens and their likely partners (and each other), read in two round trips. */
export async function discoverFor(
  deps: Deps,
  {
    tokens,
    partners,
    blockNumber,
  }: {
    readonly tokens: readonly Address[]
    readonly partners: readonly Address[]
    readonly blockNumber: bigint
  },
): Promise<{ records: PoolRecord[]; infos: TokenInfo[] }> {
  const others = [...new Set([...partners, ...tokens])]
  const [infos, ...found] = await Promise.all([
    readTokens(deps, { tokens, blockNumber }),
    ...deps.dexes.map((dex) =>
      familyOf(dex).find(deps, { dex, a: tokens, b: others, blockNumber }),
    ),
  ])
  return { infos, records: await loadPools(deps, { pools: found.flat(), blockNumber }) }
}
