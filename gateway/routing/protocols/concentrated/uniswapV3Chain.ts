import { type Hex, parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { findByLookup } from '../../reads/findPools.ts'
import type { FindParameters, PoolRef, ReadDeps } from '../../reads/poolRef.ts'
import { readCall, readCalls } from '../../reads/readCalls.ts'
import { readEach } from '../../reads/readEach.ts'
import { createdAt } from '../family/createdAt.ts'
import type { PoolFamily } from '../family/poolFamily.ts'
import { concentratedFamily, toConcentratedState } from './concentratedChain.ts'
import { pancakeSwapTopic } from './concentratedLogs.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import { createReadTiers } from './readTiers.ts'
import { createUniswapV3Pool } from './uniswapV3.ts'

const poolCreatedTopic = toEventSelector('PoolCreated(address,address,uint24,int24,address)')
/** Slipstream pools are found by tick spacing; the fee is the pool's own affair. */
const slipstreamCreatedTopic = toEventSelector('PoolCreated(address,address,int24,address)')
const feeAbi = parseAbi([
  'function fee() view returns (uint24)',
  'function currentFee() view returns (uint24)',
])
const onePips = 1_000_000n
/** PancakeSwap v3 books its protocol fee in every swap. */
const pancakeGas = 16_000
/** Slipstream keeps staked liquidity and its fees apart. */
const slipstreamGas = 4_000

const toEnginePool = (record: ConcentratedRecord) =>
  createUniswapV3Pool(toConcentratedState(record))

const readTiers = createReadTiers()

const findByFee: PoolFamily['find'] = (deps, parameters) =>
  findByKeys(deps, {
    ...parameters,
    selector: toFunctionSelector('getPool(address,address,uint24)'),
    known: parameters.dex.feesPips,
    readAll: () => readTiers(deps, parameters),
  })

const spacingsAbi = parseAbi(['function tickSpacings() view returns (int24[])'])
/** Of a list that only its owner lengthens: more is a mistake. */
const mostSpacings = 64

const findBySpacing: PoolFamily['find'] = (deps, parameters) =>
  findByKeys(deps, {
    ...parameters,
    selector: toFunctionSelector('getPool(address,address,int24)'),
    known: parameters.dex.poolKeys ?? [],
    async readAll() {
      const { dex, blockNumber } = parameters
      const calls = [{ target: dex.factory }]
      const functionName = 'tickSpacings'
      const [spacings = []] = await readEach(deps, {
        abi: spacingsAbi,
        functionName,
        calls,
        blockNumber,
      })
      return spacings.filter((spacing) => spacing > 0).slice(0, mostSpacings)
    },
  })

/** By the keys that the row names, and meanwhile those that the factory has been given since. */
async function findByKeys(
  deps: ReadDeps,
  {
    selector,
    known,
    readAll,
    ...parameters
  }: FindParameters & {
    readonly selector: Hex
    readonly known: readonly number[]
    readonly readAll: () => Promise<readonly number[]>
  },
): Promise<readonly PoolRef[]> {
  const findWith = (keys: readonly number[]) =>
    findByLookup(deps, { ...parameters, selector, keys })
  if (parameters.isBrief) return findWith(known)
  const [found, all] = await Promise.all([findWith(known), readAll()])
  const added = all.filter((key) => !known.includes(key))
  return added.length === 0 ? found : [...found, ...(await findWith(added))]
}

/** Uniswap v3 and its forks that kept its interface: Sushi v3, AlienBase v3. */
export const uniswapV3Family = concentratedFamily({
  protocol: 'uniswap_v3',
  find: findByFee,
  creations: [createdAt(poolCreatedTopic, 1)],
  toEnginePool,
})

export const pancakeV3Family = concentratedFamily({
  protocol: 'pancake_v3',
  find: findByFee,
  topics: [pancakeSwapTopic],
  creations: [createdAt(poolCreatedTopic, 1)],
  toEnginePool,
  extraGas: pancakeGas,
})

export const slipstreamFamily = concentratedFamily({
  protocol: 'slipstream',
  find: findBySpacing,
  creations: [createdAt(slipstreamCreatedTopic, 0)],
  toEnginePool,
  extraGas: slipstreamGas,
  /** The factory's fee module answers for the pool, and may answer anew in every block. */
  refresh: (deps, parameters) => readFees(deps, { ...parameters, functionName: 'fee' }),
  movesApart: true,
})

/** Ramses v2: `fee` names the tier a pool was opened with, swaps take what its owners set since. */
const openedRamsesV2 = concentratedFamily({
  protocol: 'ramses_v2',
  find: findByFee,
  creations: [createdAt(poolCreatedTopic, 1)],
  toEnginePool,
  refresh: (deps, parameters) => readFees(deps, { ...parameters, functionName: 'currentFee' }),
})
export const ramsesV2Family: PoolFamily<ConcentratedRecord> = {
  ...openedRamsesV2,
  async load(deps, { pools, blockNumber }) {
    const records = await openedRamsesV2.load(deps, { pools, blockNumber })
    const fees = await readFees(deps, { records, blockNumber, functionName: 'currentFee' })
    return records.flatMap((record) => {
      const fee = fees.get(record.id)
      return fee ? [{ ...record, ...fee }] : []
    })
  },
}

/** What pools say their swaps take; one that does not say is left as it is. */
async function readFees(
  deps: ReadDeps,
  {
    records,
    blockNumber,
    functionName,
  }: {
    readonly records: readonly ConcentratedRecord[]
    readonly blockNumber: bigint
    readonly functionName: 'fee' | 'currentFee'
  },
): Promise<ReadonlyMap<string, { readonly feePips: number; readonly feePips1: number }>> {
  const calls = records.map(({ address }) => readCall(address, { abi: feeAbi, functionName }))
  const answers = await readCalls(deps, { calls, blockNumber })
  return new Map(
    records.flatMap(({ id }, index) => {
      const fee = answers[index]?.[0]
      if (fee === undefined || fee >= onePips) return []
      return [[id, { feePips: Number(fee), feePips1: Number(fee) }] as const]
    }),
  )
}
