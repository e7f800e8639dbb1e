import { decodeAbiParameters, parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { stepKinds } from '../../../../contracts/stepKinds.ts'
import { findByLookup, listPairs } from '../../reads/findPools.ts'
import type { PoolHead } from '../../reads/poolHead.ts'
import type { PoolRef } from '../../reads/poolRef.ts'
import { readCall, readCalls, wordToAddress } from '../../reads/readCalls.ts'
import { createdAt } from '../family/createdAt.ts'
import { type PoolFamily, toHead } from '../family/poolFamily.ts'
import { stablePairPrice } from '../maths/stablePairPrice.ts'
import { createCamelotV2Pool } from './camelotV2.ts'
import { pairCreatedTopic, syncTopic } from './uniswapV2Chain.ts'

export type CamelotPairRecord = PoolHead & {
  readonly protocol: 'camelot_v2'
  readonly stable: boolean
  /** 10 ^ decimals of each token, as the pair keeps them. */
  readonly unit0: bigint
  readonly unit1: bigint
  readonly reserve0: bigint
  readonly reserve1: bigint
  /** Over 100,000: of token 0 and of token 1 going in. */
  readonly token0FeePercent: bigint
  readonly token1FeePercent: bigint
  readonly ownerFeeShare: bigint
}

const feeTopic = toEventSelector('FeePercentUpdated(uint16,uint16)')
/** The deployed pairs name the old and the new kind. */
const kindTopics = [
  toEventSelector('SetStableSwap(bool,bool)'),
  toEventSelector('SetStableSwap(bool)'),
]
const pairAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint16, uint16)',
  'function stableSwap() view returns (bool)',
  'function precisionMultiplier0() view returns (uint256)',
  'function precisionMultiplier1() view returns (uint256)',
])
const factoryAbi = parseAbi(['function feeInfo() view returns (uint256, address)'])
const viewNames = [
  'token0',
  'token1',
  'getReserves',
  'stableSwap',
  'precisionMultiplier0',
  'precisionMultiplier1',
] as const
const pipsPerPart = 10n
const mostFee = 100_000n
const stepGas = { volatile: 60_000, stable: 65_000 } as const

const viewsOf = ({ address }: PoolRef) =>
  viewNames.map((functionName) =>
    readCall(address, { abi: pairAbi, functionName }, functionName === 'getReserves' ? 4 : 1),
  )

function toRecord(
  pool: PoolRef,
  {
    words,
    ownerFeeShare,
    blockNumber,
  }: {
    readonly words: readonly (readonly bigint[] | undefined)[]
    readonly ownerFeeShare: bigint
    readonly blockNumber: bigint
  },
): CamelotPairRecord | undefined {
  const [token0, token1, reserves, stable, unit0, unit1] = words
  const [reserve0, reserve1, token0FeePercent, token1FeePercent] = reserves ?? []
  if (!token0?.[0] || !token1?.[0] || !unit0?.[0] || !unit1?.[0] || stable?.[0] === undefined)
    return undefined
  if (reserve0 === undefined || reserve1 === undefined) return undefined
  if (token0FeePercent === undefined || token1FeePercent === undefined) return undefined
  if (token0FeePercent >= mostFee || token1FeePercent >= mostFee) return undefined
  const tokens = [wordToAddress(token0[0]), wordToAddress(token1[0])]
  return {
    ...toHead(pool, { tokens, blockNumber }),
    protocol: 'camelot_v2',
    feePips: Number(token0FeePercent * pipsPerPart),
    isFresh: [false, false],
    stable: stable[0] !== 0n,
    unit0: unit0[0],
    unit1: unit1[0],
    reserve0,
    reserve1,
    token0FeePercent,
    token1FeePercent,
    ownerFeeShare,
  }
}

/** Camelot v2: a fee per direction, constant product or stable. */
export const camelotV2Family: PoolFamily<CamelotPairRecord> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      selector: toFunctionSelector('getPair(address,address)'),
    }),
  list: listPairs,
  async load(deps, { pools, blockNumber }) {
    const factories = [...new Set(pools.map(({ dex }) => dex.factory))]
    const feeInfos = factories.map((factory) =>
      readCall(factory, { abi: factoryAbi, functionName: 'feeInfo' }, 2),
    )
    const calls = [...feeInfos, ...pools.flatMap(viewsOf)]
    const answers = await readCalls(deps, { calls, blockNumber })
    return pools.flatMap((pool, index) => {
      const [share = 0n, receiver = 0n] = answers[factories.indexOf(pool.dex.factory)] ?? []
      const start = factories.length + index * viewNames.length
      const words = answers.slice(start, start + viewNames.length)
      const ownerFeeShare = receiver === 0n ? 0n : share
      return toRecord(pool, { words, ownerFeeShare, blockNumber }) ?? []
    })
  },
  topics: [syncTopic, feeTopic, ...kindTopics],
  creations: [createdAt(pairCreatedTopic, 0)],
  apply(record, log) {
    const changedBlock = log.blockNumber
    if (log.topics[0] === syncTopic) {
      const types = [{ type: 'uint112' }, { type: 'uint112' }] as const
      const [reserve0, reserve1] = decodeAbiParameters(types, log.data)
      return { ...record, reserve0, reserve1, changedBlock, swapsSeen: record.swapsSeen + 1 }
    }
    if (log.topics[0] === feeTopic) {
      const types = [{ type: 'uint16' }, { type: 'uint16' }] as const
      const [fee0, fee1] = decodeAbiParameters(types, log.data).map(BigInt)
      if (fee0 === undefined || fee1 === undefined) return undefined
      const fees = { token0FeePercent: fee0, token1FeePercent: fee1 }
      return { ...record, ...fees, feePips: Number(fee0 * pipsPerPart), changedBlock }
    }
    // A pair that changed its kind is read again.
    return kindTopics.some((topic) => topic === log.topics[0]) ? undefined : record
  },
  toEnginePool: (record) => {
    const [token0 = '', token1 = ''] = record.tokens
    return createCamelotV2Pool({ ...record, token0, token1 })
  },
  encodeStep: ({ address }) => ({ kind: stepKinds.solidly, pool: address, data: '0x' }),
  midPrice: (record, i) => stablePairPrice(record, i),
  depth: ({ stable, reserve0, reserve1 }, i) =>
    stable ? undefined : Number(i === 0 ? reserve0 : reserve1),
  held: ({ reserve0, reserve1 }, i) => Number(i === 0 ? reserve0 : reserve1),
  stepGas: ({ stable }) => (stable ? stepGas.stable : stepGas.volatile),
  takesTaxedInput: true,
}
