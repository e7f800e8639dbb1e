import { type Address, erc20Abi, parseAbi } from 'viem'
import type { PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import { one18 } from '../maths/fixedPoint18.ts'

/** What the vault and a weighted pool that names no scaling factors say. */
export type FirstVersionPool = {
  readonly pool: PoolRef
  readonly tokens: readonly Address[]
  readonly balances: readonly bigint[]
  readonly weights: readonly bigint[]
}

const abi = parseAbi(['function getInvariant() view returns (uint256)'])
const mostDecimals = 18
/** Of the invariant, by float64. */
const tolerance = 1e-6

/**
 * Scaling factors of weighted pools of the first version, which name none: they took the tokens' decimals
 * when they were made (balancer/balancer-v2-monorepo 20210418 BasePool.sol `_computeScalingFactor`). A
 * token may say something else by now: the pool's own invariant has to agree.
 */
export async function readFirstFactors(
  deps: ReadDeps,
  {
    pools,
    blockNumber,
  }: { readonly pools: readonly FirstVersionPool[]; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, readonly bigint[]>> {
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
  const [decimals, invariants] = await Promise.all([
    readEach(deps, {
      abi: erc20Abi,
      functionName: 'decimals',
      calls: tokens.map((target) => ({ target })),
      blockNumber,
    }),
    readEach(deps, {
      abi,
      functionName: 'getInvariant',
      calls: pools.map(({ pool: { address: target } }) => ({ target })),
      blockNumber,
    }),
  ])
  const decimalsOf = new Map(tokens.map((token, index) => [token, decimals[index]]))
  return new Map(
    pools.flatMap((first, index) => {
      const known = first.tokens.map((token) => decimalsOf.get(token) ?? mostDecimals + 1)
      if (known.some((count) => count > mostDecimals)) return []
      const factors = known.map((count) => one18 * 10n ** BigInt(mostDecimals - count))
      const isSame = agrees(first, { factors, invariant: invariants[index] })
      return isSame ? [[first.pool.address.toLowerCase(), factors] as const] : []
    }),
  )
}

/** Balances to the power of their weights, multiplied. */
function agrees(
  { balances, weights }: FirstVersionPool,
  {
    factors,
    invariant = 0n,
  }: { readonly factors: readonly bigint[]; readonly invariant?: bigint | undefined },
): boolean {
  const logarithm = balances.reduce((sum, balance, k) => {
    const scaled = (Number(balance) * Number(factors[k] ?? 0n)) / Number(one18)
    return sum + (Number(weights[k] ?? 0n) / Number(one18)) * Math.log(scaled)
  }, 0)
  return Math.abs(logarithm - Math.log(Number(invariant))) < tolerance
}
