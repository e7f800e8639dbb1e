import { type Address, encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import { balancerV3Vault } from '../protocols/balancer/balancerV3Chain.ts'

export const stableFactoryAbi = parseAbi([
  'function createStable(address[] tokens, (uint8 tokenType, address rateProvider, bool paysYieldFees)[] infos, uint256[3] fees, uint256 amp, bool limitsImbalance) returns (address)',
  'function getPoolCount() view returns (uint256)',
  'function getPoolsInRange(uint256 start, uint256 count) view returns (address[])',
])
const vaultAbi = parseAbi(['function addLiquidity(address pool, uint256[] amounts)'])

/** A stable pool of two tokens on Balancer's honest factory; the first token has the provider. */
export type StablePool = {
  readonly provider: Address
  readonly tokens: readonly [Address, Address]
  readonly amounts: readonly [bigint, bigint]
}

/** The vault keeps tokens in the order of their addresses. */
const sortRows = ({ provider, tokens, amounts }: StablePool) =>
  [
    { token: tokens[0], amount: amounts[0], rateProvider: provider },
    { token: tokens[1], amount: amounts[1], rateProvider: zeroAddress },
  ].toSorted((a, b) => (a.token.toLowerCase() < b.token.toLowerCase() ? -1 : 1))

/** The factory's call that makes the pool, and answers its address. */
export function createStableData(pool: StablePool): Hex {
  const rows = sortRows(pool)
  const infos = rows.map(({ rateProvider }) => ({
    rateProvider,
    tokenType: rateProvider === zeroAddress ? 0 : 1,
    paysYieldFees: false,
  }))
  const tokens = rows.map(({ token }) => token)
  const args = [tokens, infos, [10n ** 14n, 0n, 0n], 200n, false] as const
  return encodeFunctionData({ abi: stableFactoryAbi, functionName: 'createStable', args })
}

/** Counts towards the pool what lies in the vault; for who made the pool. */
export function fillStableCall(address: Address, pool: StablePool) {
  const args = [address, sortRows(pool).map(({ amount }) => amount)] as const
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'addLiquidity', args })
  return { to: balancerV3Vault, data }
}
