import { encodeAbiParameters, toEventSelector, toFunctionSelector } from 'viem'
import { chunk } from '../sync/chunk.ts'
import { findByLookup, listPairs } from '../sync/findPools.ts'
import { callLens } from '../sync/lens.ts'
import { createdAt } from './createdAt.ts'
import { type LoadParameters, type PoolFamily, type ReadDeps, toHead } from './poolFamily.ts'
import type { PoolHead } from './poolHead.ts'
import { createUniswapV2Pool } from './uniswapV2.ts'
import { wordAt } from './wordAt.ts'

export type PairRecord = PoolHead & {
  readonly protocol: 'uniswap_v2'
  readonly reserve0: bigint
  readonly reserve1: bigint
}

export const syncTopic = toEventSelector('Sync(uint112,uint112)')
export const pairCreatedTopic = toEventSelector('PairCreated(address,address,address,uint256)')
const pairsPerCall = 500
const pairStepGas = 61_000
/** First use of the price counters. */
const freshPairGas = 29_000

async function loadPairs(
  { client }: ReadDeps,
  { pools, blockNumber }: LoadParameters,
): Promise<PairRecord[]> {
  const answers = await callLens(client, {
    functionName: 'readPairs',
    args: [pools.map(({ address }) => address)],
    blockNumber,
  })
  return answers.flatMap((answer, index) => {
    const pool = pools[index]
    if (!pool || !answer.ok) return []
    const { token0, token1, reserve0, reserve1, isFresh } = answer
    return [
      {
        ...toHead(pool, { tokens: [token0, token1], blockNumber }),
        ...{ protocol: 'uniswap_v2' as const, feePips: pool.dex.feesPips[0] ?? 3000 },
        ...{ reserve0, reserve1, isFresh: [isFresh, isFresh] },
      },
    ]
  })
}

/** Uniswap v2 and its forks of any fee. */
export const uniswapV2Family: PoolFamily<PairRecord> = {
  find: (deps, parameters) =>
    findByLookup(deps, {
      ...parameters,
      selector: toFunctionSelector('getPair(address,address)'),
    }),
  list: listPairs,
  load: async (deps, { pools, blockNumber }) => {
    const parts = chunk(pools, pairsPerCall)
    return (
      await Promise.all(parts.map((part) => loadPairs(deps, { pools: part, blockNumber })))
    ).flat()
  },
  topics: [syncTopic],
  creations: [createdAt(pairCreatedTopic, 0)],
  /** Every change of a pair's reserves ends in a `Sync`. */
  apply(record, log) {
    if (log.topics[0] !== syncTopic) return record
    return {
      ...{ ...record, changedBlock: log.blockNumber },
      ...{ reserve0: wordAt(log.data, 0), reserve1: wordAt(log.data, 1) },
      isFresh: [false, false],
      swapsSeen: record.swapsSeen + 1,
    }
  },
  toEnginePool: (record) => {
    const [token0 = '', token1 = ''] = record.tokens
    return createUniswapV2Pool({ ...record, token0, token1 })
  },
  encodeStep: ({ address, feePips }) => ({
    kind: 0,
    pool: address,
    data: encodeAbiParameters([{ type: 'uint256' }], [BigInt(feePips)]),
  }),
  midPrice({ reserve0, reserve1 }, i) {
    const price = Number(reserve1) / Number(reserve0)
    return i === 0 ? price : 1 / price
  },
  depth: ({ reserve0, reserve1 }, i) => Number(i === 0 ? reserve0 : reserve1),
  stepGas: ({ isFresh }, i) => pairStepGas + (isFresh[i] ? freshPairGas : 0),
  takesTaxedInput: true,
}
