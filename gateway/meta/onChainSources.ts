import { type Address, zeroAddress } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dexes.ts'
import type { TargetRow } from './checkQuote.ts'
import type { Source } from './source.ts'
import { createAerodromeV2 } from './sources/direct/aerodromeV2.ts'
import { createBalancerV2 } from './sources/direct/balancerV2.ts'
import { balancerV3 } from './sources/direct/balancerV3.ts'
import {
  createDirectSource,
  type DirectDeps,
  type DirectDex,
  type DirectFamily,
  type DirectSource,
  type NamedContracts,
} from './sources/direct/createDirectSource.ts'
import { createCurveCrypto, createCurveNg, createCurvePlain } from './sources/direct/curve.ts'
import { createDodoV2 } from './sources/direct/dodoV2.ts'
import { createFluid } from './sources/direct/fluid.ts'
import { liquidityBook } from './sources/direct/liquidityBook.ts'
import { createMaverickV2 } from './sources/direct/maverickV2.ts'
import { createRanged } from './sources/direct/ranged.ts'
import { camelotV2, routerV2 } from './sources/direct/routerV2.ts'
import { createUniswapV4, swapProxy } from './sources/direct/uniswapV4.ts'
import { woofi } from './sources/direct/woofi.ts'
import type { LeftOut } from './wire/sources.ts'

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
  /** Pools of one exchange that hold both tokens, where its contracts list none by pair. */
  readonly poolsBetween: (
    chainId: number,
    p: { readonly dex: string; readonly tokens: readonly [Address, Address] },
  ) => readonly Address[]
}

export type OnChainSource = {
  readonly source: Source
  /** What its quotes may name, and nothing else. */
  readonly targets: readonly TargetRow[]
  readonly serves: (chainId: number) => boolean
  /** What it does not do, and why. */
  readonly note: string | undefined
}

/** Middle tokens tried by the on-chain sources; more would make each quote slower, not better. */
const maxHubs = 2
const probeTimeoutMs = 10_000

/**
 * Contracts that a chain names, which the payloads may name then. `pools`: where a family's pools are
 * their own routers. `spenders`: where a router has its tokens taken by another contract.
 */
type Named = { readonly pools: NamedContracts; readonly spenders: NamedContracts }

function createNamed(): NamedContracts {
  const byChain = new Map<number, Set<Address>>()
  return (chainId) => {
    const known = byChain.get(chainId) ?? new Set<Address>()
    byChain.set(chainId, known)
    return known
  }
}

type Create = (deps: DirectDeps, p: { name: string; named: Named }) => DirectSource

const through =
  <path>(familyOf: (deps: DirectDeps, named: Named) => DirectFamily<path>): Create =>
  (deps, { name, named }) =>
    createDirectSource(deps, { name, family: familyOf(deps, named) })
const ranged = (kind: Parameters<typeof createRanged>[1]) =>
  through((deps) => createRanged(deps, kind))

/** Families that can be traded through contracts of their own, by the word of the routing service. */
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
  ['balancer_v2_weighted', through(() => createBalancerV2('weighted'))],
  ['balancer_v2_stable', through(() => createBalancerV2('stable'))],
  ['balancer_v3_weighted', through(() => balancerV3)],
  ['balancer_v3_stable', through(() => balancerV3)],
  ['liquidity_book', through(() => liquidityBook)],
  ['curve_stable_ng', through(createCurveNg)],
  ['curve_plain', through(createCurvePlain)],
  ['curve_crypto', through(createCurveCrypto)],
  ['fluid', through(createFluid)],
  ['maverick_v2', through(createMaverickV2)],
  ['dodo_v2', through(createDodoV2)],
  ['woofi', through(() => woofi)],
])

