import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  parseAbi,
  toEventSelector,
} from 'viem'
import { dedupePools } from '../sync/findPools.ts'
import { readEach } from '../sync/readEach.ts'
import { scanLogs } from '../sync/scanLogs.ts'
import { type BalancerV2RatesOf, readBalancerV2Rates } from './balancerV2Rates.ts'
import { createBalancerV2StablePool } from './balancerV2Stable.ts'
import { createBalancerV2WeightedPool } from './balancerV2Weighted.ts'
import {
  type ListParameters,
  type LoadParameters,
  type PoolFamily,
  type PoolRef,
  type ReadDeps,
  toHead,
} from './poolFamily.ts'
import type { PoolHead } from './poolHead.ts'
import type { PoolLog } from './poolLog.ts'

/** A pool behind Balancer's v2 vault; its own token is left out of all lists. */
export type BalancerV2Record = PoolHead & {
  readonly protocol: 'balancer_v2_weighted' | 'balancer_v2_stable'
  readonly vault: Address
  readonly poolId: Hex
  readonly balances: readonly bigint[]
  readonly scalingFactors: readonly bigint[]
  readonly swapFeePercentage: bigint
  readonly isPaused: boolean
  /** Of weighted pools; empty for stable ones. */
  readonly weights: readonly bigint[]
  /** Of stable pools, with three extra digits; 0 for weighted ones. */
  readonly amp: bigint
  /** Whether rates or the amplification may move without an event. */
  readonly isMoving: boolean
}

const vaultAbi = parseAbi([
  'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256)',
])
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getVault() view returns (address)',
  'function getScalingFactors() view returns (uint256[])',
  'function getNormalizedWeights() view returns (uint256[])',
  'function getSwapFeePercentage() view returns (uint256)',
  'function getPausedState() view returns (bool paused, uint256, uint256)',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256)',
])
const factoryAbi = parseAbi(['function isPoolFromFactory(address) view returns (bool)'])
const noncesPerCall = 100n
const poolCreatedTopic = toEventSelector('PoolCreated(address)')
const vaultSwapTopic = toEventSelector('Swap(bytes32,address,address,uint256,uint256)')
const balanceChangedTopic = toEventSelector(
  'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])',
)
const balanceManagedTopic = toEventSelector(
  'PoolBalanceManaged(bytes32,address,address,int256,int256)',
)
const vaultTopics = [vaultSwapTopic, balanceChangedTopic, balanceManagedTopic]
/** Events of the pool itself after which it is read again. */
const poolTopics = [
  'SwapFeePercentageChanged(uint256)',
  'PausedStateChanged(bool)',
  'AmpUpdateStarted(uint256,uint256,uint256,uint256)',
  'AmpUpdateStopped(uint256)',
  'TokenRateCacheUpdated(uint256,uint256)',
  'TokenRateProviderSet(uint256,address,uint256)',
].map((event) => toEventSelector(event))
const amounts = [{ type: 'uint256' }, { type: 'uint256' }] as const
const deltas = [{ type: 'address[]' }, { type: 'int256[]' }, { type: 'uint256[]' }] as const
/** Deployment of the vault on every chain. */
const canonicalVault: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8'
const weightedStepGas = 88_000
const stableStepGas = 131_000
const feePerPip = 10n ** 12n
/** Part of a balance whose trade stands for the mid price. */
const tinyPart = 1_000_000n

/**
 * Factories keep no list. Creation events are one, where the node still has them; and pools of the
 * factories that count their creations stand at the addresses that follow from the count.
 */
async function list(deps: ReadDeps, { dex, blockNumber }: ListParameters): Promise<PoolRef[]> {
  const [logs, counted] = await Promise.all([
    scanLogs(deps, {
      address: dex.factory,
      topics: [poolCreatedTopic],
      fromBlock: BigInt(dex.deployBlock),
      toBlock: blockNumber,
    }),
    listCounted(deps, { dex, blockNumber }),
  ])
  const created = logs.flatMap(({ topics: [, pool] }) =>
    pool ? [{ dex, address: `0x${pool.slice(26)}` as const }] : [],
  )
  return dedupePools([...created, ...counted])
}

