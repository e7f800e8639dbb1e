import { zeroAddress } from 'viem'
import type { ChainClient } from '../chain/client.ts'
import type { Dex } from '../chain/dexes.ts'
import type { Source } from './source.ts'
import { createRouterProbe } from './sources/probeRouter.ts'
import { createUniswapV2Source } from './sources/uniswapV2.ts'
import { createUniswapV3Source } from './sources/uniswapV3.ts'

export type OnChainDeps = {
  readonly clients: readonly ChainClient[]
  readonly dexesOf: (chainId: number) => readonly Dex[]
  readonly now: () => number
}

export type OnChainSource = {
  readonly source: Source
  readonly serves: (chainId: number) => boolean
}

/** Middle tokens tried by the on-chain sources; more would make each quote slower, not better. */
const maxHubs = 2
const probeTimeoutMs = 10_000

const isRouted = ({ router }: Dex) => router !== undefined && router !== zeroAddress

/** Families that a source below speaks, and whether a row has the contracts that it needs. */
function kindOf(dex: Dex): 'v2' | 'v3' | undefined {
  if (!isRouted(dex)) return undefined
  if (dex.protocol === 'uniswap_v2') return 'v2'
  const isV3 = dex.protocol === 'uniswap_v3' || dex.protocol === 'pancake_v3'
  return isV3 && dex.quoter !== undefined && dex.quoter !== zeroAddress ? 'v3' : undefined
}

/** One source for each DEX that has a router of its own: a row more is a source more. */
export function createOnChainSources(deps: OnChainDeps): readonly OnChainSource[] {
  const { now } = deps
  const probeRouter = createRouterProbe()
  const rows = deps.clients.flatMap(({ chainId }) =>
    deps.dexesOf(chainId).flatMap((dex) => {
      const kind = kindOf(dex)
      return kind ? [{ chainId, name: dex.name, kind }] : []
    }),
  )
  const names = [...new Set(rows.map(({ name }) => name))]

  const find = (chainId: number, name: string) => {
    const chainClient = deps.clients.find((client) => client.chainId === chainId)
    const dex = deps.dexesOf(chainId).find((row) => row.name === name && isRouted(row))
    if (!chainClient || !dex?.router) return undefined
    const { chain, client } = chainClient
    const reader = { client, multicall3: chain.multicall3 }
    const hubTokens = chain.hubTokens.slice(0, maxHubs)
    const { router, quoter, factory, feesPips } = dex
    const { wrappedNative } = chain
    return { router, quoter, factory, feesPips, reader, hubTokens, wrappedNative }
  }
  const findV3 = (chainId: number, name: string) => {
    const found = find(chainId, name)
    return found?.quoter ? { ...found, quoter: found.quoter } : undefined
  }
  return names.map((name) => {
    const own = rows.filter((row) => row.name === name)
    const source = own.some(({ kind }) => kind === 'v2')
      ? createUniswapV2Source({ dexOf: (id) => find(id, name), now, probeRouter }, { name })
      : createUniswapV3Source({ dexOf: (id) => findV3(id, name), now, probeRouter }, { name })
    const served = new Set(own.map(({ chainId }) => chainId))
    for (const chainId of served) {
      const dex = find(chainId, name)
      const asked = dex && probeRouter(dex, AbortSignal.timeout(probeTimeoutMs))
      // A chain that does not answer yet is asked again by the first quote.
      asked?.then(
        (kind) => kind === 'unknown' && served.delete(chainId),
        () => undefined,
      )
    }
    return { source, serves: (chainId: number) => served.has(chainId) }
  })
}
