import { type Address, parseAbi, zeroAddress } from 'viem'
import type { PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import { readHead } from '../../reads/readHead.ts'
import { mulDown, one18 } from '../maths/fixedPoint18.ts'

export type BalancerV2RatesOf = ReadonlyMap<
  string,
  {
    readonly scalingFactors: readonly bigint[]
    /** One that reverts just now may answer at the next block. */
    readonly providers: readonly Address[]
  }
>

const abi = parseAbi([
  'function getRateProviders() view returns (address[])',
  'function getScalingFactors() view returns (uint256[])',
  'function getTokenRateCache(address) view returns (uint256 rate, uint256, uint256, uint256 expires)',
  'function getRate() view returns (uint256)',
])

/** 1e18 and more, for tokens of 18 and fewer decimals. */
const bases = Array.from({ length: 19 }, (_, power) => one18 * 10n ** BigInt(power))

type Parameters = {
  readonly pools: readonly PoolRef[]
  /** Tokens by pool, as the vault lists them. */
  readonly held: readonly (readonly Address[] | undefined)[]
  readonly blockNumber: bigint
}

/**
 * Scaling factors of stable pools as the next swap will see them: a cached rate that is out of date is
 * renewed by the swap itself, before it is priced.
 */
export async function readBalancerV2Rates(
  deps: ReadDeps,
  { pools, held, blockNumber }: Parameters,
): Promise<BalancerV2RatesOf> {
  const calls = pools.map(({ address: target }) => ({ target }))
  const [head, providers, factors] = await Promise.all([
    readHead(deps, blockNumber),
    readEach(deps, { abi, functionName: 'getRateProviders', calls, blockNumber }),
    readEach(deps, { abi, functionName: 'getScalingFactors', calls, blockNumber }),
  ])
  const rated = pools.flatMap(({ address }, p) =>
    (held[p] ?? []).flatMap((token, k) => {
      const provider = providers[p]?.[k]
      const isRated = provider && provider !== zeroAddress
      return isRated ? [{ pool: address, token, k, provider }] : []
    }),
  )
  const [caches, rates] = await Promise.all([
    readEach(deps, {
      abi,
      functionName: 'getTokenRateCache',
      blockNumber,
      calls: rated.map(({ pool: target, token }) => ({ target, args: [token] as const })),
    }),
    readEach(deps, {
      abi,
      functionName: 'getRate',
      blockNumber,
      calls: rated.map(({ provider: target }) => ({ target })),
    }),
  ])
  const found = new Map(
    pools.map(({ address }, p) => [
      address.toLowerCase(),
      {
        scalingFactors: [...(factors[p] ?? [])],
        providers: (providers[p] ?? []).filter((provider) => provider !== zeroAddress),
      },
    ]),
  )
  for (const [index, { pool, k }] of rated.entries()) {
    const row = found.get(pool.toLowerCase())
    const [cache, rate] = [caches[index], rates[index]]
    const scaling = row?.scalingFactors[k]
    if (!row || !cache || rate === undefined || scaling === undefined) continue
    const [cached, , , expires] = cache
    const base = bases.find((candidate) => mulDown(candidate, cached) === scaling)
    // The next block is a second later at least.
    const isOld = head !== undefined && head.timestampSecs >= expires
    if (isOld && base !== undefined) row.scalingFactors[k] = mulDown(base, rate)
  }
  return found
}
