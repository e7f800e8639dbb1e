import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbi,
  toEventSelector,
} from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { factoriesOf, firstBlockOf } from '../../../chain/dex.ts'
import { dedupePools } from '../../reads/findPools.ts'
import { joinAll } from '../../reads/joinAll.ts'
import { pickEnds } from '../../reads/pickEnds.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolLog } from '../../reads/poolLog.ts'
import type { ListParameters, LoadParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readEach } from '../../reads/readEach.ts'
import { pickParts, readParts } from '../../reads/readParts.ts'
import { scanTogether } from '../../reads/scanTogether.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import type { EnginePool } from '../maths/enginePool.ts'
import { type BalancerV2StableState, createBalancerV2StablePool } from './balancerV2Stable.ts'
import { type BalancerV2WeightedState, createBalancerV2WeightedPool } from './balancerV2Weighted.ts'
import {
  type BalancerCurve,
  depthOf,
  isWhole,
  type ReadBalancerCurves,
  readAmplification,
  readWeights,
} from './readBalancerCurves.ts'
import { type BalancerV2RatesOf, readBalancerV2Rates } from './readBalancerV2Rates.ts'
import { readFirstFactors } from './readFirstFactors.ts'

/** A pool behind Balancer's v2 vault; its own token is left out of all lists. */
export type BalancerV2Record = PoolHead &
  Pick<BalancerCurve, 'weights' | 'amp'> & {
    readonly protocol: 'balancer_v2_weighted' | 'balancer_v2_stable'
    readonly vault: Address
    readonly poolId: Hex
    readonly balances: readonly bigint[]
    readonly scalingFactors: readonly bigint[]
    readonly swapFeePercentage: bigint
    readonly isPaused: boolean
    /** Of weighted pools of the first version. */
    readonly hasPlainPowers: boolean
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
  'function getSwapFeePercentage() view returns (uint256)',
  'function getPausedState() view returns (bool paused, uint256, uint256)',
])
const factoryAbi = parseAbi(['function isPoolFromFactory(address) view returns (bool)'])
const poolCreatedTopic = toEventSelector('PoolCreated(address)')
const vaultSwapTopic = toEventSelector('Swap(bytes32,address,address,uint256,uint256)')
const balanceChangedTopic = toEventSelector(
  'PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])',
)
const balanceManagedTopic = toEventSelector(
  'PoolBalanceManaged(bytes32,address,address,int256,int256)',
)
const vaultTopics = [vaultSwapTopic, balanceChangedTopic, balanceManagedTopic]
/** Events of the pool itself after which it is read again. What moves by itself is read until it has stopped. */
const poolTopics = [
  'SwapFeePercentageChanged(uint256)',
  'PausedStateChanged(bool)',
  'AmpUpdateStarted(uint256,uint256,uint256,uint256)',
  'TokenRateCacheUpdated(uint256,uint256)',
  'TokenRateProviderSet(uint256,address,uint256)',
].map((event) => toEventSelector(event))
const amounts = [{ type: 'uint256' }, { type: 'uint256' }] as const
const deltas = [{ type: 'address[]' }, { type: 'int256[]' }, { type: 'uint256[]' }] as const
/** Deployment of the vault on every chain. */
const canonicalVault: Address = '0xBA12222222228d8Ba445958a75a0704d566BF2C8'
const feePerPip = 10n ** 12n
/** Part of a balance whose trade stands for the mid price. */
const tinyPart = 1_000_000n

/** Anybody may have a pool made: of more events than these the oldest and the newest count. */
const mostListed = 3_000

/** What differs between the kinds of pools. */
type Kind = {
  readonly protocol: BalancerV2Record['protocol']
  readonly readCurves: ReadBalancerCurves
  readonly readRates: typeof readBalancerV2Rates
  readonly createPool: (state: BalancerV2WeightedState & BalancerV2StableState) => EnginePool
  readonly stepGas: number
}

const weighted: Kind = {
  protocol: 'balancer_v2_weighted',
  readCurves: readWeights,
  readRates: async () => new Map(),
  createPool: createBalancerV2WeightedPool,
  stepGas: 88_000,
}

