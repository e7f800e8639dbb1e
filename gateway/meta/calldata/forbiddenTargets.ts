import type { Address } from 'viem'
import { chains, getChain } from '../../chain/chains.ts'

/** Uniswap's Permit2, at one address on every chain: it holds allowances of half the world. */
export const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const lower = (address: Address) => address.toLowerCase()
const marketSets: ReadonlyMap<number, ReadonlySet<string>> = new Map(
  chains.map(({ chainId, lendingMarkets }) => [chainId, new Set(lendingMarkets.map(lower))]),
)

/** Why an address is never a swap's target on a chain; undefined where nothing speaks against it. */
export function findForbiddenTarget(chainId: number, target: Address): string | undefined {
  if (lower(target) === lower(permit2)) return 'the target is Permit2'
  if (marketSets.get(chainId)?.has(lower(target))) return 'the target is a lending market'
  return undefined
}

/** All of them on one chain, for tests that try each. */
export const listLendingMarkets = (chainId: number): readonly Address[] =>
  getChain(chainId)?.lendingMarkets ?? []
