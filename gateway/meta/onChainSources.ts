import { type Address, zeroAddress } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dexes.ts'
import type { TargetRow } from './checkQuote.ts'
import type { Source } from './source.ts'
import { createAerodromeV2 } from './sources/direct/aerodromeV2.ts'
import {
  createDirectSource,
  type DirectDeps,
  type DirectDex,
  type DirectFamily,
  type DirectSource,
} from './sources/direct/createDirectSource.ts'
import { createRanged } from './sources/direct/ranged.ts'
import { camelotV2, routerV2 } from './sources/direct/routerV2.ts'
import { createUniswapV4, swapProxy } from './sources/direct/uniswapV4.ts'

/** An exchange as data. Of a family that is not known here, no source is made. */
export type OnChainDex = Pick<
  Dex,
  'name' | 'factory' | 'router' | 'quoter' | 'feesPips' | 'poolKeys'
> & { readonly protocol: string }

export type OnChainDeps = {
  readonly clients: readonly ChainClient[]
  readonly dexesOf: (chainId: number) => readonly OnChainDex[]
  readonly now: () => number
  /** Part of each transfer of a token that does not arrive; undefined while nobody knows. */
  readonly taxOf: (chainId: number, token: Address) => number | undefined
}

export type OnChainSource = {
  readonly source: Source
  readonly serves: (chainId: number) => boolean
}

/** Middle tokens tried by the on-chain sources; more would make each quote slower, not better. */
const maxHubs = 2
const probeTimeoutMs = 10_000

type Create = (deps: DirectDeps, name: string) => DirectSource

const through =
  <path>(familyOf: (deps: DirectDeps) => DirectFamily<path>): Create =>
  (deps, name) =>
    createDirectSource(deps, { name, family: familyOf(deps) })
const ranged = (kind: Parameters<typeof createRanged>[1]) =>
  through((deps) => createRanged(deps, kind))

/** Families that can be traded through a router of their own, by the word of the routing service. */
const families: ReadonlyMap<string, Create> = new Map([
  ['uniswap_v2', through(() => routerV2)],
  ['camelot_v2', through(() => camelotV2)],
  ['aerodrome_v2', through(createAerodromeV2)],
  ['uniswap_v3', ranged('uniswapV3')],
  ['pancake_v3', ranged('uniswapV3')],
  ['slipstream', ranged('slipstream')],
  ['camelot_v3', ranged('algebra')],
  ['algebra_integral', ranged('algebraIntegral')],
  ['uniswap_v4', through(createUniswapV4)],
])

const isTraded = ({ protocol, router }: OnChainDex) =>
  router !== undefined && router !== zeroAddress && families.has(protocol)

/** Contracts that take the tokens for a router. */
const proxies: ReadonlyMap<string, readonly Address[]> = new Map([['uniswap_v4', [swapProxy]]])

/** Our own sources may name their own router only. */
export function onChainTargets(
  deps: Pick<OnChainDeps, 'clients' | 'dexesOf'>,
): readonly TargetRow[] {
  return deps.clients.flatMap(({ chainId }) =>
    deps
      .dexesOf(chainId)
      .filter(isTraded)
      .flatMap(({ name: provider, router, protocol }): readonly TargetRow[] => {
        if (!router) return []
        const takers = proxies.get(protocol)
        const targets = [router, ...(takers ?? [])]
        return [{ provider, chainId, targets, spenders: takers ?? [router] }]
      }),
  )
}

/** One source for each DEX that has a router of its own: a row more is a source more. */
export function createOnChainSources(deps: OnChainDeps): readonly OnChainSource[] {
  const { clients, dexesOf, now, taxOf } = deps
  const rows = clients.flatMap(({ chainId }) =>
    dexesOf(chainId)
      .filter(isTraded)
      .map(({ name, protocol }) => ({ chainId, name, protocol })),
  )
  const dexOf = (chainId: number, name: string): DirectDex | undefined => {
    const chainClient = clients.find((client) => client.chainId === chainId)
    const dex = dexesOf(chainId).find((row) => row.name === name && isTraded(row))
    if (!chainClient || !dex?.router) return undefined
    const { chain, client } = chainClient
    const { router, quoter, factory, feesPips, poolKeys } = dex
    return {
      router,
      quoter,
      factory,
      feesPips,
      poolKeys,
      reader: { client, multicall3: chain.multicall3 },
      hubTokens: chain.hubTokens.slice(0, maxHubs),
      wrappedNative: chain.wrappedNative,
    }
  }
  // A name stands for one family wherever it is.
  const byName = new Map(rows.map((row) => [row.name, row.protocol]))
  return [...byName].flatMap(([name, protocol]): readonly OnChainSource[] => {
    const create = families.get(protocol)
    if (!create) return []
    const source = create({ dexOf: (chainId) => dexOf(chainId, name), now, taxOf }, name)
    const served = new Set(rows.filter((row) => row.name === name).map(({ chainId }) => chainId))
    // A chain that does not answer yet is asked again by the first quote.
    for (const chainId of served)
      source.isThere(chainId, AbortSignal.timeout(probeTimeoutMs)).then(
        (isHere) => isHere || served.delete(chainId),
        () => undefined,
      )
    return [{ source, serves: (chainId: number) => served.has(chainId) }]
  })
}