const stable: Kind = {
  protocol: 'balancer_v2_stable',
  readCurves: readAmplification,
  readRates: readBalancerV2Rates,
  createPool: createBalancerV2StablePool,
  stepGas: 131_000,
}

/**
 * Factories keep no list, and their pools' addresses follow from the creator's salt
 * (balancer/balancer-v2-monorepo pkg/solidity-utils/contracts/helpers/BaseSplitCodeFactory.sol).
 * Creation events name them as far back as the node tells of them; the dated list names older ones.
 */
async function list(deps: ReadDeps, { dex, blockNumber }: ListParameters): Promise<PoolRef[]> {
  const [{ logs }, known] = await joinAll([
    scanTogether(deps, {
      address: factoriesOf(dex),
      topic: poolCreatedTopic,
      fromBlock: firstBlockOf(dex, blockNumber),
      toBlock: blockNumber,
    }),
    listKnown(deps, { dex, blockNumber }),
  ])
  const created = logs.flatMap((log) => {
    const address = readCreated(log)
    return address ? [{ dex, address }] : []
  })
  return dedupePools([...pickEnds(created, mostListed), ...known])
}

const readCreated = ({ topics: [, pool] }: Pick<PoolLog, 'topics'>): Address | undefined =>
  pool ? `0x${pool.slice(26)}` : undefined

async function listKnown(
  deps: ReadDeps,
  { dex, blockNumber }: ListParameters,
): Promise<readonly PoolRef[]> {
  const pools = (dex.knownPools ?? []).map((address) => ({ dex, address }))
  const calls = factoriesOf(dex).flatMap((target) =>
    pools.map(({ address }) => ({ target, args: [address] as const })),
  )
  const functionName = 'isPoolFromFactory'
  const answers = await readEach(deps, { abi: factoryAbi, functionName, calls, blockNumber })
  return calls.flatMap(({ args: [address] }, index) =>
    answers[index] === true ? [{ dex, address }] : [],
  )
}