async function listCounted(
  deps: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<PoolRef[]> {
  const found: PoolRef[] = []
  for (let from = 1n; ; from += noncesPerCall) {
    const calls = Array.from({ length: Number(noncesPerCall) }, (_, k) => ({
      target: dex.factory,
      args: [getContractAddress({ from: dex.factory, nonce: from + BigInt(k) })] as const,
    }))
    const answers = await readEach(deps, {
      ...{ abi: factoryAbi, functionName: 'isPoolFromFactory', calls, blockNumber },
    })
    const pools = calls.filter((_, index) => answers[index] === true)
    if (pools.length === 0) return found
    found.push(...pools.map(({ args: [address] }) => ({ dex, address })))
  }
}

type Read = LoadParameters & { readonly protocol: BalancerV2Record['protocol'] }

async function load(
  deps: ReadDeps,
  { pools, blockNumber, protocol }: Read,
): Promise<BalancerV2Record[]> {
  const isStable = protocol === 'balancer_v2_stable'
  const calls = pools.map(({ address: target }) => ({ target }))
  const view = { abi: poolAbi, calls, blockNumber } as const
  const [ids, vaults, factors, fees, paused, weights, amps] = await Promise.all([
    readEach(deps, { ...view, functionName: 'getPoolId' }),
    readEach(deps, { ...view, functionName: 'getVault' }),
    readEach(deps, { ...view, functionName: 'getScalingFactors' }),
    readEach(deps, { ...view, functionName: 'getSwapFeePercentage' }),
    readEach(deps, { ...view, functionName: 'getPausedState' }),
    isStable ? [] : readEach(deps, { ...view, functionName: 'getNormalizedWeights' }),
    isStable ? readEach(deps, { ...view, functionName: 'getAmplificationParameter' }) : [],
  ])
  const held = await readEach(deps, {
    ...{ abi: vaultAbi, functionName: 'getPoolTokens', blockNumber },
    calls: ids.map((id = '0x') => ({
      target: canonicalVault,
      args: [id.padEnd(66, '0') as Hex] as const,
    })),
  })
  const rates: BalancerV2RatesOf = isStable
    ? await readBalancerV2Rates(deps, { pools, held: held.map((row) => row?.[0]), blockNumber })
    : new Map()
  return pools.flatMap((pool, index) => {
    const [tokens, balances] = held[index] ?? []
    const own = pool.address.toLowerCase()
    const keep = <value>(values: readonly value[]) =>
      values.filter((_, k) => tokens?.[k]?.toLowerCase() !== own)
    const [poolId, fee, pause] = [ids[index], fees[index], paused[index]]
    const ofPool = rates.get(own)
    const scalingFactors = ofPool?.scalingFactors ?? factors[index]
    const [amp, isUpdating] = amps[index] ?? [0n, false]
    const isOurs = vaults[index]?.toLowerCase() === canonicalVault.toLowerCase()
    if (!isOurs || !poolId || !tokens || !balances || fee === undefined || !pause) return []
    if (!scalingFactors || scalingFactors.length !== tokens.length) return []
    if (isStable ? amp === 0n : weights[index]?.length !== tokens.length) return []
    return [
      {
        ...toHead(pool, { tokens: keep(tokens), blockNumber }),
        ...{ protocol, vault: canonicalVault, poolId, amp, weights: weights[index] ?? [] },
        feePips: Number(fee / feePerPip),
        ...{ swapFeePercentage: fee, isPaused: pause[0] },
        ...{ balances: keep(balances), scalingFactors: keep(scalingFactors) },
        isMoving: isUpdating || (ofPool?.hasRates ?? false),
        isFresh: keep(tokens).map(() => false),
      },
    ]
  })
}

function apply(record: BalancerV2Record, log: PoolLog): BalancerV2Record | undefined {
  // Pool ids are public: only the vault's own word and the pool's own count.
  if (log.address === record.id) return undefined
  if (log.address !== record.vault.toLowerCase()) return record
  const changed = { ...record, changedBlock: log.blockNumber }
  const move = (changes: ReadonlyMap<string, bigint>) =>
    record.balances.map((balance, k) => balance + (changes.get(record.tokens[k] ?? '') ?? 0n))
  switch (log.topics[0]) {
    case vaultSwapTopic: {
      const [, , tokenIn = '', tokenOut = ''] = log.topics
      const [amountIn, amountOut] = decodeAbiParameters(amounts, log.data)
      const balances = move(
        new Map([
          [`0x${tokenIn.slice(26)}`, amountIn],
          [`0x${tokenOut.slice(26)}`, -amountOut],
        ]),
      )
      return { ...changed, balances, swapsSeen: record.swapsSeen + 1 }
    }
    case balanceChangedTopic: {
      const [tokens, changes, fees] = decodeAbiParameters(deltas, log.data)
      const sums = tokens.map(
        (token, k) => [token.toLowerCase(), (changes[k] ?? 0n) - (fees[k] ?? 0n)] as const,
      )
      return { ...changed, balances: move(new Map(sums)) }
    }
    default:
      return undefined
  }
}

function poolIdOf({ topics: [topic, id] }: PoolLog): string | undefined {
  // A pool's id starts with its address.
  return id && vaultTopics.some((known) => known === topic) ? id.slice(0, 42) : undefined
}

function toEnginePool(record: BalancerV2Record) {
  const state = { ...record, cash: record.balances }
  return record.protocol === 'balancer_v2_stable'
    ? createBalancerV2StablePool(state)
    : createBalancerV2WeightedPool(state)
}

/** Without the fee, and small against the balance. */
function midPrice(record: BalancerV2Record, i: number, j: number): number {
  const balanceIn = record.balances[i] ?? 0n
  const balanceOut = record.balances[j] ?? 0n
  const weightIn = record.weights[i]
  const weightOut = record.weights[j]
  if (weightIn && weightOut)
    return (Number(balanceOut) * Number(weightIn)) / (Number(balanceIn) * Number(weightOut))
  const amountIn = balanceIn / tinyPart
  const swap = toEnginePool({ ...record, swapFeePercentage: 0n }).swap(i, j, amountIn)
  return swap ? Number(swap.amountOut) / Number(amountIn) : 0
}

function describe(protocol: BalancerV2Record['protocol']): PoolFamily<BalancerV2Record> {
  const isStable = protocol === 'balancer_v2_stable'
  return {
    /** Everything that a factory made is listed. */
    find: async () => [],
    list,
    load: (deps, parameters) => load(deps, { ...parameters, protocol }),
    topics: [...vaultTopics, ...poolTopics],
    creations: [{ topic: poolCreatedTopic, read: () => undefined }],
    emitters: () => [canonicalVault],
    poolIdOf,
    apply,
    async refresh(deps, { records, dexes, blockNumber }) {
      const moving = records.filter(({ isMoving }) => isMoving)
      const pools = moving.flatMap(({ address, dex: name }) => {
        const dex = dexes.find((candidate) => candidate.name === name)
        return dex ? [{ dex, address }] : []
      })
      const read = pools.length > 0 ? await load(deps, { pools, blockNumber, protocol }) : []
      return new Map(
        read.map(({ id, scalingFactors, amp, isMoving }) => [
          id,
          { scalingFactors, amp, isMoving },
        ]),
      )
    },
    toEnginePool,
    encodeStep: ({ vault, poolId }) => ({
      kind: 4,
      pool: vault,
      data: encodeAbiParameters([{ type: 'bytes32' }], [poolId]),
    }),
    midPrice,
    // What a stable pool moves by near its peg says nothing about its depth.
    depth: ({ balances }, i) => (isStable ? undefined : Number(balances[i] ?? 0n)),
    stepGas: () => (isStable ? stableStepGas : weightedStepGas),
    takesTaxedInput: false,
  }
}

export const balancerV2WeightedFamily = describe('balancer_v2_weighted')
/** Composable stable pools; swaps with a pool's own token are joins and exits, and not routed. */
export const balancerV2StableFamily = describe('balancer_v2_stable')