/** Families whose pools are traded without a router between. */
const withoutRouter: ReadonlySet<string> = new Set([
  'curve_stable_ng',
  'curve_plain',
  'curve_crypto',
  'fluid',
])
/** Contracts that take the tokens for a router. */
const proxies: ReadonlyMap<string, readonly Address[]> = new Map([['uniswap_v4', [swapProxy]]])

/** The contract that a payload goes to; where that is a pool, the factory that names the pools. */
function entranceOf({ protocol, router, factory }: OnChainDex): Address | undefined {
  if (withoutRouter.has(protocol)) return factory
  return router === zeroAddress ? undefined : router
}

const isTraded = (dex: OnChainDex) => families.has(dex.protocol) && entranceOf(dex) !== undefined

function toTargets(
  { name: provider, protocol, ...dex }: OnChainDex,
  { chainId, named: { pools, spenders } }: { readonly chainId: number; readonly named: Named },
): TargetRow {
  if (withoutRouter.has(protocol)) {
    // Read when a quote is checked: pools become known by being asked for.
    const list = () => [...pools(chainId)]
    return {
      provider,
      chainId,
      get targets() {
        return list()
      },
      get spenders() {
        return list()
      },
    }
  }
  const router = dex.router ? [dex.router] : []
  if (protocol === 'dodo_v2')
    return {
      ...{ provider, chainId, targets: router },
      get spenders() {
        return [...spenders(chainId)]
      },
    }
  const takers = proxies.get(protocol)
  return { provider, chainId, targets: [...router, ...(takers ?? [])], spenders: takers ?? router }
}

/** One source for each DEX that has a router of its own: a row more is a source more. */
export function createOnChainSources(deps: OnChainDeps): readonly OnChainSource[] {
  const { clients, dexesOf, now, taxOf, poolsBetween } = deps
  const rows = clients.flatMap(({ chainId }) =>
    dexesOf(chainId)
      .filter(isTraded)
      .map(({ name, protocol }) => ({ chainId, name, protocol })),
  )
  const dexOf = (chainId: number, name: string): DirectDex | undefined => {
    const chainClient = clients.find((client) => client.chainId === chainId)
    const dex = dexesOf(chainId).find((row) => row.name === name && isTraded(row))
    const router = dex && entranceOf(dex)
    if (!chainClient || !router) return undefined
    const { chain, client } = chainClient
    const { quoter, factory, feesPips, poolKeys } = dex
    return {
      router,
      quoter,
      factory,
      feesPips,
      poolKeys,
      poolsBetween: (a, b) => poolsBetween(chainId, { dex: name, tokens: [a, b] }),
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
    const named = { pools: createNamed(), spenders: createNamed() }
    const directDeps = { dexOf: (chainId: number) => dexOf(chainId, name), now, taxOf }
    const source = create(directDeps, { name, named })
    const served = new Set(rows.filter((row) => row.name === name).map(({ chainId }) => chainId))
    // A chain that does not answer yet is asked again by the first quote.
    for (const chainId of served)
      source.isThere(chainId, AbortSignal.timeout(probeTimeoutMs)).then(
        (isHere) => isHere || served.delete(chainId),
        () => undefined,
      )
    const targets = clients.flatMap(({ chainId }) =>
      dexesOf(chainId)
        .filter((dex) => dex.name === name && isTraded(dex))
        .map((dex) => toTargets(dex, { chainId, named })),
    )
    const { note } = source
    return [{ source, targets, note, serves: (chainId: number) => served.has(chainId) }]
  })
}

/** Exchanges that are no source, each with the reason. */
export function listLeftOut({
  clients,
  dexesOf,
}: Pick<OnChainDeps, 'clients' | 'dexesOf'>): readonly LeftOut[] {
  return clients.flatMap(({ chainId }) =>
    dexesOf(chainId)
      .filter((dex) => !isTraded(dex))
      .map(({ name, protocol }) => ({
        name,
        chainId,
        reason: families.has(protocol)
          ? 'no router of its own is known'
          : 'its family has no router here',
      })),
  )
}