async function load(
  deps: ReadDeps,
  { pools, blockNumber }: LoadParameters,
  { protocol, readCurves, readRates }: Kind,
): Promise<BalancerV2Record[]> {
  const calls = pools.map(({ address: target }) => ({ target }))
  const view = { abi: poolAbi, calls, blockNumber } as const
  const [ids, vaults, factors, fees, paused, curves] = await Promise.all([
    readEach(deps, { ...view, functionName: 'getPoolId' }),
    readEach(deps, { ...view, functionName: 'getVault' }),
    readEach(deps, { ...view, functionName: 'getScalingFactors' }),
    readEach(deps, { ...view, functionName: 'getSwapFeePercentage' }),
    readEach(deps, { ...view, functionName: 'getPausedState' }),
    readCurves(deps, { pools, blockNumber }),
  ])
  const held = await readEach(deps, {
    abi: vaultAbi,
    functionName: 'getPoolTokens',
    blockNumber,
    calls: ids.map((id = '0x') => ({
      target: canonicalVault,
      args: [id.padEnd(66, '0') as Hex] as const,
    })),
  })
  const rates: BalancerV2RatesOf = await readRates(deps, {
    pools,
    held: held.map((row) => row?.[0]),
    blockNumber,
  })
  const first = await readFirstFactors(deps, {
    pools: pools.flatMap((pool, index) => {
      const [tokens, balances] = held[index] ?? []
      const { weights = [] } = curves[index] ?? {}
      const isFirst = factors[index] === undefined && weights.length === tokens?.length
      return isFirst && tokens && balances ? [{ pool, tokens, balances, weights }] : []
    }),
    blockNumber,
  })
  const addresses = [...rates.values()].flatMap(({ providers }) => providers)
  const parts = await readParts(deps, { addresses, blockNumber })
  return pools.flatMap((pool, index) => {
    const [tokens, balances] = held[index] ?? []
    const own = pool.address.toLowerCase()
    const keep = <value>(values: readonly value[]) =>
      values.filter((_, k) => tokens?.[k]?.toLowerCase() !== own)
    const [poolId, fee, pause] = [ids[index], fees[index], paused[index]]
    const ofPool = rates.get(own)
    const scalingFactors = ofPool?.scalingFactors ?? factors[index] ?? first.get(own)
    const curve = curves[index]
    const isOurs = vaults[index]?.toLowerCase() === canonicalVault.toLowerCase()
    if (!isOurs || !poolId || !tokens || !balances || fee === undefined || !pause) return []
    if (!scalingFactors || scalingFactors.length !== tokens.length) return []
    if (!curve || !isWhole(curve, tokens)) return []
    return [
      {
        ...toHead(pool, { tokens: keep(tokens), blockNumber }),
        protocol,
        vault: canonicalVault,
        poolId,
        amp: curve.amp,
        weights: curve.weights,
        feePips: Number(fee / feePerPip),
        swapFeePercentage: fee,
        isPaused: pause[0],
        hasPlainPowers: first.has(own),
        balances: keep(balances),
        scalingFactors: keep(scalingFactors),
        isMoving: curve.isUpdating || (ofPool?.providers ?? []).length > 0,
        parts: pickParts(parts, ofPool?.providers),
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

const toState = (record: BalancerV2Record) => ({ ...record, cash: record.balances })

/** Without the fee, and small against the balance. */
function midPrice(
  { createPool }: Kind,
  { record, i, j }: { readonly record: BalancerV2Record; readonly i: number; readonly j: number },
): number {
  const balanceIn = record.balances[i] ?? 0n
  const balanceOut = record.balances[j] ?? 0n
  const weightIn = record.weights[i]
  const weightOut = record.weights[j]
  if (weightIn && weightOut)
    return (Number(balanceOut) * Number(weightIn)) / (Number(balanceIn) * Number(weightOut))
  const amountIn = balanceIn / tinyPart
  const swap = createPool({ ...toState(record), swapFeePercentage: 0n }).swap(i, j, amountIn)
  return swap ? Number(swap.amountOut) / Number(amountIn) : 0
}
function describe(kind: Kind): PoolFamily<BalancerV2Record> {
  return {
    /** Everything that a factory made is listed. */
    find: async () => [],
    list,
    load: (deps, parameters) => load(deps, parameters, kind),
    topics: [...vaultTopics, ...poolTopics],
    creations: [
      {
        topic: poolCreatedTopic,
        // Its tokens are read with it: like all pools of the list, it needs none that are known.
        read(log) {
          const address = readCreated(log)
          return address && { address, tokens: [] }
        },
      },
    ],
    emitters: () => [canonicalVault],
    poolIdOf,
    nameInLogs: ({ poolId, vault }) => ({ name: poolId, by: [vault] }),
    apply,
    async refresh(deps, { records, dexes, blockNumber }) {
      const moving = records.filter(({ isMoving }) => isMoving)
      const pools = moving.flatMap(({ address, dex: name }) => {
        const dex = dexes.find((candidate) => candidate.name === name)
        return dex ? [{ dex, address }] : []
      })
      const read = pools.length > 0 ? await load(deps, { pools, blockNumber }, kind) : []
      return new Map(
        read.map(({ id, scalingFactors, amp, isMoving }) => [
          id,
          { scalingFactors, amp, isMoving },
        ]),
      )
    },
    toEnginePool: (record) => kind.createPool(toState(record)),
    encodeStep: ({ vault, poolId }) => ({
      kind: stepKinds.balancerV2,
      pool: vault,
      data: encodeAbiParameters([{ type: 'bytes32' }], [poolId]),
    }),
    midPrice: (record, i, j) => midPrice(kind, { record, i, j }),
    depth: ({ weights, balances }, i) => depthOf({ weights }, { i, balance: balances[i] }),
    held: ({ balances }, i) => Number(balances[i] ?? 0n),
    stepGas: () => kind.stepGas,
    takesTaxedInput: false,
  }
}

export const balancerV2WeightedFamily = describe(weighted)
/** Composable stable pools; swaps with a pool's own token are joins and exits, and not routed. */
export const balancerV2StableFamily = describe(stable)
