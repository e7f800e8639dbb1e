import {
  type Address,
  encodeAbiParameters,
  pad,
  parseAbi,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { factoriesOf } from '../../../chain/dex.ts'
import { chunk } from '../../reads/chunk.ts'
import { dedupePools } from '../../reads/findPools.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolLog } from '../../reads/poolLog.ts'
import type { ListParameters, LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import { pickParts, readParts } from '../../reads/readParts.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { closed, type EnginePool } from '../maths/enginePool.ts'
import { createBalancerV3StablePool } from './balancerV3Stable.ts'
import type { BalancerV3VaultState } from './balancerV3Vault.ts'
import { createBalancerV3WeightedPool } from './balancerV3Weighted.ts'
import {
  type BalancerCurve,
  depthOf,
  isWhole,
  type ReadBalancerCurves,
  readAmplification,
  readWeights,
} from './readBalancerCurves.ts'

/** A pool behind Balancer's v3 vault. */
export type BalancerV3Record = PoolHead &
  Pick<BalancerCurve, 'weights' | 'amp'> &
  Omit<BalancerV3VaultState, 'id' | 'tokens'> & {
    readonly protocol: 'balancer_v3_weighted' | 'balancer_v3_stable'
    readonly vault: Address
    readonly isPaused: boolean
    /** Made by a factory of 2026: least balances, and a limit of imbalance. */
    readonly isOf2026: boolean
    /** Whether rates or the amplification may move without an event. */
    readonly isMoving: boolean
  }

/** Deployment of the vault on every chain. */
export const balancerV3Vault: Address = '0xbA1333333333a1BA1108E8412f11850A5C319bA9'
export const vaultAbi = parseAbi([
  'function getPoolTokenInfo(address) view returns (address[] tokens, (uint8 tokenType, address rateProvider, bool paysYieldFees)[] tokenInfo, uint256[] balancesRaw, uint256[] lastBalancesLiveScaled18)',
  'function getPoolTokenRates(address) view returns (uint256[] decimalScalingFactors, uint256[] tokenRates)',
  'function getPoolConfig(address) view returns (((bool disableUnbalancedLiquidity, bool enableAddLiquidityCustom, bool enableRemoveLiquidityCustom, bool enableDonation) liquidityManagement, uint256 staticSwapFeePercentage, uint256 aggregateSwapFeePercentage, uint256 aggregateYieldFeePercentage, uint40 tokenDecimalDiffs, uint32 pauseWindowEndTime, bool isPoolRegistered, bool isPoolInitialized, bool isPoolPaused, bool isPoolInRecoveryMode))',
  'function getHooksConfig(address) view returns ((bool enableHookAdjustedAmounts, bool shouldCallBeforeInitialize, bool shouldCallAfterInitialize, bool shouldCallComputeDynamicSwapFee, bool shouldCallBeforeSwap, bool shouldCallAfterSwap, bool shouldCallBeforeAddLiquidity, bool shouldCallAfterAddLiquidity, bool shouldCallBeforeRemoveLiquidity, bool shouldCallAfterRemoveLiquidity, address hooksContract))',
])
const poolAbi = parseAbi(['function version() view returns (string)'])
const factoryAbi = parseAbi([
  'function getPoolCount() view returns (uint256)',
  'function getPoolsInRange(uint256 start, uint256 count) view returns (address[])',
])
const createdTopic = toEventSelector('PoolCreated(address)')
/** After any of them the pool is read again: fees of the protocol and yield hide from events. */
const vaultTopics = [
  'Swap(address,address,address,uint256,uint256,uint256,uint256)',
  'LiquidityAdded(address,address,uint8,uint256,uint256[],uint256[])',
  'LiquidityRemoved(address,address,uint8,uint256,uint256[],uint256[])',
  'SwapFeePercentageChanged(address,uint256)',
  'AggregateSwapFeePercentageChanged(address,uint256)',
  'AggregateYieldFeePercentageChanged(address,uint256)',
  'PoolPausedStateChanged(address,bool)',
  'PoolRecoveryModeStateChanged(address,bool)',
  'PoolInitialized(address)',
].map((event) => toEventSelector(event))
/** An amplification that moves is read until it has stopped. */
const poolTopics = [toEventSelector('AmpUpdateStarted(uint256,uint256,uint256,uint256)')]
/** How pools behind the vault are noticed, whatever their maths. */
export const vaultDiscovery = {
  topics: vaultTopics,
  creations: [{ topic: createdTopic, read: () => undefined }],
  emitters: () => [balancerV3Vault],
}
const poolsPerCall = 60
/** Of a factory that has made more, the oldest and the latest: anybody may have it make any number. */
const mostListed = 3_000n
const firstYear = 2026
const leastBalance = 1_000_000n
const feePerPip = 10n ** 12n
/** Part of a balance whose trade stands for the mid price. */
const tinyPart = 1_000_000n
const stepGas = 187_000
/** Every token's balance and rate is looked at. */
const gasPerToken = 9_000

/** What differs between the kinds of pools. */
type Kind = {
  readonly protocol: BalancerV3Record['protocol']
  readonly readCurves: ReadBalancerCurves
  readonly createPool: (record: BalancerV3Record) => EnginePool
}

const weighted: Kind = {
  protocol: 'balancer_v3_weighted',
  readCurves: readWeights,
  createPool: (record) => createBalancerV3WeightedPool({ ...record, minBalances: leastOf(record) }),
}

const stable: Kind = {
  protocol: 'balancer_v3_stable',
  readCurves: readAmplification,
  createPool: (record) =>
    createBalancerV3StablePool({ ...record, limitsImbalance: record.isOf2026 }),
}

function leastOf({ scalingFactors, isOf2026 }: BalancerV3Record): readonly bigint[] | undefined {
  if (!isOf2026) return undefined
  return scalingFactors.map((factor) => (factor > leastBalance ? factor : leastBalance))
}

/** What a row's factories of pools behind the vault made. */
export async function listBalancerV3Pools(
  deps: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<PoolRef[] | undefined> {
  const made = await Promise.all(
    factoriesOf(dex).map((target) => listMade(deps, { target, blockNumber })),
  )
  if (made.every((pools) => pools === undefined)) return undefined
  return dedupePools(made.flatMap((pools) => pools ?? []).map((address) => ({ dex, address })))
}

async function listMade(
  deps: ReadDeps,
  { target, blockNumber }: { readonly target: Address; readonly blockNumber: bigint },
): Promise<readonly Address[] | undefined> {
  const view = { abi: factoryAbi, blockNumber } as const
  const [count] = await readEach(deps, {
    ...view,
    functionName: 'getPoolCount',
    calls: [{ target }],
  })
  if (count === undefined) return undefined
  const half = mostListed / 2n
  const ranges =
    count > mostListed
      ? [...splitRange(0n, half), ...splitRange(count - half, count)]
      : splitRange(0n, count)
  const calls = ranges.map((args) => ({ target, args }))
  const parts = await readEach(deps, { ...view, functionName: 'getPoolsInRange', calls })
  return parts.flatMap((part) => part ?? [])
}

/** Start and size of each call's part. */
function splitRange(from: bigint, to: bigint): readonly (readonly [bigint, bigint])[] {
  return Array.from({ length: Math.ceil(Number(to - from) / poolsPerCall) }, (_, k) => {
    const start = from + BigInt(k * poolsPerCall)
    const rest = to - start
    return [start, rest < BigInt(poolsPerCall) ? rest : BigInt(poolsPerCall)] as const
  })
}

/** Pools are made with the year of their factory in their version. */
function isOf2026(version: string | undefined): boolean {
  const [, year] = /"deployment":\s*"(\d{4})/.exec(version ?? '') ?? []
  return Number(year) >= firstYear
}

/** What a hook does around a swap, or to its fee, does not follow from the pool's state. */
export function actsOnSwaps(hook: {
  readonly shouldCallBeforeSwap: boolean
  readonly shouldCallAfterSwap: boolean
  readonly shouldCallComputeDynamicSwapFee: boolean
}): boolean {
  return (
    hook.shouldCallBeforeSwap || hook.shouldCallAfterSwap || hook.shouldCallComputeDynamicSwapFee
  )
}

/** Of the tokens of a pool: those that have one. */
export function listRateProviders(
  infos: readonly { readonly rateProvider: Address }[] = [],
): readonly Address[] {
  return infos.flatMap(({ rateProvider }) => (rateProvider === zeroAddress ? [] : [rateProvider]))
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
  { protocol, readCurves }: Kind,
): Promise<BalancerV3Record[]> {
  const own = {
    abi: poolAbi,
    blockNumber,
    calls: pools.map(({ address }) => ({ target: address })),
  }
  const vault = balancerV3Vault
  const calls = pools.map(({ address }) => ({ target: vault, args: [address] as const }))
  const view = { abi: vaultAbi, blockNumber, calls } as const
  const [infos, rates, configs, hooks, versions, curves] = await Promise.all([
    readEach(deps, { ...view, functionName: 'getPoolTokenInfo' }),
    readEach(deps, { ...view, functionName: 'getPoolTokenRates' }),
    readEach(deps, { ...view, functionName: 'getPoolConfig' }),
    readEach(deps, { ...view, functionName: 'getHooksConfig' }),
    readEach(deps, { ...own, functionName: 'version' }),
    readCurves(deps, { pools, blockNumber }),
  ])
  const providersOf = infos.map((info) => listRateProviders(info?.[1]))
  const parts = await readParts(deps, { addresses: providersOf.flat(), blockNumber })
  return pools.flatMap((pool, index) => {
    const [tokens, tokenInfo, balancesRaw, lastBalancesLiveScaled18] = infos[index] ?? []
    const [scalingFactors, tokenRates] = rates[index] ?? []
    const [config, hook] = [configs[index], hooks[index]]
    const curve = curves[index]
    if (!tokens || !tokenInfo || !balancesRaw || !lastBalancesLiveScaled18) return []
    if (!scalingFactors || !tokenRates || !config || !hook) return []
    if (!config.isPoolInitialized) {
      deps.noteFailure?.({ target: pool.address, data: '0x' }, 'unopened')
      return []
    }
    if (actsOnSwaps(hook)) {
      deps.decline?.(pool)
      return []
    }
    if (!curve || !isWhole(curve, tokens)) return []
    const providers = providersOf[index] ?? []
    const inRecovery = config.isPoolInRecoveryMode
    return [
      {
        ...toHead(pool, { tokens, blockNumber }),
        protocol,
        vault,
        amp: curve.amp,
        weights: curve.weights,
        balancesRaw,
        lastBalancesLiveScaled18,
        scalingFactors,
        rates: tokenRates,
        // No yield fee is taken in recovery mode.
        paysYieldFees: tokenInfo.map(({ paysYieldFees }) => paysYieldFees && !inRecovery),
        feePips: Number(config.staticSwapFeePercentage / feePerPip),
        swapFeePercentage: config.staticSwapFeePercentage,
        aggregateSwapFeePercentage: inRecovery ? 0n : config.aggregateSwapFeePercentage,
        aggregateYieldFeePercentage: config.aggregateYieldFeePercentage,
        isPaused: config.isPoolPaused,
        isOf2026: isOf2026(versions[index]),
        isMoving: curve.isUpdating || providers.length > 0,
        parts: pickParts(parts, providers),
        isFresh: tokens.map(() => false),
      },
    ]
  })
}

function apply(record: BalancerV3Record, log: PoolLog): BalancerV3Record | undefined {
  // Anybody may name the pool in an event of theirs: only the vault's own word and the pool's count.
  const isHeard = log.address === record.id || log.address === record.vault.toLowerCase()
  return isHeard ? undefined : record
}

function poolIdOf({ topics: [topic, pool] }: PoolLog): string | undefined {
  if (!pool || !vaultTopics.some((known) => known === topic)) return undefined
  return `0x${pool.slice(26)}`
}

function toEnginePool({ createPool }: Kind, record: BalancerV3Record): EnginePool {
  const pool = createPool(record)
  return record.isPaused ? closed(pool) : pool
}

/** Without the fee, and small against the balance. */
function midPrice(
  { createPool }: Kind,
  { record, i, j }: { readonly record: BalancerV3Record; readonly i: number; readonly j: number },
): number {
  const amountIn = (record.balancesRaw[i] ?? 0n) / tinyPart
  const swap = createPool({ ...record, swapFeePercentage: 0n }).swap(i, j, amountIn)
  return swap ? Number(swap.amountOut) / Number(amountIn) : 0
}

function describe(kind: Kind): PoolFamily<BalancerV3Record> {
  return {
    /** Everything that a factory made is listed. */
    find: async () => [],
    list: listBalancerV3Pools,
    async load(deps, { pools, blockNumber }) {
      const parts = chunk(pools, poolsPerCall)
      const loaded = parts.map((part) => load(deps, { pools: part, blockNumber }, kind))
      return (await Promise.all(loaded)).flat()
    },
    ...vaultDiscovery,
    topics: [...vaultTopics, ...poolTopics],
    poolIdOf,
    nameInLogs: ({ address }) => ({ name: pad(address), by: [balancerV3Vault] }),
    apply,
    async refresh(deps, { records, dexes, blockNumber }) {
      const pools = records.flatMap(({ address, dex: name, isMoving }) => {
        const dex = dexes.find((candidate) => candidate.name === name)
        return dex && isMoving ? [{ dex, address }] : []
      })
      const read = await load(deps, { pools, blockNumber }, kind)
      return new Map(read.map(({ id, rates, amp, isMoving }) => [id, { rates, amp, isMoving }]))
    },
    toEnginePool: (record) => toEnginePool(kind, record),
    encodeStep: ({ address }) => ({
      kind: stepKinds.balancerV3,
      pool: balancerV3Vault,
      data: encodeAbiParameters([{ type: 'address' }], [address]),
    }),
    midPrice: (record, i, j) => midPrice(kind, { record, i, j }),
    depth: ({ weights, balancesRaw }, i) => depthOf({ weights }, { i, balance: balancesRaw[i] }),
    held: ({ balancesRaw }, i) => Number(balancesRaw[i] ?? 0n),
    stepGas: ({ tokens }) => stepGas + gasPerToken * tokens.length,
    takesTaxedInput: false,
  }
}

export const balancerV3WeightedFamily = describe(weighted)
export const balancerV3StableFamily = describe(stable)
