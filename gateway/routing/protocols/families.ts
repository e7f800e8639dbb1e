import type { Hex } from 'viem'
import type { Protocol } from '../../chain/dex.ts'
import type { PoolLog } from '../reads/poolLog.ts'
import { balancerV2StableFamily, balancerV2WeightedFamily } from './balancer/balancerV2Chain.ts'
import { balancerV3StableFamily, balancerV3WeightedFamily } from './balancer/balancerV3Chain.ts'
import { balancerV3QuotedFamily } from './balancer/balancerV3QuotedChain.ts'
import { liquidityBookFamily } from './book/liquidityBookChain.ts'
import { algebraIntegralFamily, camelotV3Family } from './concentrated/algebraChain.ts'
import {
  pancakeV3Family,
  ramsesV2Family,
  slipstreamFamily,
  uniswapV3Family,
} from './concentrated/uniswapV3Chain.ts'
import { uniswapV4Family } from './concentrated/uniswapV4Chain.ts'
import { curvePlainFamily } from './curve/curvePlainChain.ts'
import { curveStableNgFamily } from './curve/curveStableNgChain.ts'
import type { PoolFamily } from './family/poolFamily.ts'
import type { EnginePool } from './maths/enginePool.ts'
import { camelotV2Family } from './pair/camelotV2Chain.ts'
import { solidlyFamily } from './pair/solidlyChain.ts'
import { tridentFamily } from './pair/tridentChain.ts'
import { uniswapV2Family } from './pair/uniswapV2Chain.ts'
import type { PoolRecord } from './poolRecord.ts'
import { curveCryptoFamily } from './quoted/curveCryptoChain.ts'
import { dodoV2Family } from './quoted/dodoV2Chain.ts'
import { fluidFamily } from './quoted/fluidChain.ts'
import { maverickV2Family } from './quoted/maverickV2Chain.ts'
import { ramsesV1Family } from './quoted/ramsesV1Chain.ts'
import { woofiFamily } from './quoted/woofiChain.ts'
import { aaveV3Family } from './wrapped/aaveV3Chain.ts'
import { erc4626Family } from './wrapped/erc4626Chain.ts'
import { psm3Family } from './wrapped/psm3Chain.ts'

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
  ['psm3']: psm3Family,
  ['aave_v3']: aaveV3Family,
  ['curve_crypto']: curveCryptoFamily,
  ['fluid']: fluidFamily,
  ['maverick_v2']: maverickV2Family,
  ['dodo_v2']: dodoV2Family,
  ['woofi']: woofiFamily,
  ['ramses_v1']: ramsesV1Family,
  ['balancer_v3_quoted']: balancerV3QuotedFamily,
  ['erc4626']: erc4626Family,
}

export function isCreation({ topics: [topic] }: PoolLog): boolean {
  return topic !== undefined && creationTopics.has(topic)
}

export function isProtocol(name: unknown): name is Protocol {
  return typeof name === 'string' && Object.hasOwn(families, name)
}

export function familyOf({ protocol }: { readonly protocol: Protocol }): PoolFamily<PoolRecord> {
  return families[protocol]
}

/** A pool without local maths: what the engine says of it is a guess between samples. */
export function isQuoted(record: PoolRecord): boolean {
  const family = familyOf(record)
  return family.quoter !== undefined && (family.isQuoted?.(record) ?? true)
}

/** Pools of which samples are all that is known: they are drawn anew without any event. */
export function isSampled(pool: { readonly protocol: Protocol }): boolean {
  const { quoter, isQuoted: isQuotedAlone } = familyOf(pool)
  return quoter !== undefined && isQuotedAlone === undefined
}

/** The pool as the engine sees it; at a time, where its price moves with the clock. */
export function toEnginePool(record: PoolRecord, atSecs?: number): EnginePool {
  return familyOf(record).toEnginePool(record, atSecs)
}

const all = Object.values(families)
/** Families share some of them, and read them differently. */
const creationTopics: ReadonlySet<string> = new Set(
  all.flatMap((family) => family.creations.map(({ topic }) => topic)),
)
/** Everything that can change the swaps of these exchanges' pools, and the creation of pools. */
export function followedTopics(dexes: Iterable<Parameters<typeof familyOf>[0]>): readonly Hex[] {
  const own = new Set([...dexes].map(familyOf))
  const topics = [...own].flatMap((family) => [
    ...family.topics,
    ...family.creations.map(({ topic }) => topic),
  ])
  return [...new Set(topics)]
}

/** Id of the pool that an event is about: its emitter, but for contracts of many pools. */
export function poolIdOf(log: PoolLog): string {
  for (const family of sharedEmitters) {
    const id = family.poolIdOf?.(log)
    if (id !== undefined) return id
  }
  return log.address
}
const sharedEmitters = all.filter(({ poolIdOf: named }) => named !== undefined)
