import { type Address, zeroAddress } from 'viem'
import type { ChainClient } from '../../chain/client.ts'
import type { Dex } from '../../chain/dex.ts'
import type { TargetRow } from '../calldata/checkQuote.ts'
import type { Source } from '../provider/source.ts'
import { createAerodromeV2 } from './direct/aerodromeV2.ts'
import { createBalancerV2 } from './direct/balancerV2.ts'
import { balancerV3 } from './direct/balancerV3.ts'
import { createCurveCrypto, createCurveNg, createCurvePlain } from './direct/curve.ts'
import {
  createDirectSource,
  type DirectDeps,
  type DirectDex,
  type DirectFamily,
  type DirectSource,
  type NamedContracts,
} from './direct/directSource.ts'
import { createDodoV2 } from './direct/dodoV2.ts'
import { createFluid } from './direct/fluid.ts'
import { liquidityBook } from './direct/liquidityBook.ts'
import { createMaverickV2 } from './direct/maverickV2.ts'
import { createRanged } from './direct/ranged.ts'
import { camelotV2, routerV2 } from './direct/routerV2.ts'
import { createUniswapV4, swapProxy } from './direct/uniswapV4.ts'
import { woofi } from './direct/woofi.ts'
/** An exchange that the routing service trades and that is no source of its own. */
export type LeftOut = {
  readonly name: string
  readonly chainId: number
  readonly reason: string
}

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

type Family = {
  readonly create: Create
  /** Where payloads go, if not to the exchange's router. */
  readonly called?: 'pools' | undefined
  /** Who takes the tokens, if not the router: contracts of ours to know, or those that the chain names. */
  readonly takers?: readonly Address[] | 'named' | undefined
}

/** Families that can be traded through contracts of their own, by the word of the routing service. */
const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['uniswap_v2', { create: through(() => routerV2) }],
  ['camelot_v2', { create: through(() => camelotV2) }],
  ['aerodrome_v2', { create: through(createAerodromeV2) }],
  ['uniswap_v3', { create: ranged('uniswapV3') }],
  ['pancake_v3', { create: ranged('uniswapV3') }],
  ['slipstream', { create: ranged('slipstream') }],
  ['camelot_v3', { create: ranged('algebra') }],
  ['algebra_integral', { create: ranged('algebraIntegral') }],
  ['uniswap_v4', { create: through(createUniswapV4), takers: [swapProxy] }],
  ['balancer_v2_weighted', { create: through(() => createBalancerV2('weighted')) }],
  ['balancer_v2_stable', { create: through(() => createBalancerV2('stable')) }],
  ['balancer_v3_weighted', { create: through(() => balancerV3) }],
  ['balancer_v3_stable', { create: through(() => balancerV3) }],
  ['liquidity_book', { create: through(() => liquidityBook) }],
  ['curve_stable_ng', { create: through(createCurveNg), called: 'pools' }],
  ['curve_plain', { create: through(createCurvePlain), called: 'pools' }],
  ['curve_crypto', { create: through(createCurveCrypto), called: 'pools' }],
  ['fluid', { create: through(createFluid), called: 'pools' }],
  ['maverick_v2', { create: through(createMaverickV2) }],
  ['dodo_v2', { create: through(createDodoV2), takers: 'named' }],
  ['woofi', { create: through(() => woofi) }],
])

/** The contract that a payload goes to; where that is a pool, the factory that names the pools. */
function entranceOf({ protocol, router, factory }: OnChainDex): Address | undefined {
  if (families.get(protocol)?.called === 'pools') return factory
  return router === zeroAddress ? undefined : router
}

const isTraded = (dex: OnChainDex) => families.has(dex.protocol) && entranceOf(dex) !== undefined

function toTargets(
  { name: provider, protocol, ...dex }: OnChainDex,
  { chainId, named: { pools, spenders } }: { readonly chainId: number; readonly named: Named },
): TargetRow {
  const { called, takers } = families.get(protocol) ?? {}
  if (called === 'pools') {
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
  if (takers === 'named')
    return {
      provider,
      chainId,
      targets: router,
      get spenders() {
        return [...spenders(chainId)]
      },
    }
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
    const create = families.get(protocol)?.create
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
