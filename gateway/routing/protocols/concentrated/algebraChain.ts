import {
  type Address,
  encodeFunctionData,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { findByLookup } from '../../reads/findPools.ts'
import { createdAt } from '../family/createdAt.ts'
import type { PoolFamily } from '../family/poolFamily.ts'
import { createAlgebraIntegralPool } from './algebraIntegral.ts'
import { createAlgebraV19Pool } from './algebraV19.ts'
import { concentratedFamily, toConcentratedState } from './concentratedChain.ts'
import { directionalFeeTopic, feeTopic } from './concentratedLogs.ts'
import type { ConcentratedRecord } from './concentratedRecord.ts'
import { readFeeOracles, readNextFees, withoutSwapPlugins } from './readAlgebraFees.ts'

const poolTopic = toEventSelector('Pool(address,address,address)')
/** Of Integral: another plugin, or another set of its hooks. */
const pluginTopics = [toEventSelector('Plugin(address)'), toEventSelector('PluginConfig(uint8)')]
const quoterAbi = parseAbi([
  'function quoteExactInputSingle(address tokenIn, address tokenOut, uint256 amountIn, uint160 limitSqrtPrice) returns (uint256 amountOut, uint16 fee)',
])
const integralGas = 4_000

const find: PoolFamily['find'] = (deps, parameters) =>
  findByLookup(deps, {
    ...parameters,
    selector: toFunctionSelector('poolByPair(address,address)'),
  })

const directional = concentratedFamily({
  protocol: 'camelot_v3',
  shape: 'algebraDirectional',
  find,
  topics: [directionalFeeTopic],
  creations: [createdAt(poolTopic, 0)],
  toEnginePool: (record) =>
    createAlgebraV19Pool({
      ...toConcentratedState(record),
      feeZtoPips: record.feePips,
      feeOtzPips: record.feePips1,
    }),
})

/**
 * Camelot v3: Algebra 1.9 with a fee per direction, set anew in the first swap of each block. Pools whose
 * fee adapts are searched by the fee they took last and priced by the quoter.
 */
export const camelotV3Family: PoolFamily<ConcentratedRecord> = {
  ...directional,
  async load(deps, { pools, blockNumber }) {
    const [records, oracles] = await Promise.all([
      directional.load(deps, { pools, blockNumber }),
      readFeeOracles(deps, { pools, blockNumber }),
    ])
    const places = new Map(pools.map(({ address }, index) => [address.toLowerCase(), index]))
    const ruled = records.flatMap((record) => {
      const index = places.get(record.id) ?? -1
      const oracle = oracles[index]
      return oracle ? [{ record, oracle, quoter: pools[index]?.dex.quoter }] : []
    })
    const fees = await readNextFees(deps, { pools: ruled, blockNumber })
    const next = new Map(
      ruled.map(({ record, oracle }, index) => [record.id, { oracle, fees: fees[index] }]),
    )
    return records.flatMap((record) => {
      const { oracle, fees: own } = next.get(record.id) ?? {}
      if (!oracle || !own) return [record]
      // Without a quoter nobody can tell what an adaptive pool gives.
      const isPriced = 'feePips' in own || own.quoter !== undefined
      if (!isPriced) deps.decline?.(record)
      return isPriced ? [{ ...record, ...own, feeOracle: oracle }] : []
    })
  },
  /** Fees are configured beside the pool, which hears of it in its next swap. */
  async refresh(deps, { records, dexes, blockNumber }) {
    const ruled = records.flatMap(({ id, dex, feeOracle: oracle }) => {
      const quoter = dexes.find(({ name }) => name === dex)?.quoter
      return oracle ? [{ id, oracle, quoter }] : []
    })
    const fees = await readNextFees(deps, { pools: ruled, blockNumber })
    return new Map(ruled.map(({ id }, index) => [id, fees[index] ?? {}]))
  },
  isQuoted: ({ quoter }) => quoter !== undefined,
  quoter: {
    question({ address, quoter, tokens }, { i, j, amountIn }) {
      const [tokenIn, tokenOut] = [tokens[i] as Address, tokens[j] as Address]
      return {
        target: quoter ?? address,
        data: encodeFunctionData({ abi: quoterAbi, args: [tokenIn, tokenOut, amountIn, 0n] }),
      }
    },
    readAnswer: ([amountOut]) => amountOut,
  },
}

const integral = concentratedFamily({
  protocol: 'algebra_integral',
  shape: 'algebraIntegral',
  find,
  topics: [feeTopic, ...pluginTopics],
  creations: [createdAt(poolTopic, 0)],
  toEnginePool: (record) => createAlgebraIntegralPool(toConcentratedState(record)),
  extraGas: integralGas,
})

/** Algebra Integral, where no plugin has a say in swaps: the fee then moves with an event only. */
export const algebraIntegralFamily: PoolFamily<ConcentratedRecord> = {
  ...integral,
  async load(deps, { pools, blockNumber }) {
    const records = await integral.load(deps, { pools, blockNumber })
    return withoutSwapPlugins(deps, { records, blockNumber })
  },
  apply: (record, log) =>
    pluginTopics.some((topic) => topic === log.topics[0]) ? undefined : integral.apply(record, log),
}
