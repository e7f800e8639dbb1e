import type { Address } from 'viem'
import { arbitrum } from './arbitrum.ts'
import { base } from './base.ts'
import type { ChainRow } from './chain.ts'
import type { Dex } from './dex.ts'

const rows = [base, arbitrum] as const

/** The chains that we know: a new one is a file beside this one, and its name in the list above. */
export type ChainId = (typeof rows)[number]['chainId']
export type Chain = ChainRow & { readonly chainId: ChainId }

export const chains: readonly Chain[] = rows

export function getChain(chainId: number): Chain | undefined {
  return chains.find((chain) => chain.chainId === chainId)
}

export const getDexes = (chainId: number): readonly Dex[] => getChain(chainId)?.dexes ?? []

export type SeedToken = {
  readonly address: Address
  readonly symbol: string
  readonly decimals: number
}

export function seedTokens(chainId: number): readonly SeedToken[] {
  const tokens = getChain(chainId)?.tokens ?? []
  return tokens.map(([symbol, decimals, address]) => ({ symbol, decimals, address }))
}

/** A Chainlink aggregator that answers US dollars per whole token. */
export type TokenFeed = { readonly token: Address; readonly feed: Address }

export function feedsOf(chainId: number): readonly TokenFeed[] {
  return (getChain(chainId)?.feeds ?? []).map(([token, feed]) => ({ token, feed }))
}
