import { type Address, toFunctionSelector } from 'viem'
import type { Dex } from '../../chain/dex.ts'
import { familyOf } from '../protocols/families.ts'
import { dedupePools } from '../reads/findPools.ts'
import type { PoolRef, ReadDeps } from '../reads/poolRef.ts'
import { readCalls, wordToAddress } from '../reads/readCalls.ts'

export type ListedPair = readonly [Address, Address]

const views = ['token0()', 'token1()'].map((view) => toFunctionSelector(view))

/** The pairs of listed pools, as these say themselves; none of an address without such a pool. */
export async function readListedPairs(
  deps: ReadDeps,
  { pools, blockNumber }: { readonly pools: readonly Address[]; readonly blockNumber: bigint },
): Promise<readonly ListedPair[]> {
  const calls = pools.flatMap((target) => views.map((data) => ({ target, data })))
  const answers = await readCalls(deps, { calls, blockNumber })
  const tokens = answers.map((words) => words?.[0] && wordToAddress(words[0]))
  return pools.flatMap((_, index): readonly ListedPair[] => {
    const [one, other] = [tokens[2 * index], tokens[2 * index + 1]]
    return one && other && one !== other ? [[one, other]] : []
  })
}

/**
 * Pools of an exchange for listed pairs without a hub: with hubs all known tokens are looked for. The exchange's
 * factory names them, whoever told of the pair.
 */
export async function findListed(
  deps: ReadDeps,
  {
    dex,
    pairs,
    hubs,
    ...at
  }: {
    readonly dex: Dex
    readonly pairs: readonly ListedPair[]
    readonly hubs: readonly Address[]
    readonly blockNumber: bigint
    readonly isThrifty?: boolean | undefined
  },
): Promise<PoolRef[]> {
  const known = new Set(hubs.map((hub) => hub.toLowerCase()))
  const apart = pairs.filter((pair) => pair.every((token) => !known.has(token)))
  if (apart.length === 0) return []
  const a = [...new Set(apart.map(([one]) => one))]
  const b = [...new Set(apart.map(([, other]) => other))]
  return dedupePools([...(await familyOf(dex).find(deps, { dex, a, b, ...at }))])
}
