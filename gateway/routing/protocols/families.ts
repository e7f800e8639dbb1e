import type { Hex } from 'viem'
import type { Protocol } from '../../chain/dexes.ts'
import { algebraIntegralFamily, camelotV3Family } from './algebraChain.ts'
import { balancerV2StableFamily, balancerV2WeightedFamily } from './balancerV2Chain.ts'
import { balancerV3StableFamily, balancerV3WeightedFamily } from './balancerV3Chain.ts'
import { balancerV3QuotedFamily } from './balancerV3QuotedChain.ts'
import { camelotV2Family } from './camelotV2Chain.ts'
import { curveCryptoFamily } from './curveCryptoChain.ts'
import { curvePlainFamily } from './curvePlainChain.ts'
import { curveStableNgFamily } from './curveStableNgChain.ts'
import { dodoV2Family } from './dodoV2Chain.ts'
import type { EnginePool } from './enginePool.ts'
import { fluidFamily } from './fluidChain.ts'
import { liquidityBookFamily } from './liquidityBookChain.ts'
import { maverickV2Family } from './maverickV2Chain.ts'
import type { PoolCreation, PoolFamily } from './poolFamily.ts'
import type { PoolLog } from './poolLog.ts'
import type { PoolRecord } from './poolRecord.ts'
import { ramsesV1Family } from './ramsesV1Chain.ts'
import { solidlyFamily } from './solidlyChain.ts'
import { tridentFamily } from './tridentChain.ts'
import { uniswapV2Family } from './uniswapV2Chain.ts'
import {
  pancakeV3Family,
  ramsesV2Family,
  slipstreamFamily,
  uniswapV3Family,
} from './uniswapV3Chain.ts'
import { uniswapV4Family } from './uniswapV4Chain.ts'
import { woofiFamily } from './woofiChain.ts'

/** Every family; those at the end are priced by the quoters of their protocols. */
const families: Readonly<Record<Protocol, PoolFamily<PoolRecord>>> = {
  ['uniswap_v2']: uniswapV2Family,
  ['uniswap_v3']: uniswapV3Family,
  ['pancake_v3']: pancakeV3Family,
  ['slipstream']: slipstreamFamily,
  ['aerodrome_v2']: solidlyFamily,
  ['uniswap_v4']: uniswapV4Family,
  ['balancer_v2_weighted']: balancerV2WeightedFamily,
  ['balancer_v2_stable']: balancerV2StableFamily,
  ['camelot_v2']: camelotV2Family,
  ['camelot_v3']: camelotV3Family,
  ['algebra_integral']: algebraIntegralFamily,
  ['curve_stable_ng']: curveStableNgFamily,
  ['curve_plain']: curvePlainFamily,
  ['balancer_v3_weighted']: balancerV3WeightedFamily,
  ['balancer_v3_stable']: balancerV3StableFamily,
  ['liquidity_book']: liquidityBookFamily,
  ['ramses_v2']: ramsesV2Family,
  ['trident']: tridentFamily,
  ['curve_crypto']: curveCryptoFamily,
  ['fluid']: fluidFamily,
  ['maverick_v2']: maverickV2Family,
  ['dodo_v2']: dodoV2Family,
  ['woofi']: woofiFamily,
  ['ramses_v1']: ramsesV1Family,
  ['balancer_v3_quoted']: balancerV3QuotedFamily,
}

export function isProtocol(name: unknown): name is Protocol {
  return typeof name === 'string' && Object.hasOwn(families, name)
}

export function familyOf({ protocol }: { readonly protocol: Protocol }): PoolFamily<PoolRecord> {
  return families[protocol]
}

/** The pool as the engine sees it. */
export function toEnginePool(record: PoolRecord): EnginePool {
  return familyOf(record).toEnginePool(record)
}

const all = Object.values(families)
export const creations: ReadonlyMap<string, PoolCreation> = new Map(
  all.flatMap((family) => family.creations.map((creation) => [creation.topic, creation] as const)),
)
/** Everything that can change a pool's swaps, and the creation of pools. */
export const followedTopics: readonly Hex[] = [
  ...new Set([...all.flatMap(({ topics }) => topics), ...(creations.keys() as Iterable<Hex>)]),
]

/** Id of the pool that an event is about: its emitter, but for contracts of many pools. */
export function poolIdOf(log: PoolLog): string {
  for (const family of sharedEmitters) {
    const id = family.poolIdOf?.(log)
    if (id !== undefined) return id
  }
  return log.address
}
const sharedEmitters = all.filter(({ poolIdOf: named }) => named !== undefined)
